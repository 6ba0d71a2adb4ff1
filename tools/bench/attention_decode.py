"""Contenders that compute attention of one new query for each sequence, which memory bounds."""

import importlib
import math
from typing import Any

from tools.bench.attention_cases import AttentionCase
from tools.bench.attention_contenders import Contender, Operands, Pairs, detail_of, load_kernel
from tools.bench.measure import operand_sets
from tools.bench.variants import Variant

MAX_PARTS = 64
"""Most parts of a sequence."""
ADDED = 128
"""Most rows that the last block adds up in a round: registers hold them."""
FULL = 0.95
"""Part of the SMs that have a block in the last wave, at least, if that is possible."""


def make_operands(torch: Any, case: AttentionCase) -> Operands:
    """Return normally distributed operands: a query of each sequence, keys and values."""

    def tensor(length: int, heads: int) -> Any:
        shape = (case.batch, length, heads, case.depth)
        return torch.randn(shape, device="cuda", dtype=torch.bfloat16)

    def one() -> tuple[Any, ...]:
        few = case.shared_heads
        return tensor(1, case.heads), tensor(case.length, few), tensor(case.length, few)

    sets = [one() for _ in range(operand_sets(case.operand_bytes))]
    scale = case.depth**-0.5

    def pairs(result: Any) -> Pairs:
        yield result[-1].float().reshape(case.heads, case.depth), reference(torch, sets[0], scale)

    return Operands(sets, scale, pairs)


def reference(torch: Any, tensors: tuple[Any, ...], scale: float) -> Any:
    """Return the f32 result of the last sequence: heads x depth."""
    torch.backends.cuda.matmul.allow_tf32 = False
    q, k, v = (item[-1].float() for item in tensors)
    q = q[0].unflatten(0, (k.shape[1], -1))
    weights = (scale * torch.einsum("ghd,tgd->ght", q, k)).softmax(dim=-1)
    return torch.einsum("ght,tgd->ghd", weights, v).flatten(0, 1)


def choose_parts(tiles: int, blocks: int, places: int) -> int:
    """Return in how many parts to cut the keys: the fewest that keep all SMs busy.

    A second CTA would fit on each. But its place lets the next launch begin early, which is worth
    more (docs/measurements/2026-11-25-decode.md).

    Args:
        tiles: Tiles of keys of a sequence.
        blocks: Blocks without parts: sequences times heads of keys.
        places: SMs.
    """

    def busy(parts: int) -> float:
        waves = math.ceil(blocks * parts / places)
        longest = math.ceil(tiles / parts)
        return tiles * blocks / (waves * places * longest)

    options = range(1, min(MAX_PARTS, tiles) + 1)
    return next((parts for parts in options if busy(parts) >= FULL), max(options, key=busy))


def ours(torch: Any, case: AttentionCase, operands: Operands, variant: Variant) -> Contender:
    """Return ours. A variant may fix the number of parts, P."""
    decode = load_kernel("decode_attention", variant)
    given = dict(variant.constants)
    columns = given.get("BN", 64)
    places = torch.cuda.get_device_properties(0).multi_processor_count
    blocks, tiles = case.batch * case.shared_heads, math.ceil(case.length / columns)
    parts = given.pop("P", choose_parts(tiles, blocks, places))
    heads = max(8, 1 << (case.grouped - 1).bit_length())
    constants = {
        "BD": case.depth,
        "BH": heads,
        "BP": min(ADDED // heads, 1 << (parts - 1).bit_length()),
        "BN": columns,
        **given,
    }
    lengths = torch.full((case.batch,), case.length, dtype=torch.int32, device="cuda")
    shape = (case.batch, case.shared_heads, case.grouped)
    counters = torch.zeros(shape[:2], dtype=torch.int32, device="cuda")
    data = []
    for q, k, v in operands.sets:
        q = q.view(*shape, case.depth)
        sums = torch.full((parts, *shape), math.nan, device="cuda")
        part = torch.full((*sums.shape, case.depth), math.nan, device="cuda")
        result = torch.full_like(q, math.nan)
        data.append((q, k, v, lengths, result, part, sums, counters))
    compiled = decode.compile(*data[0], operands.scale, **constants)

    def attend(number: int) -> Any:
        decode(*data[number], operands.scale, **constants)
        return data[number][4]

    detail = detail_of(compiled)
    return Contender(attend, {**detail, "constants": {**detail["constants"], "P": parts}})


def fa3(torch: Any, case: AttentionCase, operands: Operands) -> Contender:
    """Return FlashAttention-3, which chooses the number of parts."""
    flash = importlib.import_module("fa3_fwd_interface").flash_attn_with_kvcache
    lengths = torch.full((case.batch,), case.length, dtype=torch.int32, device="cuda")

    def attend(number: int) -> Any:
        q, k, v = operands.sets[number]
        found = flash(q, k, v, cache_seqlens=lengths, softmax_scale=operands.scale)
        return found[0] if isinstance(found, tuple) else found

    return Contender(attend)


def cudnn(torch: Any, case: AttentionCase, operands: Operands) -> Contender:
    """Return cuDNN, through torch. All sequences are equally long, so it needs no lengths."""
    attention: Any = importlib.import_module("torch.nn.attention")

    def attend(number: int) -> Any:
        q, k, v = (item.transpose(1, 2) for item in operands.sets[number])
        with attention.sdpa_kernel(attention.SDPBackend.CUDNN_ATTENTION):
            found = torch.nn.functional.scaled_dot_product_attention(
                *(q, k, v), scale=operands.scale, enable_gqa=case.grouped > 1
            )
        return found.transpose(1, 2)

    return Contender(attend)
