"""Random damage to packages: their manifests, their archives, and the files that they lie in."""

import io
import json
import os
import random
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MANIFEST = "manifest.json"
_DEEP = 100_000
_VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2**31,
    2**70,
    -(2**70),
    1.5,
    float("nan"),
    float("inf"),
    "",
    "A",
    "absent",
    "M * 4",
    "x" * 100_000,
    "\ud800",
    [],
    {},
    [[]],
    [0],
    [1, 1, 1],
    {"name": "A"},
    [[["A", 0]]],
]


def members_of(data: bytes) -> dict[str, bytes]:
    """Return the members of an archive."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def archive_of(members: list[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return an archive of members, which may have the same name."""
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w", method) as archive:
        warnings.simplefilter("ignore")
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return buffer.getvalue()


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every container and key or index in a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield value, key
        if isinstance(inner, dict | list):
            yield from places(inner)


def damaged_manifest(text: bytes, chance: random.Random) -> bytes:
    """Return a manifest with one to three changes; most of it stays JSON."""
    if chance.random() < 0.05:
        return b"[" * _DEEP
    if chance.random() < 0.05:
        return text.replace(b'"kernels"', b'"kernels": [], "kernels"', 1)
    manifest = json.loads(text)
    for _ in range(chance.randint(1, 3)):
        found = list(places(manifest))
        if not found:
            break
        container, key = chance.choice(found)
        kind = chance.random()
        if kind < 0.2:
            del container[key]
        elif kind < 0.3 and isinstance(container, list):
            container.append(container[key])
        elif kind < 0.4:
            container[key] = [container[key]]
        elif kind < 0.5 and isinstance(container, dict):
            container[chance.choice(["name", "rank", "zzz", "axis"])] = chance.choice(_VALUES)
        else:
            container[key] = chance.choice(_VALUES)
    made = json.dumps(manifest)
    if chance.random() < 0.03:
        made = made.replace("64", "6" * 10_000, 1)
    return made.encode("utf-8", "surrogatepass")


def damaged_archive(data: bytes, chance: random.Random) -> bytes:
    """Return the bytes of a package with its archive damaged, or with another manifest in it."""
    members = members_of(data)
    kind = chance.randrange(10)
    if kind < 6:
        members[MANIFEST] = damaged_manifest(members[MANIFEST], chance)
        return archive_of(list(members.items()))
    if kind == 6:
        return data[: chance.randrange(len(data))]
    if kind == 7:
        changed = bytearray(data)
        for _ in range(chance.randint(1, 8)):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        return bytes(changed)
    listed = list(members.items())
    if kind == 8:
        listed.append(chance.choice(listed))
    else:
        listed.remove(chance.choice(listed))
    methods = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    return archive_of(listed, chance.choice(methods))


def replace_file(path: Path, kind: str) -> None:
    """Put something else in the place of a file: one of `KINDS`."""
    data = path.read_bytes()
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "forbidden":
        path.write_bytes(data)
        path.chmod(0)
    elif kind == "huge":
        with path.open("wb") as stream:
            stream.truncate(1 << 40)
    else:
        path.symlink_to(LINKS.get(kind, path.name))


LINKS = {"endless": "/dev/zero", "dangling": "absent"}
KINDS = ["folder", "pipe", "forbidden", "huge", "circle", *LINKS]
