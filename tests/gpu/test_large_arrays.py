"""Arrays of more than 2^32 bytes on the GPU: every kind of access reaches their end."""

import pytest

import tilec

pytestmark = pytest.mark.gpu

ROWS, COLUMNS = 80_000, 65_536
"""5.2e9 elements of one byte: more than 32 bits can count, signed or unsigned."""
TILE = (64, 128)

TEXT = """
@kernel
def load_tile[M, N](A: u8[M, N], B: u8[64, 128], TMA: const = True):
    grid(1)
    store(B, (0, 0), load(A, (cdiv(M, 64) - 1, cdiv(N, 128) - 1), (64, 128), allow_tma=TMA))

@kernel
def load_at[M, N](A: u8[M, N], B: u8[64, 128], TMA: const = True):
    grid(1)
    store(B, (0, 0), load(A, offset=(M - 64, N - 128), shape=(64, 128), allow_tma=TMA))

@kernel
def load_in_loop[M, N](A: u8[M, N], B: u8[64, 128], TMA: const = True):
    grid(1)
    total = zeros((64, 128), u8)
    for n in range(cdiv(N, 128)):
        total += load(A, (cdiv(M, 64) - 1, n), (64, 128), allow_tma=TMA)
    store(B, (0, 0), total)

@kernel
def gather_tile[M, N](A: u8[M, N], B: u8[64, 128]):
    grid(1)
    rows, columns = M - 64 + arange(64), N - 128 + arange(128)
    store(B, (0, 0), gather(A, (rows[:, None], columns[None, :])))

@kernel
def load_element[M, N](A: u8[M, N], B: u8[64, 128]):
    grid(1)
    for i in range(64):
        for j in range(128):
            store(B, (i, j), load(A, (M - 64 + i, N - 128 + j), ()))

@kernel
def store_tile[M, N](A: u8[M, N], B: u8[64, 128], TMA: const = True):
    grid(1)
    store(A, (cdiv(M, 64) - 1, cdiv(N, 128) - 1), load(B, (0, 0), (64, 128)), allow_tma=TMA)

@kernel
def store_at[M, N](A: u8[M, N], B: u8[64, 128], TMA: const = True):
    grid(1)
    store(A, load(B, (0, 0), (64, 128)), offset=(M - 64, N - 128), allow_tma=TMA)

@kernel
def scatter_tile[M, N](A: u8[M, N], B: u8[64, 128]):
    grid(1)
    rows, columns = M - 64 + arange(64), N - 128 + arange(128)
    scatter(A, (rows[:, None], columns[None, :]), load(B, (0, 0), (64, 128)))

@kernel
def store_element[M, N](A: u8[M, N], B: u8[64, 128]):
    grid(1)
    for i in range(64):
        for j in range(128):
            store(A, (M - 64 + i, N - 128 + j), load(B, (i, j), ()))

@kernel
def add_tile[M, N](A: i32[M, N], B: i32[64, 32]):
    grid(1)
    rows, columns = M - 64 + arange(64), N - 32 + arange(32)
    place, x = (rows[:, None], columns[None, :]), load(B, (0, 0), (64, 32))
    atomic_add(A, place, x, memory_order='relaxed')
"""
BOTH = [{"TMA": True}, {"TMA": False}]
LOADS = {"load_tile": BOTH, "load_at": BOTH, "load_in_loop": BOTH, "gather_tile": [{}],
         "load_element": [{}]}  # fmt: skip
STORES = {"store_tile": BOTH, "store_at": BOTH, "scatter_tile": [{}], "store_element": [{}]}


def cases(kernels):
    return [
        pytest.param(name, constants, id=f"{name}-{constants.get('TMA', '')}".rstrip("-"))
        for name, choices in kernels.items()
        for constants in choices
    ]


@pytest.fixture(scope="module")
def large(torch):
    """Return an array of zeros, of `ROWS` x `COLUMNS` bytes."""
    yield torch.zeros(ROWS, COLUMNS, dtype=torch.uint8, device="cuda")
    torch.cuda.empty_cache()


@pytest.fixture(scope="module")
def kernels():
    return tilec.loads(TEXT)


@pytest.fixture
def end(large):
    """Return the last tile of the array, which is zero afterwards."""
    yield large[-TILE[0] :, -TILE[1] :]
    large[-TILE[0] :, -TILE[1] :] = 0
    assert not bool(large.view(-1).any()), "something was stored elsewhere"


def check_tma(kernel, arguments, constants):
    """Check that the kernel uses TMA for the large array exactly where it should."""
    recipes = kernel.compile(*arguments, **constants).metadata["tensor_maps"]
    assert any(item["array"] == "A" for item in recipes) == constants.get("TMA", False)


@pytest.mark.parametrize(("name", "constants"), cases(LOADS))
def test_loads(torch, kernels, large, end, name, constants):
    end.random_(0, 256)
    small = torch.zeros(TILE, dtype=torch.uint8, device="cuda")
    kernel = getattr(kernels, name)
    kernel(large, small, **constants)
    assert bool((small == end).all())
    check_tma(kernel, (large, small), constants)


@pytest.mark.parametrize(("name", "constants"), cases(STORES))
def test_stores(torch, kernels, large, end, name, constants):
    small = torch.randint(0, 256, TILE, dtype=torch.uint8, device="cuda")
    kernel = getattr(kernels, name)
    kernel(large, small, **constants)
    assert bool((small == end).all())
    check_tma(kernel, (large, small), constants)


def test_atomic_operations(torch, kernels, large, end):
    small = torch.randint(0, 256, TILE, dtype=torch.uint8, device="cuda")
    kernels.add_tile(large.view(torch.int32), small.view(torch.int32))
    assert bool((small == end).all())
