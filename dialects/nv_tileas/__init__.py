"""The nv_tileas dialect: roles, rings, layouts, shared memory, TMA and asynchronous mma."""

from tilec.dialects.nv_tileas import memory_ops, tile_ops  # noqa: F401 - registers the operations
from tilec.dialects.nv_tileas.barrier_ops import (
    AllocMBarrierOp,
    BarrierOp,
    FenceProxyOp,
    MBarrierArriveExpectTxOp,
    OrderMemoryOp,
)
from tilec.dialects.nv_tileas.cluster_ops import (
    ClusterCoordOp,
    ClusterIdOp,
    ClusterSyncOp,
    NumClustersOp,
)
from tilec.dialects.nv_tileas.dialect import NvTileAS
from tilec.dialects.nv_tileas.epilogue_ops import TilePartOp, WarpgroupIdOp, WarpgroupViewOp
from tilec.dialects.nv_tileas.mma_ops import AsyncMmaOp, MmaWaitOp, SimtMmaOp
from tilec.dialects.nv_tileas.ring_ops import (
    CreateRingOp,
    ReceiveOp,
    RingAcquireOp,
    RingAdvanceOp,
    RingBarrierOp,
    RingCommitOp,
    RingFillOp,
    RingReleaseOp,
    RingStartOp,
    RingWaitOp,
    SendOp,
)
from tilec.dialects.nv_tileas.role_ops import CtaIdOp, NumCtasOp, RolesOp, SetRegistersOp, YieldOp
from tilec.dialects.nv_tileas.shared_ops import (
    AllocSharedOp,
    ConvertLayoutOp,
    CopyOutOp,
    LoadSharedOp,
    SharedViewOp,
    SlotViewOp,
    StoreSharedOp,
)
from tilec.dialects.nv_tileas.tma_ops import (
    AsyncTiledTmaLoadOp,
    AsyncTiledTmaStoreOp,
    BulkCommitOp,
    BulkWaitOp,
    MakeTiledTmaDescOp,
)
from tilec.dialects.nv_tileas.types import (
    LayoutAttr,
    MBarrierType,
    MmaTokenType,
    RingPositionType,
    RingType,
    SharedLayoutAttr,
    SharedTileType,
    TmaDescriptorType,
)

__all__ = [
    "AllocMBarrierOp",
    "AllocSharedOp",
    "AsyncMmaOp",
    "AsyncTiledTmaLoadOp",
    "AsyncTiledTmaStoreOp",
    "BarrierOp",
    "BulkCommitOp",
    "BulkWaitOp",
    "ClusterCoordOp",
    "ClusterIdOp",
    "ClusterSyncOp",
    "ConvertLayoutOp",
    "CopyOutOp",
    "CreateRingOp",
    "CtaIdOp",
    "FenceProxyOp",
    "LayoutAttr",
    "LoadSharedOp",
    "MBarrierArriveExpectTxOp",
    "MBarrierType",
    "MakeTiledTmaDescOp",
    "MmaTokenType",
    "MmaWaitOp",
    "NumClustersOp",
    "NumCtasOp",
    "NvTileAS",
    "OrderMemoryOp",
    "ReceiveOp",
    "RingAcquireOp",
    "RingAdvanceOp",
    "RingBarrierOp",
    "RingCommitOp",
    "RingFillOp",
    "RingPositionType",
    "RingReleaseOp",
    "RingStartOp",
    "RingType",
    "RingWaitOp",
    "RolesOp",
    "SendOp",
    "SetRegistersOp",
    "SharedLayoutAttr",
    "SharedTileType",
    "SharedViewOp",
    "SimtMmaOp",
    "SlotViewOp",
    "StoreSharedOp",
    "TilePartOp",
    "TmaDescriptorType",
    "WarpgroupIdOp",
    "WarpgroupViewOp",
    "YieldOp",
]
