"""The extension that launches calls which were seen before, with tensors and a driver of ctypes."""

import ctypes
import threading

import pytest

from tests.support.exchanged_tensors import Context, Tensor, TensorChild, addresses, launches

repeated_calls = pytest.importorskip("tilec.runtime.launch.repeated_calls", reason="not built")
OWNERS = object()
FUNCTION, CONFIGURATION, PARAMETERS = 0x1000, 0x2000, 0x3000


@pytest.fixture
def calls():
    launches.clear()
    Context.stream, Context.current, Context.status = 0, 0x77, 0
    return repeated_calls.RepeatedCalls((Tensor,), *addresses())


def record(calls, *arguments, grid=None, stream=0, context=0x77):
    pointers = tuple(item.pointer for item in arguments if type(item) is Tensor)
    handles = (FUNCTION, CONFIGURATION, PARAMETERS)
    calls.record(arguments, grid, stream, context, *handles, pointers, OWNERS)


def test_an_equal_call_is_launched(calls):
    record(calls, Tensor(0x100), Tensor(0x200), 3, 2.5)
    assert calls.launch((Tensor(0x100), Tensor(0x200), 3, 2.5), None)
    assert launches == [(CONFIGURATION, FUNCTION, PARAMETERS)]


DIFFERENT = {
    "pointer": (Tensor(0x100), Tensor(0x240), 3, 2.5),
    "extent": (Tensor(0x100, shape=(4, 9)), Tensor(0x200), 3, 2.5),
    "stride": (Tensor(0x100, strides=(1, 4)), Tensor(0x200), 3, 2.5),
    "rank": (Tensor(0x100, shape=(4,), strides=(1,)), Tensor(0x200), 3, 2.5),
    "element type": (Tensor(0x100, dtype=(0, 32, 1)), Tensor(0x200), 3, 2.5),
    "element width": (Tensor(0x100, dtype=(2, 16, 1)), Tensor(0x200), 3, 2.5),
    "device": (Tensor(0x100, device=1), Tensor(0x200, device=1), 3, 2.5),
    "two devices": (Tensor(0x100), Tensor(0x200, device=1), 3, 2.5),
    "a tensor of the host": (Tensor(0x100, kind=1), Tensor(0x200), 3, 2.5),
    "negative elements": (Tensor(0x100, negative=True), Tensor(0x200), 3, 2.5),
    "a tensor that cannot be read": (Tensor(0x100, broken=True), Tensor(0x200), 3, 2.5),
    "a subclass": (TensorChild(0x100), Tensor(0x200), 3, 2.5),
    "an integer": (Tensor(0x100), Tensor(0x200), 4, 2.5),
    "a float": (Tensor(0x100), Tensor(0x200), 3, 2.25),
    "type of an integer": (Tensor(0x100), Tensor(0x200), 3.0, 2.5),
    "a bool": (Tensor(0x100), Tensor(0x200), True, 2.5),
    "fewer arguments": (Tensor(0x100), Tensor(0x200), 3),
    "more arguments": (Tensor(0x100), Tensor(0x200), 3, 2.5, 1),
    "no tensor": (1, 2, 3, 2.5),
}


@pytest.mark.parametrize("arguments", DIFFERENT.values(), ids=DIFFERENT)
def test_any_difference_takes_the_usual_way(calls, arguments):
    record(calls, Tensor(0x100), Tensor(0x200), 3, 2.5)
    assert not calls.launch(arguments, None)
    assert launches == []


@pytest.mark.parametrize(("noted", "given"), [(0.0, -0.0), (1, True), (float("nan"), 1.0)])
def test_scalars_are_compared_bit_by_bit(calls, noted, given):
    record(calls, Tensor(0x100), noted)
    assert not calls.launch((Tensor(0x100), given), None)
    assert calls.launch((Tensor(0x100), noted), None)


def test_equal_bits_of_another_object_are_the_same_scalar(calls):
    record(calls, Tensor(0x100), 2.5, 10**12, "f32")
    assert calls.launch((Tensor(0x100), float("2.5"), int("1000000000000"), "".join("f32")), None)


def test_grids_are_compared(calls):
    record(calls, Tensor(0x100), grid=(4, 2))
    assert calls.launch((Tensor(0x100),), (4, 2))
    assert not calls.launch((Tensor(0x100),), (2, 4))
    assert not calls.launch((Tensor(0x100),), None)


def test_the_current_stream_and_context_are_those_of_the_call(calls):
    record(calls, Tensor(0x100), stream=0x9)
    assert not calls.launch((Tensor(0x100),), None)
    Context.stream = 0x9
    assert calls.launch((Tensor(0x100),), None)
    Context.current = 0x78
    assert not calls.launch((Tensor(0x100),), None)


def test_calls_on_two_streams_are_kept_apart(calls):
    record(calls, Tensor(0x100), stream=0x9)
    record(calls, Tensor(0x100), stream=0x8)
    for Context.stream in (0x8, 0x9, 0x8):
        assert calls.launch((Tensor(0x100),), None)
    assert len(calls) == 2


def test_what_the_driver_refuses_takes_the_usual_way(calls):
    record(calls, Tensor(0x100))
    Context.status = 700
    assert not calls.launch((Tensor(0x100),), None)


def test_a_tensor_that_moved_meanwhile_is_not_recorded(calls):
    calls.record((Tensor(0x100),), None, 0, 0x77, 1, 2, 3, (0x140,), OWNERS)
    assert len(calls) == 0


def test_the_table_is_bounded(calls):
    for number in range(3000):
        record(calls, Tensor(64 * (number + 1)))
        assert len(calls) <= 1024
    assert calls.launch((Tensor(64 * 3000),), None)


def test_byte_offsets_count(calls):
    record(calls, Tensor(0x100))
    assert calls.launch((Tensor(0xC0, byte_offset=0x40, pointer=0x100),), None)


def test_many_arguments_take_the_usual_way(calls):
    arguments = tuple(Tensor(0x100 * number) for number in range(1, 18))
    record(calls, *arguments)
    assert not calls.launch(arguments, None)


def test_threads_share_the_table(calls):
    pairs = [(Tensor(0x100 * number), Tensor(0x10000 * number)) for number in range(1, 9)]
    found = []

    def work(first):
        for number in range(400):
            pair = pairs[(first + number) % len(pairs)]
            if not calls.launch(pair, None):
                record(calls, *pair)
        found.append(first)

    threads = [threading.Thread(target=work, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(calls.launch(pair, None) for pair in pairs)


def test_another_version_of_the_exchange_api_is_refused():
    class Newer:
        __dlpack_c_exchange_api__ = Tensor.make_capsule(major=2)

    with pytest.raises(ValueError, match="not version 1"):
        repeated_calls.RepeatedCalls((Newer,), *addresses())
    with pytest.raises(AttributeError):
        repeated_calls.RepeatedCalls((ctypes.c_int,), *addresses())
