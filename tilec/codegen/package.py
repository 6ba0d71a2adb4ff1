"""Artifacts as one file: a zip archive with a manifest, PTX texts and cubins.

`manifest.json` names every other member with its SHA-256, so that a damaged file is recognised
before anything of it reaches a driver. Neither MLIR nor LLVM is needed to load a package.
"""

import hashlib
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tilec.codegen.archive import MAX_ARCHIVE_BYTES, Archive
from tilec.codegen.artifact import Artifact
from tilec.codegen.manifest import (
    MAX_MANIFEST_BYTES,
    check_body,
    check_head,
    make_artifact,
    parse_json,
)
from tilec.codegen.schema import SchemaError
from tilec.support.diagnostics import CompileError, error
from tilec.support.file_io import read_limited, write_atomic

FORMAT = "tilec-package"
FORMAT_VERSION = 3
"""Raised when an older tilec would misunderstand the file."""
_MANIFEST = "manifest.json"
_TIMESTAMP = (1980, 1, 1, 0, 0, 0)
"""The same for all, so that equal artifacts make equal files."""
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
)
"""What zipfile raises for archives that are not whole, or not ours."""


def save_package(artifacts: Artifact | Sequence[Artifact], path: Path | str) -> None:
    """Write artifacts to the package file `path`, all of it or nothing.

    Raises:
        CompileError: T0004 if the file cannot be written.
    """
    try:
        write_atomic(Path(path), package_bytes(artifacts))
    except OSError as failure:
        reason = failure.strerror or str(failure)
        raise CompileError(error("T0004", f"cannot write '{path}': {reason}")) from failure


def package_bytes(artifacts: Artifact | Sequence[Artifact]) -> bytes:
    """Return the contents of a package file."""
    listed = [artifacts] if isinstance(artifacts, Artifact) else list(artifacts)
    members: dict[str, bytes] = {}
    described = [_describe(artifact, index, members) for index, artifact in enumerate(listed)]
    manifest = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "artifacts": described,
        "members": {name: hashlib.sha256(data).hexdigest() for name, data in members.items()},
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        text = json.dumps(manifest, indent=1, sort_keys=True)
        for name, data in {_MANIFEST: text.encode(), **members}.items():
            archive.writestr(zipfile.ZipInfo(name, _TIMESTAMP), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _describe(artifact: Artifact, index: int, members: dict[str, bytes]) -> dict[str, Any]:
    """Return the manifest entry of one artifact; its files go into `members`."""
    kernels = []
    for position, image in enumerate(artifact.kernels):
        stem = f"{index}.{position}.{image.name}"
        members[f"{stem}.ptx"] = image.ptx.encode()
        if image.cubin:
            members[f"{stem}.cubin"] = image.cubin
        kernels.append(
            {
                "name": image.name,
                "ptx": f"{stem}.ptx",
                "cubin": f"{stem}.cubin" if image.cubin else None,
                "metadata": dict(image.metadata),
                "registers": image.registers,
                "stack_bytes": image.stack_bytes,
                "spill_bytes": image.spill_bytes,
            }
        )
    return {
        "compiler": artifact.compiler,
        "target": artifact.target,
        "kernels": kernels,
        "workspaces": [asdict(item) for item in artifact.workspaces],
        "hidden_parameters": [asdict(item) for item in artifact.hidden_parameters],
    }


def load_package(path: Path | str) -> tuple[Artifact, ...]:
    """Read a package file.

    Returns:
        Its artifacts, in the order in which they were saved.

    Raises:
        CompileError: T0002 if the file cannot be read, T0715 if it is not a package or is
            damaged, T0718 if a newer tilec made it.
    """
    try:
        data = read_limited(Path(path), MAX_ARCHIVE_BYTES)
    except OSError as failure:
        reason = failure.strerror or str(failure)
        raise CompileError(error("T0002", f"cannot read '{path}': {reason}")) from failure
    return parse_package(data, str(path))


def parse_package(data: bytes, name: str = "package") -> tuple[Artifact, ...]:
    """Read the contents of a package file.

    Args:
        data: What `package_bytes` returned.
        name: How to call it in errors.

    Raises:
        CompileError: As for `load_package`.
    """
    try:
        archive = Archive(data)
        manifest = parse_json(archive.read(_MANIFEST, MAX_MANIFEST_BYTES))
        _check_format(manifest, name)
        files = {item: archive.read(item) for item in manifest["members"]}
        for item, digest in manifest["members"].items():
            if hashlib.sha256(files[item]).hexdigest() != digest:
                raise _damaged(name, f"the checksum of {item} does not match")
        return tuple(make_artifact(entry, files) for entry in manifest["artifacts"])
    except SchemaError as failure:
        raise _damaged(name, f"its manifest is not right: {failure}") from failure
    except _DAMAGE as failure:
        raise _damaged(name, _sentence(failure)) from failure


def _check_format(manifest: Any, name: str) -> None:
    check_head(manifest)
    if manifest["format"] != FORMAT:
        raise _damaged(name, f"its format is '{manifest['format']}'")
    version = manifest["version"]
    if version > FORMAT_VERSION:
        message = f"'{name}' has package format {version}; this tilec reads up to {FORMAT_VERSION}"
        raise CompileError(error("T0718", message, hint="use a newer tilec"))
    check_body(manifest)


def _sentence(failure: Exception) -> str:
    text = str(failure).strip().rstrip(".")
    return text[:1].lower() + text[1:] if text else "the archive is not whole"


def _damaged(name: str, reason: str) -> CompileError:
    message = f"'{name}' is not a tilec package, or it is damaged: {reason}"
    return CompileError(error("T0715", message, hint="make it again with --emit package"))
