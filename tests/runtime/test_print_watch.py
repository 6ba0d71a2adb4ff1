"""What the launcher makes of the records of prints."""

import struct
from typing import Any, cast

import numpy as np

from tilec.request.prints import CAPACITY, HEADER_BYTES, RECORD_BYTES
from tilec.runtime.launch.print_watch import PrintWatch, text_of

METADATA = {
    "grid": ["M", "N"],
    "prints": [
        {"template": "x = {0:.1f}", "dtype": "f16", "shape": [2], "starts": True},
        {"template": " end\n", "dtype": "", "shape": [], "starts": False},
    ],
}


def record(number, sequence, block, element=0, value=0.0):
    bits = int(np.float16(value).view(np.uint16))
    return struct.pack("<6IQ", number, sequence, *block, 0, element, bits)


def test_texts_come_in_the_order_of_blocks_and_statements():
    records = [
        record(1, 1, (0, 1)),
        record(0, 0, (1, 0), 1, 2.5),
        record(0, 0, (0, 1), 0, -1),
        record(0, 0, (1, 0), 0, 1.5),
        record(0, 0, (0, 1), 1, 4),
        record(1, 1, (1, 0)),
        record(0, 0, (0, 1), 1, 4),
    ]
    expected = "[block 1, 0] x = [1.5, 2.5] end\n[block 0, 1] x = [-1.0, 4.0] end\n"
    assert text_of(METADATA, b"".join(records)) == expected
    assert text_of(METADATA, b"") == ""


class Memory:
    """A device whose memory is a buffer: the kernel asked for more records than there is room."""

    def __init__(self):
        self.content = struct.pack("<I", CAPACITY + 3).ljust(HEADER_BYTES, b"\0")
        self.content += record(1, 0, (0, 0)) * CAPACITY

    def allocate(self, device, size):
        assert size == len(self.content) == HEADER_BYTES + CAPACITY * RECORD_BYTES
        return 4096

    def fill(self, device, address, value, size, stream):
        assert (address, value, size) == (4096, 0, HEADER_BYTES)

    def synchronize(self, device):
        pass

    def download(self, device, target, address, size):
        import ctypes

        start = address - 4096
        ctypes.memmove(target, self.content[start : start + size], size)

    def free(self, device, address):
        assert address == 4096


def test_values_without_room_are_counted(capsys):
    with PrintWatch(cast("Any", Memory()), 0, (METADATA,)).records(0) as buffers:
        assert buffers == (4096,)
    expected = " end\n[3 values more than there is room for were not printed]\n"
    assert capsys.readouterr().out == expected
