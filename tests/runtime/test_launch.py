"""Launch plans on a fake driver: parameters, grid, preconditions."""

import ctypes
import struct
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import pytest

from tests.support.kernel_metadata import RECIPE, kernel_metadata
from tests.support.runtime_fakes import FakeDriver, device_view
from tilec.codegen.artifact import HiddenParameter, Workspace
from tilec.runtime.args.arguments import BoundArguments
from tilec.runtime.launch.grid import caller_grid
from tilec.runtime.launch.launcher import make_plan
from tilec.runtime.launch.workspace import WorkspacePool, WorkspaceRequest
from tilec.support.diagnostics import InternalCompilerError, LaunchError

SIZES = [8, 8, 8, 8, 4, 4, 4, 4, 128]


def bound(a=None, c=None, alpha=0.5, count=7):
    a = a or device_view((256, 128), "bf16", 1 << 20)
    c = c or device_view((256, 128), "bf16", 1 << 21)
    return BoundArguments(
        {"A": a, "C": c},
        {"alpha": alpha, "count": count},
        {"alpha": "f32", "count": "i32"},
        {},
        {},
        {"M": a.shape[0], "K": a.shape[1]},
        0,
    )


def plan_for(arguments=None, meta=None, grid=None, driver=None):
    driver = driver or FakeDriver(parameter_sizes={"mm": SIZES})
    loaded = driver.load(0, "mm", b"", "", 0)
    arguments = arguments or bound()
    return driver, make_plan(
        driver, [(meta or kernel_metadata(), loaded)], arguments, grid, ["alpha"]
    )


def pointers(arguments):
    return tuple(array.pointer for array in arguments.arrays.values())


def fails(code, **options):
    with pytest.raises(LaunchError) as caught:
        plan_for(**options)
    assert caught.value.diagnostics[0].code == code
    return str(caught.value)


def test_parameters_grid_and_stream():
    driver, plan = plan_for()
    plan.run((1 << 20, 1 << 21), (0.5, 7), 77)
    (launch,) = driver.launches
    assert launch.stream == 77
    assert launch.shape.blocks == 4
    assert launch.shape.threads == 384
    assert launch.shape.shared_bytes == 65536
    expected = struct.pack("<QqQqfiii", 1 << 20, 128, 1 << 21, 128, 0.5, 7, 256, 128)
    assert b"".join(launch.parameters[:8]) == expected
    assert launch.parameters[8][:8] == struct.pack("<Q", 1 << 20)


def test_only_addresses_and_run_time_scalars_change_between_launches():
    driver, plan = plan_for()
    plan.run((1 << 20, 1 << 21), (0.5, 7), 0)
    plan.run((1 << 22, 1 << 23), (-0.0, 7), 0)
    second = driver.launches[1].parameters
    assert second[0] == struct.pack("<Q", 1 << 22)
    assert second[2] == struct.pack("<Q", 1 << 23)
    assert second[4] == struct.pack("<f", -0.0)
    assert second[8][:8] == struct.pack("<Q", 1 << 22)
    assert len(driver.encodings) == 1


def test_an_array_without_elements_launches_nothing():
    empty = bound(device_view((0, 128), "bf16"), device_view((0, 128), "bf16", 1 << 21))
    driver, plan = plan_for(empty)
    plan.run(pointers(empty), (0.5, 7), 0)
    assert driver.launches == []
    assert plan.launches == ()


def test_strides_and_addresses_of_empty_arrays_may_be_anything():
    empty = bound(device_view((0, 128), "bf16", 12, strides=(1, 2)))
    driver, _ = plan_for(empty)
    assert driver.launches == []
    other_type = bound(device_view((0, 128), "f16"))
    assert "A has element type f16" in fails("T0706", arguments=other_type)


def test_tensor_maps_of_empty_arrays_describe_a_stand_in():
    meta = kernel_metadata(grid=["cdiv(M, 128)"], preconditions=[])
    meta["tensor_maps"] = [RECIPE, {**RECIPE, "array": "C", "load": False}]
    empty = bound(
        device_view((256, 0), "bf16", 0, (1, 1)), device_view((256, 0), "bf16", 0, (1, 1))
    )
    driver = FakeDriver(parameter_sizes={"mm": [*SIZES, 128]})
    _, plan = plan_for(empty, meta, driver=driver)
    for _ in range(2):
        plan.run(pointers(empty), (0.5, 7), 0)
    assert [item.extents for item in driver.encodings] == [(1, 1), (1, 1)]
    any_content, zeros = (
        int.from_bytes(driver.launches[1].parameters[index][:8], "little") for index in (9, 8)
    )
    assert driver.launches[0].parameters[0] == any_content.to_bytes(8, "little")
    assert ctypes.string_at(zeros, 16) == bytes(16)
    assert ctypes.string_at(any_content, 16) != bytes(16)


@pytest.mark.parametrize(
    ("a", "text"),
    [
        (device_view((256, 128), "bf16", strides=(1, 256)), "A.strides[1] is 256 elements"),
        (device_view((256, 128), "bf16", (1 << 20) + 8), "the address of A, 0x100008, is not"),
        (device_view((256, 128), "bf16", strides=(129, 1)), "A.strides[0] is 258 bytes"),
        (device_view((256, 128), "bf16", strides=(0, 1)), "A.strides[0] is 0 bytes"),
        (device_view((256, 128), "bf16", strides=(-128, 1)), "A.strides[0] is -256 bytes"),
        (device_view((256, 128), "f16"), "A has element type f16"),
    ],
)
def test_broken_preconditions_are_named(a, text):
    message = fails("T0706", arguments=bound(a))
    assert "mm: " in message
    assert text in message


def test_every_broken_precondition_is_listed():
    a = device_view((256, 128), "bf16", (1 << 20) + 2, (129, 1))
    with pytest.raises(LaunchError) as caught:
        plan_for(bound(a))
    assert len(caught.value.diagnostics) == 2


def test_an_axis_of_extent_one_matches_any_stride():
    one = bound(
        device_view((256, 1), "bf16", strides=(64, 99)),
        device_view((256, 1), "bf16", 1 << 21, (64, 3)),
    )
    plan_for(one)
    row = bound(
        device_view((1, 128), "bf16", strides=(3, 1)),
        device_view((1, 128), "bf16", 1 << 21, (0, 1)),
    )
    plan_for(row)


def test_a_read_only_array_is_not_written():
    frozen = replace(device_view((256, 128), "bf16", 1 << 21), read_only=True)
    assert "mm: C is read-only, but the kernel writes it" in fails(
        "T0702", arguments=bound(c=frozen)
    )
    plan_for(bound(replace(device_view((256, 128), "bf16"), read_only=True)))


def test_workspaces_and_hidden_parameters():
    driver = FakeDriver(parameter_sizes={"mm": [*SIZES, 8, 8]})
    loaded = driver.load(0, "mm", b"", "", 0)
    plan = make_plan(
        driver,
        [(kernel_metadata(), loaded)],
        bound(),
        None,
        ["alpha"],
        [
            Workspace("counters", "cdiv(M, BM) * 100", zeroed=True),
            Workspace("workspace", "M * K"),
        ],
        [HiddenParameter("counters"), HiddenParameter("workspace")],
    )
    for stream in (0, 0, 5):
        plan.run((1 << 20, 1 << 21), (0.5, 7), stream)
    hidden = (item.parameters[9:] for item in driver.launches)
    first, again, other = ([int.from_bytes(p, "little") for p in pair] for pair in hidden)
    assert first == again
    assert not set(first) & set(other)
    assert not any(address % 256 for address in (*first, *other))
    assert driver.cleared == [200 + 256] * 2  # once for each stream
    assert ctypes.string_at(first[0], 200) == bytes(200)
    with pytest.raises(InternalCompilerError, match="unknown hidden parameter 'clock'"):
        make_plan(
            driver,
            [(kernel_metadata(), loaded)],
            bound(),
            None,
            (),
            (),
            [HiddenParameter("clock")],
        )


def test_zeros_are_kept_apart_and_outlive_launches():
    driver = FakeDriver()
    pool = WorkspacePool(driver)
    zeros, scratch = WorkspaceRequest(0, 64, 256, True), WorkspaceRequest(0, 64, 256, False)
    counters, partials = pool.provide(zeros, 3), pool.provide(scratch, 3)
    ctypes.memset(partials, 7, 64)
    assert ctypes.string_at(counters, 64) == bytes(64)
    assert (pool.provide(zeros, 3), pool.provide(scratch, 3)) == (counters, partials)
    larger = pool.provide(replace(zeros, size=4096), 3)
    assert ctypes.string_at(larger, 4096) == bytes(4096)
    assert pool.provide(zeros, 3) == larger
    assert len(driver.memory) == 3  # the first block may be part of a captured graph


def test_counters_are_cleared_where_kernels_were_cut_short():
    pool = WorkspacePool(FakeDriver())
    zeros, scratch = WorkspaceRequest(0, 64, 256, True), WorkspaceRequest(0, 64, 256, False)
    places = [pool.provide(zeros, 3), pool.provide(zeros, 4), pool.provide(scratch, 3)]
    for place in places:
        ctypes.memset(place, 7, 64)
    pool.clear(zeros, 3)
    pool.clear(scratch, 3)
    found = [ctypes.string_at(place, 1)[0] for place in places]
    assert found == [0, 7, 7]


def test_every_capture_has_a_workspace_of_its_own():
    driver = FakeDriver()
    pool, request = WorkspacePool(driver), WorkspaceRequest(0, 64, 256, True)
    eager = pool.provide(request, 3)
    driver.captures[3] = 17
    captured = pool.provide(request, 3)
    assert pool.provide(request, 3) == captured
    driver.captures[3] = 18
    assert pool.provide(request, 3) not in (captured, eager)
    del driver.captures[3]
    assert pool.provide(request, 3) == eager


def test_threads_share_a_workspace_unless_the_stream_is_of_each_of_them():
    pool, request = WorkspacePool(FakeDriver()), WorkspaceRequest(0, 64, 256, True)

    def provided_in_threads(stream):
        together = Barrier(2)

        def provide(_):
            together.wait()
            return pool.provide(request, stream)

        with ThreadPoolExecutor(2) as threads:
            return set(threads.map(provide, range(2)))

    assert len(provided_in_threads(stream=7)) == 1
    assert len(provided_in_threads(stream=2)) == 2  # CU_STREAM_PER_THREAD


def test_splits_of_tiles_are_work_items_of_a_cooperative_launch():
    meta = kernel_metadata(persistent=True, split_k=8, cooperative_launch=True)
    driver, plan = plan_for(meta=meta)
    plan.run((1 << 20, 1 << 21), (0.5, 7), 0)
    shape = driver.launches[0].shape
    assert (shape.blocks, shape.cooperative) == (4 * 8, True)
    assert not plan_for()[1].launches[0].prepared.shape.cooperative


def test_several_kernels_are_launched_in_order():
    driver = FakeDriver()
    second = kernel_metadata(name="second", grid=["M"])
    kernels = [
        (item, driver.load(0, item["name"], b"", "", 0)) for item in (kernel_metadata(), second)
    ]
    make_plan(driver, kernels, bound()).run((1 << 20, 1 << 21), (0.5, 7), 0)
    assert [(item.name, item.shape.blocks) for item in driver.launches] == [
        ("mm", 4),
        ("second", 256),
    ]


def test_stated_preconditions():
    message = fails("T0706", meta=kernel_metadata(preconditions=["K % 96 == 0"]))
    assert "it was compiled for K % 96 == 0, but K is 128" in message
    assert "cannot be checked" in fails(
        "T0706", meta=kernel_metadata(preconditions=["the moon is full"])
    )
    plan_for(meta=kernel_metadata(preconditions=["K % 64 == 0", "BM == 128"]))


def test_divisors_of_dims_scalars_and_addresses():
    meta = kernel_metadata()
    meta["params"][5] = {"kind": "scalar", "name": "count", "dtype": "i32", "div_by": 4}
    assert "count is 7, but it was compiled for multiples of 4" in fails("T0706", meta=meta)
    meta = kernel_metadata()
    meta["params"][6] = {**meta["params"][6], "div_by": 96}
    assert "M is 256, but it was compiled for multiples of 96" in fails("T0706", meta=meta)
    meta = kernel_metadata()
    meta["params"][0] = {**meta["params"][0], "div_by": 1 << 21}
    assert "the address of A is 1048576" in fails("T0706", meta=meta)


def test_a_grid_from_the_caller():
    meta = kernel_metadata()
    del meta["grid"]
    meta["params"] = [*meta["params"], *({"kind": "grid", "axis": axis} for axis in range(3))]
    driver = FakeDriver(parameter_sizes={"mm": [8, 8, 8, 8, 4, 4, 4, 4, 4, 4, 4]})
    driver, plan = plan_for(meta=meta, grid=(5, 3), driver=driver)
    plan.run((1 << 20, 1 << 21), (0.5, 7), 0)
    assert driver.launches[0].shape.blocks == 15
    assert b"".join(driver.launches[0].parameters[8:]) == struct.pack("<iii", 5, 3, 1)
    assert plan_for(meta=meta, grid=(5, 0))[1].launches == ()
    assert "no grid of its own" in fails("T0707", meta=meta)
    assert "65536x65536 has 4294967296 blocks" in fails("T0707", meta=meta, grid=(65536, 65536))


def test_a_grid_that_the_kernel_computes():
    assert "computes its own grid" in fails("T0707", grid=(1,))
    assert "cannot compute the grid extent 'cdiv(M, Q)'" in fails(
        "T0707", meta=kernel_metadata(grid=["cdiv(M, Q)"])
    )
    assert "the grid extent 'M - 300' is -44" in fails(
        "T0707", meta=kernel_metadata(grid=["M - 300"])
    )
    for text, value in (("1e400", "inf"), ("1e400 - 1e400", "nan"), ("1.5", "1.5")):
        assert f"is {value}" in fails("T0707", meta=kernel_metadata(grid=[text]))
    assert plan_for(meta=kernel_metadata(grid=["M - 256"]))[1].launches == ()


@pytest.mark.parametrize(
    ("grid", "text"),
    [
        ((), "0 extents"),
        ((1, 2, 3, 4), "4 extents"),
        ("big", "not made of integers"),
        (1.5, "not made of integers"),
        (-1, "outside of 0 to 2^31 - 1"),
    ],
)
def test_bad_caller_grids(grid, text):
    with pytest.raises(LaunchError) as caught:
        caller_grid(grid, "mm")
    assert text in str(caught.value)


def test_blocks_must_fill_clusters():
    driver, plan = plan_for(meta=kernel_metadata(cluster=[2, 1, 1]))
    plan.run((1 << 20, 1 << 21), (0.5, 7), 0)
    assert driver.launches[0].shape.cluster == (2, 1, 1)
    assert "do not fill clusters of 3" in fails("T0707", meta=kernel_metadata(cluster=[3, 1, 1]))


def test_the_grid_is_rounded_up_to_whole_clusters():
    """The grid of 2 x 2 tiles becomes 4 x 2; the extents that the kernel sees stay."""
    meta = kernel_metadata(cluster=[4, 1, 1], cluster_tiles=[4, 1], dependent_launch=True)
    meta["params"].append({"kind": "grid", "axis": 0})
    driver = FakeDriver(parameter_sizes={"mm": [*SIZES[:8], 4, 128]})
    driver, plan = plan_for(meta=meta, driver=driver)
    plan.run((1 << 20, 1 << 21), (0.5, 7), 0)
    (launch,) = driver.launches
    assert (launch.shape.blocks, launch.shape.cluster) == (8, (4, 1, 1))
    assert launch.shape.dependent
    assert launch.parameters[8] == struct.pack("<i", 2)


def test_tensor_maps_are_checked():
    meta = kernel_metadata(
        arrays=[{**item, "alignment": 1} for item in kernel_metadata()["arrays"]]
    )
    meta["params"][1] = {"kind": "stride", "array": "A", "axis": 0}
    message = fails(
        "T0713", meta=meta, arguments=bound(device_view((256, 128), "bf16", strides=(129, 1)))
    )
    assert "mm: A cannot be described to TMA: axis 0 has a stride of 258 bytes" in message
