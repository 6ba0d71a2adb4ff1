"""How threads would move the largest tiles of a kernel."""

from math import prod

from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.passes.analysis.facts.runs import run_elements
from tilec.passes.analysis.kernels import TiledAccess


def thread_vector(accesses: list[TiledAccess]) -> int:
    """Return the elements that one access of a thread moves at most, of the largest tiles."""
    return min(map(_vector, _largest(accesses)), default=1)


def thread_run(accesses: list[TiledAccess]) -> int:
    """Return the elements of a run that threads load by aligned vectors; 0 where they do not."""
    loads = (access for access in _largest(accesses) if access.is_load)
    return min((run_elements(item.op, _thread_bits(item)) for item in loads), default=0)


def _largest(accesses: list[TiledAccess]) -> list[TiledAccess]:
    """Return the accesses of the largest tiles."""
    most = max((prod(access.tile_type.shape) for access in accesses), default=0)
    return [access for access in accesses if prod(access.tile_type.shape) == most]


def _vector(access: TiledAccess) -> int:
    return max(1, _thread_bits(access) // element_bits(access.tile_type.element_type))


def _thread_bits(access: TiledAccess) -> int:
    """Return the bits that one access of a thread moves at most."""
    atoms = access.op.opview.legal_atoms
    return max((atom.vector_bits for atom in atoms if not atom.is_tma), default=0)
