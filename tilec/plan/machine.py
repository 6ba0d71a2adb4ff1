"""Rates and limits of Hopper (sm_90a, H200 SXM) that the planner computes with, each with a source.

Limits of one architecture that every part of the compiler needs are in `tilec/target.py`.
"""

WARPGROUP_THREADS = 128
"""Threads of a warpgroup (PTX ISA, wgmma)."""
WARP_THREADS = 32
"""Threads of a warp (CUDA programming guide)."""

MMA_ROWS = 64
"""Rows of one wgmma (PTX ISA, wgmma.mma_async: M is always 64)."""
MMA_MAX_COLUMNS = 256
"""Most columns of one wgmma (PTX ISA, wgmma.mma_async shapes)."""
MMA_COLUMN_STEP = 8
"""Columns of one wgmma are a multiple of this (PTX ISA, wgmma.mma_async shapes)."""
MMA_K_BYTES = 32
"""Bytes of K that one wgmma consumes (PTX ISA, wgmma.mma_async shapes)."""
MMA_BYTES_PER_CLOCK = 4096
"""Multiply-adds per clock of one SM's tensor cores, times the bytes of an operand element: 2048 for
16-bit, 4096 for 8-bit elements (H200 datasheet: 989 and 1979 TFLOP/s over 132 SMs at 1.83 GHz)."""
MMA_ISSUE_SHARE = 0.97
"""Share of that rate which a warpgroup that only issues wgmma reaches (estimate)."""

SHARED_BYTES_PER_CLOCK = 128
"""Shared-memory bandwidth of an SM (CUDA programming guide: 32 banks of 4 bytes per clock)."""
L2_BYTES_PER_CLOCK = 6150
"""L2 read bandwidth of the whole chip, sustained (DeepGEMM's model: 8 TB/s at 1.3 GHz)."""
START_CLOCKS = 900
"""Clocks until the first tile has arrived (estimate: one TMA load, 600 to 1000)."""
CLUSTER_CLOCKS = 1700
"""Clocks that a launch in clusters takes longer: its CTAs start together, wait for each other's
barriers, and end together. In bf16 on an H200, 2026-11-21, clusters of 2x1 cost 0.4 us at 512^3,
0.9 us at 1024^3 and 1.2 us at 2048^3, all of one wave."""
L2_POWER_SHARE = 0.05
"""Clocks lost per clock of L2 traffic, to power and to bursts. 2x1 clusters take a third of the
traffic of 128x256 tiles away; in bf16 on an H200, 2026-11-21, that gained 0.7% at 8192^3 and 1 to
5% at 8192x8192x512, against single CTAs of the same run."""
MMA_BUBBLE_CLOCKS = {1: 110, 2: 45, 3: 45}
"""Clocks per k-tile in which the tensor cores idle because consumers wait for a slot and drain
their group, by number of consumer warpgroups. From 1024^3 in bf16 on an H200, 2026-11-21: 64x128
tiles with one consumer took 7.1 us at BK = 64 and 6.6 us at BK = 128; 128x64 with two took 6.5."""
PINGPONG_BUBBLE_CLOCKS = 30
"""The same of consumers that take tiles in turn and keep a group in flight (estimate)."""
STORE_BYTES_PER_CLOCK = 64
"""Bytes of results that one SM writes per clock at best (estimate: L2 port of an SM)."""
CONVERT_CLOCKS = 0.02
"""Clocks per result element for conversion in the epilogue (estimate)."""

REGISTER_STEP = 8
"""setmaxnreg takes multiples of this (PTX ISA, setmaxnreg)."""
MIN_REGISTERS = 24
"""Smallest count that setmaxnreg takes (PTX ISA, setmaxnreg)."""
MAX_REGISTERS = 256
"""Largest count that setmaxnreg takes (PTX ISA, setmaxnreg)."""
CONSUMER_OVERHEAD = 32
"""Registers that a GEMM consumer needs besides its accumulators (measured with ptxas 13.0: 208
accumulators of 240 registers fit, 216 spill)."""
MMA_OVERHEAD = 26
"""Registers that ptxas needs besides the accumulators of one wgmma, all within the allocation at
kernel entry: fewer give error C7602 (measured with ptxas 13.0)."""

SWIZZLE_BYTES = 128
"""Widest swizzle span (cuda.h, CUtensorMapSwizzle): the contiguous bytes of an operand box."""
SLOT_ALIGNMENT = 1024
"""Alignment of a ring slot: the repeat of the 128-byte swizzle (PTX ISA, swizzling modes)."""
SHARED_RESERVE_BYTES = 1024 + 1024
"""Shared memory kept for barriers and for aligning the first slot."""
EPILOGUE_PART_BYTES = 8192
"""Part of a result that a warpgroup stages at a time: 64 rows of one swizzle span."""
EPILOGUE_SLOTS = 2
"""Staging slots of each warpgroup in the epilogue: one is filled while TMA reads the other."""
MAX_STAGES = 8
"""Most slots of a ring: more never hid more latency in published kernels."""
FLIGHT_BYTES = 128 * 1024
"""Bytes of operands to keep in flight or in use per SM (estimate: two 48 KB slots being read while
the next ones cover a latency of about 1000 clocks at 46 bytes per clock)."""
STREAM_FLIGHT_BYTES = 32 * 1024
"""Bytes to keep in flight per SM in a memory-bound kernel (4.3 TB/s times 0.7 us is 23 KB)."""

MAX_CLUSTER_CTAS = 8
"""Largest portable cluster (CUDA programming guide, thread block clusters)."""
