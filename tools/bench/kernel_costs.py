"""What every kernel of the repository costs before it runs: layouts, accesses, compile time.

`python -m tools.bench.kernel_costs -o after.json [--against before.json] [FILE ...]` compiles the
kernels of the examples and of the tests for their usual sizes, one after the other in a process. It
needs no GPU. With another report it prints what differs, in a table.

The report is an object with an entry for each kernel (FILE/KERNEL):

- `conversions`: kind -> what the changes of layout move, in bytes of tiles times the rounds of
  their loops (8 each). Kinds: `shuffles`, `shared` (the scratch area), and other operations that
  use the scratch area, with the bytes that they write there. `barriers` is counted in the same way.
- `accesses`: instruction and bytes of a lane -> how often it is in the PTX.
- `shared_bytes`, `registers`, `spilled_bytes`, `seconds` (of the processor, without ptxas),
  `assembler_seconds`, and `ptx`, a checksum.
"""

import argparse
import json
import re
import statistics
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from time import process_time
from typing import Any

from tilec.compiler.driver import compile_source
from tilec.frontend.semantics.signature import signature
from tilec.frontend.syntax.parser import find_kernel, kernels, parse_source
from tilec.request.specialization import Specialization
from tilec.support.file_io import write_atomic
from tilec.support.sources import read_source_file
from tilec.testing.check import load_example

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("examples", "tests/kernels")
ROUNDS = 8
"""Rounds that a loop is taken to have."""
_ACCESS = re.compile(
    r"\b(?P<what>(?:ld|st|atom|red)\.(?:\w+\.)*?(?:global|shared)|stmatrix|ldmatrix|shfl|bar)"
    r"(?P<rest>[.\w:]*)"
)
_VECTOR, _WIDTH = re.compile(r"\.v(\d)"), re.compile(r"\.[bfusx](8|16|32|64|128)(?:x\d)?\b")
_MATRICES = re.compile(r"\.x([124])\b")
_NOT_COMPARED = ("seconds", "assembler_seconds", "ptx")
"""Entries that are not costs of a kernel, or differ from run to run."""

Entry = dict[str, Any]


def main(words: Sequence[str] | None = None) -> int:
    """Compile kernels, write the report, print what differs."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.kernel_costs", description=__doc__)
    parser.add_argument("-o", "--output", type=Path, help="where to write the report (JSON)")
    parser.add_argument("--against", type=Path, help="a report to compare with")
    parser.add_argument("files", nargs="*", type=Path, help="kernels (all)")
    options = parser.parse_args(words)
    wanted = named_kernels(options.files)
    found = {f"{path.stem}/{name}": measure(path, name) for path, name in wanted}
    if options.output is not None:
        write_atomic(options.output, json.dumps(found, indent=1, sort_keys=True).encode())
    if options.against is not None:
        print(differences(json.loads(options.against.read_text()), found))
    seconds = [entry["seconds"] + entry["assembler_seconds"] for entry in found.values()]
    middle = statistics.median(seconds)
    print(f"{len(found)} kernels, {middle:.2f} s median, {max(seconds):.2f} s most")
    return 0


def named_kernels(files: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Yield file and name of each kernel; of all files without any."""
    every = (path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.tile")))
    for path in files or every:
        for kernel in kernels(parse_source(read_source_file(path))):
            yield path, kernel.name


def measure(path: Path, name: str) -> Entry:
    """Compile a kernel and return its entry."""
    source = read_source_file(path)
    tree = parse_source(source)
    example = load_example(path)
    extents = signature(find_kernel(tree, name), tree).fixed_extents() if example else ()
    constants = {extent: example.sizes[extent] for extent in extents} if example else {}
    started = process_time()
    made = compile_source(source, name, Specialization(constants=constants))
    seconds = process_time() - started
    assembly, ptx = made.assembly, made.texts["ptx"]
    return {
        **layout_costs(made.snapshots["nv_tileas"]),
        "accesses": dict(sorted(accesses(ptx).items())),
        "shared_bytes": made.artifact.kernels[0].metadata["shared_bytes"],
        "registers": assembly.registers,
        "spilled_bytes": assembly.spill_stores + assembly.spill_loads,
        "seconds": round(seconds, 2),
        "assembler_seconds": round(
            sum(item.seconds for item in made.timings if item.step == "ptxas"), 2
        ),
        "ptx": zlib.crc32("\n".join(ptx.splitlines()[1:]).encode()),
    }


def layout_costs(module: Any) -> Entry:
    """Return what the changes of layout of a kernel at the end of nv_tileas move."""
    from tilec.dialects.nv_tileas.tma_ops import box_bytes
    from tilec.ir.structured import enclosing_loops
    from tilec.passes.analysis.kernels import kernel_functions, kernel_operations
    from tilec.passes.analysis.scratch_areas import (
        barrier_count,
        scratch_bytes,
        uses_scratch,
    )

    kinds: Counter[str] = Counter()
    barriers = 0
    for op in (op for item in kernel_functions(module) for op in kernel_operations(item)):
        rounds = ROUNDS ** len(enclosing_loops(op))
        barriers += rounds * barrier_count(op)
        if op.name == "nv_tileas.convert_layout":
            tile = op.results[0].type
            kind = "shared" if uses_scratch(op) else "shuffles"
            kinds[kind] += rounds * box_bytes(tile.shape, tile.element_type)
        elif uses_scratch(op):
            kinds[op.name.rpartition(".")[2]] += rounds * scratch_bytes(op)
    return {"conversions": dict(sorted(kinds.items())), "barriers": barriers}


def accesses(ptx: str) -> Counter[str]:
    """Return how often each kind of access is in the text of a kernel."""
    found: Counter[str] = Counter()
    for line in ptx.splitlines():
        for match in _ACCESS.finditer(line.split("//")[0]):
            what, rest = match["what"], match["rest"]
            what = what.replace(".relaxed", "").replace(".volatile", "").replace(".gpu", "")
            if what in ("shfl", "bar"):
                found[what] += 1
            elif matrices := _MATRICES.search(rest) if what.endswith("matrix") else None:
                found[f"{what} {4 * int(matrices[1])} B"] += 1
            elif width := _WIDTH.search(rest):
                vector = _VECTOR.search(rest)
                found[f"{what} {(int(vector[1]) if vector else 1) * int(width[1]) // 8} B"] += 1
    return found


def differences(before: dict[str, Entry], after: dict[str, Entry]) -> str:
    """Return a table of the kernels that cost something else than before."""
    rows = ["| kernel | what | before | after |", "|---|---|---|---|"]
    for name in sorted(set(before) & set(after)):
        old, new = _flat(before[name]), _flat(after[name])
        changed = [key for key in sorted({*old, *new}) if old.get(key, 0) != new.get(key, 0)]
        if not changed and before[name]["ptx"] != after[name]["ptx"]:
            rows.append(f"| {name} | order of instructions | | |")
        rows += [f"| {name} | {key} | {old.get(key, 0)} | {new.get(key, 0)} |" for key in changed]
    same = sum(before[name]["ptx"] == after[name]["ptx"] for name in set(before) & set(after))
    return "\n".join([*rows, f"{same} kernels have the same PTX"])


def _flat(entry: Entry) -> dict[str, int]:
    flat: dict[str, int] = {}
    for key, value in entry.items():
        if isinstance(value, dict):
            flat.update(_prefixed(key, value.items()))
        elif key not in _NOT_COMPARED:
            flat[key] = value
    return flat


def _prefixed(key: str, items: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    return ((f"{key}: {name}", value) for name, value in items)


if __name__ == "__main__":
    sys.exit(main())
