"""The manifest of a package: every field is checked before anything is made of it."""

import json
from collections.abc import Mapping
from typing import Any

from tilec.codegen.artifact import Artifact, HiddenParameter, KernelImage, Workspace
from tilec.codegen.kernel_schema import HIDDEN_PARAMETER, LAUNCHED, WORKSPACE
from tilec.codegen.schema import (
    SchemaError,
    integer,
    nullable,
    one_of,
    record,
    sequence,
    table,
    text,
)
from tilec.request.prints import PRINT_BUFFER
from tilec.request.target import TARGETS
from tilec.request.wait_records import DEBUG_BUFFER

MAX_MANIFEST_BYTES = 1 << 24
"""A kernel takes about 10 KB; parsed JSON takes up to 30 times its text."""
_NAME = text(1024)
_COUNT = integer(0, 2**31 - 1)

_KERNEL = record(
    {
        "name": _NAME,
        "ptx": _NAME,
        "cubin": nullable(_NAME),
        "metadata": LAUNCHED,
        "registers": _COUNT,
        "stack_bytes": _COUNT,
        "spill_bytes": _COUNT,
    },
    {},
    closed=True,
)
_ARTIFACT = record(
    {
        "compiler": _NAME,
        "target": one_of(tuple(TARGETS)),
        "kernels": sequence(_KERNEL, 1),
        "hidden_parameters": sequence(HIDDEN_PARAMETER),
    },
    {"workspaces": sequence(WORKSPACE)},
    closed=True,
)
_DIGEST = text(64)
_HEAD = record({"format": _NAME, "version": integer(1, 2**31 - 1)}, {}, closed=False)
_BODY = record(
    {"artifacts": sequence(_ARTIFACT), "members": table(_DIGEST)},
    {"format": _NAME, "version": _COUNT},
    closed=True,
)


def parse_json(data: bytes) -> Any:
    """Return the plain values of a JSON text.

    Raises:
        SchemaError: It is none, it is nested too deeply, or it names something twice.
    """
    try:
        return json.loads(data, object_pairs_hook=_object)
    except RecursionError:
        raise SchemaError("it is nested too deeply") from None
    except SchemaError:
        raise
    except ValueError as failure:
        raise SchemaError(f"it is no JSON: {failure}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise SchemaError("it names something twice")
    return made


def check_head(manifest: Any) -> None:
    """Check the part that every version of the format has.

    Raises:
        SchemaError: A field is missing or of another type.
    """
    _HEAD(manifest, "it")


def check_body(manifest: Any) -> None:
    """Check the rest of a manifest, up to the metadata of its kernels.

    Raises:
        SchemaError: A field is missing or of another type, or names what does not exist.
    """
    _BODY(manifest, "it")
    for index, entry in enumerate(manifest["artifacts"]):
        place = f"artifacts[{index}]"
        known = {
            DEBUG_BUFFER,
            PRINT_BUFFER,
            *(item["name"] for item in entry.get("workspaces", ())),
        }
        for item in entry["hidden_parameters"]:
            if item["name"] not in known:
                raise SchemaError(f"{place} has an unknown hidden parameter '{item['name']}'")
        for item in entry["kernels"]:
            for member in (item["ptx"], item["cubin"]):
                if member is not None and member not in manifest["members"]:
                    raise SchemaError(f"{place} names a file '{member}' that it does not list")


def make_artifact(entry: Mapping[str, Any], files: Mapping[str, bytes]) -> Artifact:
    """Return the artifact of a checked entry.

    Args:
        entry: One of `artifacts`.
        files: Contents of the members.

    Raises:
        SchemaError: A PTX text is not UTF-8.
    """
    kernels = tuple(
        KernelImage(
            name=item["name"],
            ptx=_decode(files[item["ptx"]], item["ptx"]),
            cubin=files[item["cubin"]] if item["cubin"] is not None else b"",
            metadata=item["metadata"],
            registers=item["registers"],
            stack_bytes=item["stack_bytes"],
            spill_bytes=item["spill_bytes"],
        )
        for item in entry["kernels"]
    )
    return Artifact(
        kernels=kernels,
        target=entry["target"],
        workspaces=tuple(Workspace(**item) for item in entry.get("workspaces", ())),
        hidden_parameters=tuple(HiddenParameter(**item) for item in entry["hidden_parameters"]),
        compiler=entry["compiler"],
    )


def _decode(data: bytes, name: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise SchemaError(f"{name} is not UTF-8 text") from None
