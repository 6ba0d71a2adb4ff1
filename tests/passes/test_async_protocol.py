"""nv-tileas-verify-async-protocol: real kernels pass, every seeded fault is found.

The faults are edits of the matmul example as the passes before the check leave it.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from time import process_time

import pytest

from tilec.diagnostics import InternalCompilerError, SourceFile
from tilec.driver import choose_kernel, compile_source
from tilec.frontend.parser import kernels, parse_source
from tilec.ir.context import make_context
from tilec.ir.text import parse_module
from tilec.options import CompileOptions
from tilec.passes.registry import PassContext
from tilec.passes.transforms.nv_tileas import verify_async_protocol as check
from tilec.specialization import Specialization

ROOT = Path(__file__).resolve().parents[2]
FILES = (*(ROOT / "examples").glob("*.tile"), *(ROOT / "tests" / "kernels").glob("*.tile"))
BEFORE = "nv-tileas-attach-tma-descriptors"
TILES = {"BM": 128, "BN": 256, "BK": 64}
LIMIT_SECONDS = 0.05
"""What the check of the persistent matmul may cost on an idle machine."""


def _source(path: Path) -> SourceFile:
    return SourceFile(path.name, path.read_text())


def _before_the_check(
    folder: Path, cluster: tuple[int, int] = (1, 1), size: Mapping[str, int] = TILES, **plan: int
) -> str:
    options = CompileOptions(emit="nv_tileas", dump_directory=folder)
    source = _source(ROOT / "examples" / "matmul.tile")
    chosen = Specialization(constants=size, plan={**plan, "cluster": cluster})
    compile_source(source, specialization=chosen, options=options)
    return next(folder.glob(f"*-{BEFORE}.mlir")).read_text()


@pytest.fixture(scope="module")
def matmul(tmp_path_factory) -> str:
    return _before_the_check(tmp_path_factory.mktemp("parts"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> str:
    return _before_the_check(tmp_path_factory.mktemp("whole"), stages=3, epilogue_slots=0)


@pytest.fixture(scope="module")
def pair(tmp_path_factory) -> str:
    """Two CTAs on top of each other, which share the tiles of B."""
    return _before_the_check(tmp_path_factory.mktemp("pair"), (2, 1))


@pytest.fixture(scope="module")
def square(tmp_path_factory) -> str:
    """Four CTAs, which share the tiles of both operands."""
    return _before_the_check(tmp_path_factory.mktemp("square"), (2, 2))


def verify(text: str) -> None:
    module = parse_module(text, make_context(), "dump.mlir")
    with module.context:
        check.verify_async_protocol(module, PassContext(buffer="dump.mlir"))


def failure(text: str) -> str:
    with pytest.raises(InternalCompilerError) as caught:
        verify(text)
    return str(caught.value)


def lines_of(text: str, operation: str) -> list[int]:
    lines = text.splitlines()
    found = [index for index, line in enumerate(lines) if f'"nv_tileas.{operation}"' in line]
    assert found, operation
    return found


def without(operation: str, *numbers: int) -> Callable[[str], str]:
    """Return an edit that drops uses of an operation: those numbered, or all of them."""

    def edit(text: str) -> str:
        found = lines_of(text, operation)
        dropped = {found[number] for number in numbers} if numbers else set(found)
        lines = text.splitlines()
        return "\n".join(line for index, line in enumerate(lines) if index not in dropped)

    return edit


def changed(operation: str, number: int, old: str, new: str) -> Callable[[str], str]:
    """Return an edit that changes the text of one use of an operation."""

    def edit(text: str) -> str:
        lines = text.splitlines()
        index = lines_of(text, operation)[number]
        assert old in lines[index], lines[index]
        lines[index] = lines[index].replace(old, new, 1)
        return "\n".join(lines)

    return edit


def swap_before(operation: str, other: str) -> Callable[[str], str]:
    """Return an edit that moves the only use of an operation before the only one of another."""

    def edit(text: str) -> str:
        lines = text.splitlines()
        (source,), (target,) = lines_of(text, operation), lines_of(text, other)
        lines.insert(target, lines.pop(source))
        return "\n".join(lines)

    return edit


def replaced(pattern: str, result: str, count: int = 0) -> Callable[[str], str]:
    def edit(text: str) -> str:
        edited, found = re.subn(pattern, result, text, count=count)
        assert found, pattern
        return edited

    return edit


def stale(operation: str, number: int = 0) -> Callable[[str], str]:
    """Return an edit that gives an operation the start position of its role's ring."""

    def edit(text: str) -> str:
        lines = text.splitlines()
        index = lines_of(text, operation)[number]
        start = max(line for line in lines_of(text, "ring_start") if line < index)
        name = lines[start].split("=")[0].strip()
        lines[index] = re.sub(r"\((%\w+), %\w+\)", rf"(\1, {name})", lines[index], count=1)
        return "\n".join(lines)

    return edit


def early_sync(text: str) -> str:
    """Let consumers meet before they start instead of when they are done."""
    lines = text.splitlines()
    (_, last), (_, start) = lines_of(text, SYNC), lines_of(text, "ring_start")
    lines.insert(start, lines.pop(last))
    return "\n".join(lines)


def alone(text: str) -> str:
    """Let every CTA copy its share of B into its own slot only."""
    return replaced(MULTICAST_COPY, "")(text)


def alone_once(text: str) -> str:
    """Let the second copy of the share of B go to the own CTA only."""
    return changed("async_tiled_tma_load", 2, MULTICAST_COPY, "")(text)


def read_by_threads(text: str) -> str:
    """Let threads read the tile of B, too, before they release it."""
    lines = text.splitlines()
    (release,), view = lines_of(text, "ring_release"), lines_of(text, "slot_view")[3]
    name, kind = lines[view].split("=")[0].strip(), lines[view].rsplit("-> ", 1)[1]
    tile = (
        'tensor<64x256xbf16, #nv_tileas.layout<"64x256|reg:64*(1,0)|lane:32*(0,1)|warp:8*(0,32)">>'
    )
    lines.insert(release, f'%read = "nv_tileas.load_shared"({name}) : ({kind}) -> {tile}')
    return "\n".join(lines)


MULTICAST_RING = "cluster = array<i64: 2, 1>, multicast_axes = array<i64: 0>, "
MULTICAST_COPY = "cluster = array<i64: 2, 1>, multicast_axis = 0 : i64, "
EMPTY_COUNT = r"(\"nv_tileas.alloc_mbarrier\"\(\) \{count = )8\b"
RELEASE = r"(\n *\"nv_tileas.ring_release\".*)"
STALE = "uses another position of ring 0 than the current one"
STORE = r"(\n *\"nv_tileas.async_tiled_tma_store\".*)"
UNREAD = "is never read"
UNREAD_SLOT = "is overwritten before anything reads it"
OWN = "a warpgroup's own tile is used by the whole role, or the reverse"
SHARED_ID = "is used by a role and by one of its warpgroups"
BARRIER = "id = 2 : i64, per_warpgroup"
"""A barrier of the warpgroups: from id 2 on, one each."""
BOXES = "not each of them once"
FAULTS = {
    "fewer bytes announced": (replaced("tx_count = 49152", "tx_count = 49136"), "deadlock"),
    "more bytes announced": (replaced("tx_count = 49152", "tx_count = 49168"), "deadlock"),
    "too few arrivals expected": (replaced(EMPTY_COUNT, r"\g<1>7"), "more than 7 arrivals"),
    "one arrival expected": (replaced(EMPTY_COUNT, r"\g<1>1"), "more than 1 arrivals"),
    "too many arrivals expected": (replaced(EMPTY_COUNT, r"\g<1>9"), "ends in mid-phase"),
    "released twice": (replaced(RELEASE, r"\1\1"), "may be overwritten while"),
    "no release": (without("ring_release"), "deadlock"),
    "no acquire": (without("ring_acquire"), "may be overwritten while"),
    "no wait": (without("ring_wait"), "a tile is read before the write"),
    "wait at the start": (stale("ring_wait"), f"ring_wait {STALE}"),
    "acquire at the start": (stale("ring_acquire"), f"ring_acquire {STALE}"),
    "release at the start": (stale("ring_release"), f"ring_release {STALE}"),
    "barrier at the start": (stale("ring_barrier"), f"ring_barrier {STALE}"),
    "fill the first slot": (stale("slot_view", 0), f"slot_view {STALE}"),
    "read the first slot of A": (stale("slot_view", 2), f"slot_view {STALE}"),
    "read the first slot of B": (stale("slot_view", 3), f"slot_view {STALE}"),
    "advance from the start": (stale("ring_advance", 1), f"ring_advance {STALE}"),
    "no proxy fence": (without("fence_proxy"), "no proxy fence"),
    "no barrier": (without("barrier"), "may be overwritten while"),
    "no barrier after the drain": (without("barrier", 0), "may be overwritten while"),
    "no barrier before the store": (without("barrier", 1), "a tile is read before the write"),
    "no drain": (without("bulk_wait"), "may be overwritten while"),
    "no drain before the next tile": (without("bulk_wait", 0), "may be overwritten while"),
    "no drain at the end": (without("bulk_wait", 4), "may end while a bulk store"),
    "no commit": (without("bulk_commit"), "may be overwritten while"),
    "too many registers": (replaced("count = 40 ", "count = 56 "), "roles ask for 66560 registers"),
    "released before the wait": (swap_before("ring_release", "mma_wait"), "may be overwritten"),
    "an mma in flight": (
        replaced(r"pending = 0 (: i64\} : \(tensor)", r"pending = 1 \1"),
        "may be overwritten",
    ),
    "no mma_wait": (
        replaced(r"pending = 0 (: i64\} : \(tensor)", r"pending = 9 \1"),
        "overwritten",
    ),
    "barrier 0": (replaced("id = 2 ", "id = 0 ", 1), "barrier 0 of the whole CTA"),
    "barrier 16": (replaced("id = 2 ", "id = 15 ", 1), "named barrier 16 does not exist"),
    "a box loaded twice": (replaced("box_index = 1 ", "box_index = 0 ", 1), BOXES),
    "a box not loaded": (without("async_tiled_tma_load", 1), BOXES),
    "a box stored twice": (replaced(STORE, r"\1\1", 1), BOXES),
    "a box not stored": (without("async_tiled_tma_store", 3), UNREAD),
    "a part not stored": (without("async_tiled_tma_store", 1), UNREAD_SLOT),
    "a part not copied out": (without("copy_out", 1), UNREAD_SLOT),
    "the last part not copied out": (without("copy_out", 3), UNREAD),
    "no proxy fence for a part": (without("fence_proxy", 2), "no proxy fence"),
    "no barrier after the drain of a part": (without("barrier", 4), "may be overwritten while"),
    "no barrier before the store of a part": (without("barrier", 5), "a tile is read before"),
    "the slot of the part before": (
        changed("warpgroup_view", 1, "slot = 1", "slot = 0"),
        "slot 0 may be overwritten while 'bulk:",
    ),
    "one part too many in flight": (
        changed("bulk_wait", 2, "pending = 1", "pending = 2"),
        "slot 0 may be overwritten while 'bulk:",
    ),
    "a part in flight at the end": (
        changed("bulk_wait", 4, "pending = 0", "pending = 1"),
        "may end while a bulk store",
    ),
    "one warpgroup commits": (
        changed("bulk_commit", 0, "{per_warpgroup}", ""),
        "'bulk:first warp of consumer warpgroup 1' still uses it",
    ),
    "one warpgroup waits": (
        changed("bulk_wait", 2, "per_warpgroup, ", ""),
        "'bulk:first warp of consumer warpgroup 1' still uses it",
    ),
    "one warpgroup drains": (
        changed("bulk_wait", 4, "per_warpgroup, ", ""),
        "may end while a bulk store",
    ),
    "one warpgroup stores": (changed("async_tiled_tma_store", 0, "per_warpgroup, ", ""), OWN),
    "the role copies a part out": (changed("copy_out", 0, ", per_warpgroup", ""), OWN),
    "an id of two scopes": (changed("barrier", 3, BARRIER, "id = 3 : i64"), SHARED_ID),
}
WHOLE_FAULTS = {
    "a warpgroup drains": (changed("barrier", 0, "id = 1 : i64", BARRIER), "is overwritten before"),
    "a warpgroup stores": (changed("barrier", 1, "id = 1 : i64", BARRIER), "a tile is read before"),
    "a part of the role's tile": (
        changed("async_tiled_tma_store", 0, "tmaIdx", "per_warpgroup, tmaIdx"),
        OWN,
    ),
}
"""Faults of a kernel that stages its result whole."""
COUNT_OF = r"(\"nv_tileas.alloc_mbarrier\"\(\) \{count = )"
SYNC = "cluster_sync"
OVERWRITTEN = "may be overwritten while"
EXIT = "may exit before"
CLUSTER_FAULTS = {
    "only the own arrivals expected": (replaced(COUNT_OF + r"16\b", r"\g<1>8"), OVERWRITTEN),
    "one arrival too few": (replaced(COUNT_OF + r"16\b", r"\g<1>15"), "more than 15 arrivals"),
    "one arrival too many": (replaced(COUNT_OF + r"16\b", r"\g<1>17"), "ends in mid-phase"),
    "the copies of the other not announced": (
        replaced("tx_count = 49152", "tx_count = 32768"),
        "ends in mid-phase: 1 arrivals and -16384 bytes",
    ),
    "consumers leave first": (without(SYNC, 1), EXIT),
    "everybody leaves first": (without(SYNC), EXIT),
    "consumers meet before the loop": (early_sync, EXIT),
    "a ring of other peers": (
        changed(
            "create_ring", 0, "multicast_axes = array<i64: 0>", "multicast_axes = array<i64: 1>"
        ),
        "ends in mid-phase",
    ),
    "released locally": (
        lambda text: replaced(COUNT_OF + r"16\b", r"\g<1>8")(
            changed("create_ring", 0, MULTICAST_RING, "")(text)
        ),
        OVERWRITTEN,
    ),
    "a box of the share twice": (
        changed("async_tiled_tma_load", 2, "box_index = 1", "box_index = 0"),
        "a tile of 2 boxes is copied as box 0, 0",
    ),
    "a box of the share missing": (without("async_tiled_tma_load", 2), "is copied as box 0:"),
    "copied to the own CTA alone": (alone, "a tile of 4 boxes is copied as box 0, 1"),
    "one copy to the own CTA alone": (alone_once, "go to different CTAs"),
    "one copy to the own CTA alone, and announced so": (
        lambda text: alone_once(text).replace("tx_count = 49152", "tx_count = 40960"),
        "go to different CTAs",
    ),
    "copied along the other axis": (
        replaced("multicast_axis = 0", "multicast_axis = 1"),
        "a tile of 4 boxes is copied as box 0, 1",
    ),
    "copies of another cluster": (
        changed(
            "async_tiled_tma_load", 1, "cluster = array<i64: 2, 1>", "cluster = array<i64: 2, 2>"
        ),
        "a cluster of (2, 2) in one of (2, 1) CTAs",
    ),
    "the share of the other not announced, released locally": (
        lambda text: replaced("tx_count = 49152", "tx_count = 32768")(
            changed("create_ring", 0, MULTICAST_RING, "")(text)
        ),
        "mid-phase",
    ),
    "threads read a shared tile": (
        read_by_threads,
        "threads read a tile that other CTAs overwrite",
    ),
    "no acquire": (without("ring_acquire"), "more than 1 arrivals"),
    "no release": (without("ring_release"), "deadlock"),
    "no wait": (without("ring_wait"), "a tile is read before the write"),
    "released before the wait": (swap_before("ring_release", "mma_wait"), OVERWRITTEN),
}
"""Faults of a kernel in a cluster of two CTAs, which share B."""
SQUARE_FAULTS = {
    "the arrivals of a row": (
        replaced(COUNT_OF + r"24\b", r"\g<1>16"),
        "ends in mid-phase: 8 arrivals and 0 bytes",
    ),
    "the arrivals of all CTAs": (
        replaced(COUNT_OF + r"24\b", r"\g<1>32"),
        "ends in mid-phase: 8 arrivals and 0 bytes",
    ),
    "only the rows release": (
        lambda text: replaced(COUNT_OF + r"24\b", r"\g<1>16")(
            changed("create_ring", 0, "array<i64: 0, 1>", "array<i64: 0>")(text)
        ),
        OVERWRITTEN,
    ),
    "only the columns release": (
        lambda text: replaced(COUNT_OF + r"24\b", r"\g<1>16")(
            changed("create_ring", 0, "array<i64: 0, 1>", "array<i64: 1>")(text)
        ),
        OVERWRITTEN,
    ),
    "consumers leave first": (without(SYNC, 1), EXIT),
}
"""Faults of a kernel in a cluster of four CTAs, which share A and B."""


def test_the_kernel_without_a_fault(matmul):
    verify(matmul)


@pytest.mark.parametrize("name", FAULTS)
def test_seeded_faults(matmul, name):
    edit, message = FAULTS[name]
    edited = edit(matmul)
    assert edited != matmul
    found = failure(edited)
    assert message in found
    assert found.startswith("dump.mlir:") or "may end while" in found


def test_clusters_without_a_fault(pair, square):
    verify(pair)
    verify(square)


@pytest.mark.parametrize("name", CLUSTER_FAULTS)
def test_seeded_faults_in_a_cluster(pair, name):
    edit, message = CLUSTER_FAULTS[name]
    found = failure(edit(pair))
    assert message in found
    assert found.startswith("dump.mlir:")


def test_a_producer_may_leave_first(pair):
    """Its CTA lives on in the consumers, which meet those of the other one."""
    verify(without(SYNC, 0)(pair))


@pytest.mark.parametrize(
    ("name", "operation", "number"),
    [
        ("threads read a shared tile", "load_shared", 0),
        ("one copy to the own CTA alone", "async_tiled_tma_load", 1),
        ("consumers leave first", "ring_release", 0),
        ("only the own arrivals expected", "async_tiled_tma_load", 0),
        ("one arrival too many", "create_ring", 0),
    ],
)
def test_the_line_of_a_fault_in_a_cluster(pair, name, operation, number):
    edited = CLUSTER_FAULTS[name][0](pair)
    line = lines_of(edited, operation)[number] + 1
    assert failure(edited).startswith(f"dump.mlir:{line}:")


@pytest.mark.parametrize("name", SQUARE_FAULTS)
def test_seeded_faults_in_a_square(square, name):
    edit, message = SQUARE_FAULTS[name]
    found = failure(edit(square))
    assert message in found
    assert found.startswith("dump.mlir:")


@pytest.mark.parametrize("name", WHOLE_FAULTS)
def test_seeded_faults_of_a_whole_store(whole, name):
    edit, message = WHOLE_FAULTS[name]
    assert message in failure(edit(whole))


def test_barriers_of_the_role_are_safe_for_parts(matmul):
    """They make warpgroups wait for each other, which is slower, but no fault."""
    verify(replaced(BARRIER, "id = 1 : i64")(matmul))


def test_the_line_is_that_of_the_operation(matmul):
    edited = stale("slot_view", 2)(matmul)
    line = lines_of(edited, "slot_view")[2] + 1
    assert failure(edited).startswith(f"dump.mlir:{line}:")


def test_a_load_on_a_stale_barrier(matmul):
    """Take the barrier of the start position: the announcement is right, the copies are not."""
    lines = matmul.splitlines()
    index = lines_of(matmul, "ring_barrier")[0]
    start = lines[lines_of(matmul, "ring_start")[0]].split("=")[0].strip()
    name = lines[index].split("=")[0].strip()
    extra = lines[index].replace(name, "%stale").replace("%arg15", start)
    lines.insert(index + 1, extra)
    first = lines_of("\n".join(lines), "async_tiled_tma_load")[0]
    lines[first] = lines[first].replace(f"{name})", "%stale)")
    assert STALE in failure("\n".join(lines))


def test_a_position_that_a_loop_does_not_carry(matmul):
    """The outer loop of the producer starts every tile at the first slot again."""
    inner = re.findall(r"(%\d+) = scf.for %arg14 ", matmul)[0]
    edited = matmul.replace(f"scf.yield {inner} :", "scf.yield %arg13 :", 1)
    assert f"scf.yield {STALE}" in failure(edited)


def test_a_ring_that_starts_again_in_a_loop(matmul):
    lines = matmul.splitlines()
    start = lines_of(matmul, "ring_start")[0]
    loop = next(i for i, line in enumerate(lines) if i > start and "scf.for %arg14" in line)
    lines.insert(loop, lines[start].replace("%17 =", "%again ="))
    lines[loop + 1] = lines[loop + 1].replace("%arg15 = %arg13", "%arg15 = %again")
    assert "starts at slot 0 in every round of a loop" in failure("\n".join(lines))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_kernel_passes(path):
    source = _source(path)
    tree = parse_source(source)
    for name in [kernel.name for kernel in kernels(tree)]:
        assert choose_kernel(tree, name, source).name == name
        compile_source(source, name, options=CompileOptions(emit="nv_tileas"))


def test_the_check_is_quick(matmul):
    module = parse_module(matmul, make_context(), "dump.mlir")
    seconds = []
    with module.context:
        for _ in range(5):
            check._cached_check.cache_clear()
            start = process_time()
            check.verify_async_protocol(module, PassContext())
            seconds.append(process_time() - start)
    assert min(seconds) < LIMIT_SECONDS
