"""What a variant assumes about its arguments, checked before a launch."""

import pytest

from tests.support.kernel_metadata import kernel_metadata
from tests.support.runtime_fakes import device_view
from tilec.runtime.args.arguments import BoundArguments
from tilec.runtime.args.preconditions import broken_preconditions


def with_alignment(**facts):
    """Return the metadata of a kernel some of whose facts about A are others."""
    meta = kernel_metadata(tensor_maps=[])
    plain = [item for item in meta["params"] if item["kind"] in ("dim", "scalar")]
    declared = [
        {key: value for key, value in item.items() if key != "alignment"} | facts
        for item in meta["arrays"]
    ]
    return meta | {"arrays": declared, "params": plain}


@pytest.mark.parametrize(
    ("facts", "pointer", "strides", "text"),
    [
        ({"alignment": 8}, (1 << 20) + 8, (132, 1), None),
        ({"alignment": 8}, (1 << 20) + 24, (-132, 1), None),
        ({"alignment": 8}, 1 << 20, (0, 1), None),
        ({"alignment": 4}, (1 << 20) + 4, (130, 1), None),
        ({"alignment": 1}, (1 << 20) + 2, (129, 1), None),
        ({}, (1 << 20) + 2, (129, 1), None),
        ({"aligned": False}, (1 << 20) + 2, (129, 1), None),
        ({"alignment": 8}, (1 << 20) + 4, (132, 1), "0x100004, is not a multiple of 8"),
        (
            {"alignment": 8},
            1 << 20,
            (130, 1),
            "is 260 bytes, but it was compiled for multiples of 8",
        ),
        (
            {"alignment": 4},
            1 << 20,
            (129, 1),
            "is 258 bytes, but it was compiled for multiples of 4",
        ),
        ({"alignment": 16}, 1 << 20, (132, 1), "264 bytes, but it was compiled for positive mult"),
        ({"alignment": 16}, 1 << 20, (-128, 1), "-256 bytes, but it was compiled for positive"),
        ({"aligned": True}, 1 << 20, (132, 1), "264 bytes, but it was compiled for positive mult"),
    ],
)
def test_alignments(facts, pointer, strides, text):
    """Packages of format 2 have `aligned`, for 16 bytes."""
    arrays = {name: device_view((256, 128), "bf16", 1 << 21) for name in ("A", "C")}
    arrays["A"] = device_view((256, 128), "bf16", pointer, strides)
    arguments = BoundArguments(arrays, {}, {}, {}, {}, {"M": 256, "K": 128}, 0)
    meta = with_alignment(**facts)
    found = [item for item in broken_preconditions(meta, arguments) if "A" in item]
    assert (found == []) if text is None else (text in found[0])
