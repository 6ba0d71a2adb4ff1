"""The fields of a plan that a user can fix: their values, defaults and meaning. Pure Python.

The checks of `tilec.plan.overrides` and the table in docs/language.md both follow this declaration.
"""

from tilec.plan import machine
from tilec.plan.copies import PROMOTION, WIDE_PROMOTION
from tilec.plan.registers import MAX_CONSUMERS
from tilec.request.specialization import ANY_TILE_EXTENTS
from tilec.support.fast_dataclasses import dataclass

_REGISTERS = range(machine.MIN_REGISTERS, machine.MAX_REGISTERS + 1, machine.REGISTER_STEP)
_SLICES = range(0, machine.MMA_MAX_COLUMNS + 1, machine.MMA_COLUMN_STEP)


@dataclass(frozen=True, slots=True)
class PlanField:
    """One field of a plan.

    Attributes:
        name: Name for `--plan` and `@kernel(...)`.
        default: What the planner chooses.
        meaning: What the field decides.
        allowed: The values of a number; None for a flag, and for `cluster`.
        rule: The values in words, where `allowed` does not say all.
    """

    name: str
    default: str
    meaning: str
    allowed: range | None = None
    rule: str = ""

    @property
    def is_flag(self) -> bool:
        """Whether the values are true and false."""
        return self.allowed is None and not self.rule

    @property
    def values(self) -> str:
        """The values in words: `24 to 256 in steps of 8`."""
        if self.rule or self.allowed is None:
            return self.rule or "true or false"
        step = f" in steps of {self.allowed.step}" if self.allowed.step > 1 else ""
        return f"{self.allowed.start} to {self.allowed[-1]}{step}"


FIELDS: dict[str, PlanField] = {
    field.name: field
    for field in (
        PlanField(
            "stages",
            f"for products as many as fit into shared memory, at most {machine.MAX_STAGES}; for"
            " others, and where memory bounds the time, enough to keep loads in flight; 1 without"
            " loads in a loop",
            "slots of the ring of the loads in loops",
            range(1, 33),
        ),
        PlanField(
            "tile_stages",
            "2 if a CTA loops over tiles and shared memory has room for a second slot; else 1",
            "slots of the ring of what a tile loads before a loop that loads more",
            range(1, 9),
        ),
        PlanField(
            "cluster",
            "chosen with `auto` tiles; otherwise 1 x 1",
            "CTAs of a cluster along the last two axes of the grid; a tile that several of them"
            " load is read from L2 once",
            rule=f"two extents whose product is at most {machine.MAX_CLUSTER_CTAS}",
        ),
        PlanField(
            "consumers",
            "2 if the rows split into two parts of whole 64-row slices, 3 for other multiples of"
            " 192 rows, 2 by columns if a result is too large for one, else 1",
            "warpgroups that share a product, by rows or else by columns",
            range(1, MAX_CONSUMERS + 1),
        ),
        PlanField(
            "specialize",
            "1 if the kernel has TMA loads in a loop",
            "whether a producer warp runs the loads of loops",
        ),
        PlanField(
            "worker_warps",
            "4, 8 or 16, so that a thread holds at most 64 elements of a tile if possible",
            "warps that compute, in a kernel without products on the tensor cores",
            range(1, 33),
            rule="1 to 4 or a multiple of 4 up to 32",
        ),
        PlanField(
            "spread",
            "1; if a CTA that reduces what it loads leaves no room for a second one on its SM (for"
            " three others, if it stores as much and no tile is loaded by all blocks), the"
            " fewest CTAs, up to 8, of which four fit, else the fewest of which two fit; where"
            " `share_rounds` is 1, the fewest, up to 16, that give half of the SMs a CTA (16 if"
            " you fix `share_rounds`)",
            "CTAs of a cluster that compute a block together, each a part of its tiles or some"
            " rounds of its loop: 1, 2, 4, 8 or 16",
            range(1, machine.SPREADS[-1] + 1),
            rule="1, 2, 4, 8 or 16",
        ),
        PlanField(
            "blocks_per_sm",
            "where each step reduces tiles that threads load, as many as keep"
            f" {machine.STREAM_FLIGHT_BYTES // 1024} KB of loads in flight, if a thread then has"
            " enough registers; 2 where memory bounds a kernel with products and no two tiles load"
            " the same, or where one warpgroup computes an operand in registers, if each of two"
            f" CTAs has {machine.MIN_SHARED_STAGES} slots; else 1",
            "least number of CTAs that fit on an SM: threads get at most as many registers",
            range(1, 33),
        ),
        PlanField(
            "stream_tail",
            "1 if more CTAs fit on an SM, by `blocks_per_sm`, only so; else 0",
            "whether threads load, compute and store some vectors of a tile at a time at the end of"
            " a block, not all of it: fewer registers, but fewer loads in flight",
        ),
        PlanField(
            "producer_registers",
            "24, 32 or 40, by the number of consumers and their accumulators",
            "registers of a producer thread",
            _REGISTERS,
        ),
        PlanField(
            "consumer_registers",
            "160, 232 or 240, by the number of consumers and their accumulators; 216 of one"
            " consumer where two CTAs share an SM",
            "registers of a consumer thread",
            _REGISTERS,
        ),
        PlanField(
            "persistent",
            "1 if there is a producer warp, a CTA has its SM alone, CTAs share no rounds, and no"
            " loaded number ends a block before its products, or if `split_k` is more than 1 or"
            " `order_tiles` is 1",
            "whether a CTA loops over tiles",
        ),
        PlanField(
            "order_tiles",
            "1 if loaded numbers decide how many rounds the products of a tile have, and the kernel"
            " could loop over tiles otherwise",
            "whether each CTA sorts the tiles by what they cost before it starts, and takes the"
            " longest first and none that does nothing",
        ),
        PlanField(
            "tile_group",
            "for persistent products 2048 divided by the rows of a tile; else 0, and 0 where no two"
            " tiles load the same, or all tiles along an axis of the grid load the same in their"
            " loops: these run together",
            "rows of tiles that are visited together; 0 means row-major order",
            range(65),
        ),
        PlanField(
            "balance_tiles",
            "1 if all tiles along an axis of the grid load the same in their loops, and the rounds"
            " of these loops grow or shrink along it",
            "whether a CTA takes tiles with many and with few rounds alternately, from both ends"
            " of this axis, and the shortest ones last, so that all CTAs have about the same work",
        ),
        PlanField(
            "epilogue_slots",
            "1 or 2 if a result can be stored in parts; else 0",
            "staging slots of up to 8192 bytes, of each warpgroup and store, through which a"
            " product is stored in parts; 0 stages results whole",
            range(9),
        ),
        PlanField(
            "share_slots",
            "1 where two slots for each of several results would leave less than two stages, and"
            " all of their parts have one size; else 0",
            "whether all results go through the same staging slots, one after the other",
        ),
        PlanField(
            "epilogue_batch",
            "`epilogue_slots` where `share_slots` is 1; else 1",
            "parts that are staged after one barrier and stored after another one; must divide"
            " `epilogue_slots`",
            range(1, 9),
        ),
        PlanField(
            "epilogue_stages",
            "chosen together with `slice_columns`",
            "slots of the ring of the slices that an epilogue loads",
            range(1, 9),
        ),
        PlanField(
            "epilogue_pace",
            "about half of the time of the products, if each slice of a tile has a slot; else 0",
            "nanoseconds per k-tile that the producer warp sleeps before each slice that it loads,"
            " so that these loads spread over the products of their tile; 0 loads them at once",
            range(10_001),
        ),
        PlanField(
            "slice_columns",
            "the width with the shortest estimated epilogue that leaves enough stages; 0 if the"
            " epilogue loads no tiles and computes nothing costly",
            "columns of the slices in which an epilogue loads, computes and stores; 0 means whole"
            " tiles",
            _SLICES,
        ),
        PlanField(
            "mma_pending",
            "1 if each product has one consumer, a producer warp and two stages; else 0",
            "groups of wgmma that stay in flight while the consumer waits for the next k-tile",
            range(2),
        ),
        PlanField(
            "copy_rounds",
            "1 for operands of products that TMA cannot load and threads can copy (`cp.async`), if"
            " rounds are then shorter than with loads into registers; else 0",
            "whether threads copy such operands to shared memory, as many rounds ahead as the ring"
            " has slots, less one",
        ),
        PlanField(
            "rotate",
            "1 for each loop with products whose round then takes less than 97% of the time, if a"
            " thread has enough registers; else 0",
            "whether some operations of a loop run one round later, so that products run while"
            " threads compute; 1 takes the best such schedule of each loop",
        ),
        PlanField(
            "turns",
            "1 for each rotated loop whose round then takes less time",
            "whether the warpgroups of a rotated loop ping-pong: one issues the products of a round"
            " while the others compute",
        ),
        PlanField(
            "split_loops",
            "1 for each rotated loop whose first rounds need no mask; else 0",
            "whether rounds without a mask are a loop of their own, before that of the others",
        ),
        PlanField(
            "skip_hidden",
            "1",
            "whether rounds of a loop are left out whose scores a mask of loaded numbers hides;"
            " infinities and NaN that are multiplied by hidden weights of 0 do not count then",
        ),
        PlanField(
            "pingpong",
            "chosen with `auto` tiles; otherwise 0",
            "whether two consumers compute tiles alternately instead of sharing each tile: one"
            " stores while the other one multiplies",
        ),
        PlanField(
            "defer_stores",
            "1 if possible: several tiles for a CTA, enough registers, no `pingpong` or `split_k`",
            "whether a tile is stored while the products of the next tile run; for one result that"
            " is computed element by element from the products of one loop",
        ),
        PlanField(
            "defer_work",
            "1 if the epilogue computes from a tile that is rounded to 16 bits, and `defer_stores`"
            " is 1",
            "whether a tile is deferred as soon as it is rounded to 16 bits, so that all later"
            " computations and loads run during the products of the next tile too",
        ),
        PlanField(
            "stream_results",
            "1 if the epilogue loads slices",
            "whether L2 should evict first what TMA has stored (`evict_first`)",
        ),
        PlanField(
            "l2_promotion",
            f"{WIDE_PROMOTION} for `auto` tiles of products with an operand that is read once and"
            " whose K is contiguous, but not where memory bounds them on an H200, and without"
            f" products; otherwise {PROMOTION}",
            "bytes that TMA brings into L2 at a time, for loads in loops whose next round goes on"
            " along the contiguous axis, and for tiles whose rows take several boxes",
            range(PROMOTION, WIDE_PROMOTION + 1, PROMOTION),
        ),
        PlanField(
            "split_k",
            "chosen for few tiles and a long K: with `auto` tiles, or by each launch; otherwise 1",
            "CTAs that share the k-tiles of a tile; the last one adds the parts, always in the same"
            " order, so results are the same in every launch of the same sizes. Those of others"
            " may have other parts, and so another rounding, unless the field is fixed",
            range(1, 17),
        ),
        PlanField(
            "snake_k",
            "for `auto` tiles 1 if L2 cannot keep the operands of a wave of tiles; otherwise 1 if"
            " possible",
            "whether a CTA reverses the k-tiles of every second tile, to begin with those that L2"
            " read last; for loops over k-tiles that are a sum of products. The rounding then"
            " depends on the place of a tile; with 0, equal rows of A give equal rows of the"
            " result",
        ),
        PlanField(
            "fill_gpu",
            "1 for `auto` tiles of products that take several rounds of tiles, if memory bounds"
            " them; otherwise 0",
            "whether every SM has a CTA that loops over tiles, although fewer of them would need as"
            " many rounds of tiles: more SMs draw more from memory, fewer draw less power",
        ),
        PlanField(
            "share_rounds",
            "1 where the loads of few blocks do not keep memory busy, and a loop only combines"
            " tiles that are reduced after it, for launches in which a block loads 256 KB or more;"
            " else 0",
            "whether the CTAs that compute a block together have some rounds of its loop each, not"
            " a part of each tile",
        ),
        PlanField(
            "share_tiles",
            "0 for `auto` tiles of products in clusters of CTAs of which each reads its own part of"
            " an operand; otherwise 1",
            "whether the CTAs of a cluster share the tiles that several of them load",
        ),
        PlanField(
            "dependent_launch",
            "0 for `auto` tiles in such clusters that leave a third of the SMs idle or more, if an"
            " early start then costs more than it saves, and where `share_rounds` is 1;"
            " otherwise 1",
            "whether the kernel may start before the one before it on the stream has ended, and"
            " waits for its results (programmatic dependent launch)",
        ),
        PlanField(
            ANY_TILE_EXTENTS,
            "0; tiles that the planner chooses may always have such extents",
            "whether tiles that you write may have extents that are not powers of two; a"
            " permission, not a decision",
        ),
    )
}
"""Every field by its name, in the order of the documentation."""
