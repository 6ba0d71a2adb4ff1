"""Artifacts as one file: a zip archive with a manifest, PTX texts and cubins.

`manifest.json` names every other member with its SHA-256, so that a damaged file is recognised
before anything of it reaches a driver. Neither MLIR nor LLVM is needed to load a package.
"""

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tilec.codegen.artifact import Artifact, HiddenParameter, KernelImage, Workspace
from tilec.diagnostics import CompileError, error
from tilec.fileio import write_atomic

FORMAT = "tilec-package"
FORMAT_VERSION = 2
"""Raised when an older tilec would misunderstand the file."""
SUFFIX = ".tilepkg"
_MANIFEST = "manifest.json"
_TIMESTAMP = (1980, 1, 1, 0, 0, 0)
"""The same for all, so that equal artifacts make equal files."""
_MAX_MEMBER_BYTES = 1 << 30
"""Nobody's kernel is that large; a larger member is damage, or an attack on memory."""
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
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
        data = Path(path).read_bytes()
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
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            manifest = json.loads(_read(archive, _MANIFEST))
            _check_format(manifest, name)
            files = {item: _read(archive, item) for item in manifest["members"]}
        for item, digest in manifest["members"].items():
            if hashlib.sha256(files[item]).hexdigest() != digest:
                raise _damaged(name, f"the checksum of {item} does not match")
        return tuple(_artifact(entry, files) for entry in manifest["artifacts"])
    except _DAMAGE as failure:
        raise _damaged(name, _sentence(failure)) from failure
    except (KeyError, TypeError, ValueError, AttributeError) as failure:
        raise _damaged(name, "its manifest is not complete") from failure


def _read(archive: zipfile.ZipFile, member: str) -> bytes:
    size = archive.getinfo(member).file_size
    if size > _MAX_MEMBER_BYTES:
        raise zipfile.BadZipFile(f"{member} claims to have {size} bytes")
    return archive.read(member)


def _check_format(manifest: Mapping[str, Any], name: str) -> None:
    if manifest["format"] != FORMAT:
        raise _damaged(name, f"its format is '{manifest['format']}'")
    version = manifest["version"]
    if version > FORMAT_VERSION:
        message = f"'{name}' has package format {version}; this tilec reads up to {FORMAT_VERSION}"
        raise CompileError(error("T0718", message, hint="use a newer tilec"))


def _artifact(entry: Mapping[str, Any], files: Mapping[str, bytes]) -> Artifact:
    kernels = tuple(
        KernelImage(
            name=item["name"],
            ptx=files[item["ptx"]].decode(),
            cubin=files[item["cubin"]] if item["cubin"] is not None else b"",
            metadata=dict(item["metadata"]),
            registers=int(item["registers"]),
            stack_bytes=int(item["stack_bytes"]),
            spill_bytes=int(item["spill_bytes"]),
        )
        for item in entry["kernels"]
    )
    if not kernels:
        raise ValueError("an artifact without kernels")
    return Artifact(
        kernels=kernels,
        target=str(entry["target"]),
        workspaces=tuple(Workspace(**item) for item in entry.get("workspaces", ())),
        hidden_parameters=tuple(HiddenParameter(**item) for item in entry["hidden_parameters"]),
        compiler=str(entry["compiler"]),
    )


def _sentence(failure: Exception) -> str:
    text = str(failure).strip().rstrip(".")
    return text[:1].lower() + text[1:] if text else "the archive is not whole"


def _damaged(name: str, reason: str) -> CompileError:
    message = f"'{name}' is not a tilec package, or it is damaged: {reason}"
    return CompileError(error("T0715", message, hint="make it again with --emit package"))
