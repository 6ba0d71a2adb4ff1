"""The cuda_tile dialect: tiles, views and tokens, independent of the target."""

from tilec.dialects.cuda_tile.compare_ops import CmpFOp, CmpIOp, SelectOp
from tilec.dialects.cuda_tile.constant_ops import ConstantOp, IotaOp, SplatOp
from tilec.dialects.cuda_tile.convert_ops import (
    BitcastOp,
    ExtIOp,
    FToFOp,
    FToIOp,
    IToFOp,
    TruncIOp,
)
from tilec.dialects.cuda_tile.dialect import CudaTile
from tilec.dialects.cuda_tile.entry_ops import (
    AssumeOp,
    EntryOp,
    GetNumTileBlocksOp,
    GetTileBlockIdOp,
    ReturnOp,
)
from tilec.dialects.cuda_tile.float_ops import (
    AbsFOp,
    AddFOp,
    CeilOp,
    CosOp,
    DivFOp,
    Exp2Op,
    ExpOp,
    FloorOp,
    FmaOp,
    Log2Op,
    LogOp,
    MaxFOp,
    MinFOp,
    MulFOp,
    NegFOp,
    PowOp,
    RemFOp,
    RsqrtOp,
    SinOp,
    SqrtOp,
    SubFOp,
    TanHOp,
    TanOp,
)
from tilec.dialects.cuda_tile.integer_ops import (
    AbsIOp,
    AddIOp,
    AndIOp,
    DivIOp,
    MaxIOp,
    MinIOp,
    MulhiIOp,
    MulIOp,
    NegIOp,
    OrIOp,
    RemIOp,
    ShLIOp,
    ShRIOp,
    SubIOp,
    XOrIOp,
)
from tilec.dialects.cuda_tile.matmul_ops import MmaFOp, MmaIOp
from tilec.dialects.cuda_tile.memory_ops import (
    JoinTokensOp,
    LoadViewTkoOp,
    MakeTokenOp,
    StoreViewTkoOp,
)
from tilec.dialects.cuda_tile.shape_ops import BroadcastOp, CatOp, ExtractOp, PermuteOp, ReshapeOp
from tilec.dialects.cuda_tile.types import (
    PartitionViewType,
    PtrType,
    TensorViewType,
    TileType,
    TokenType,
)
from tilec.dialects.cuda_tile.view_ops import (
    GetIndexSpaceShapeOp,
    GetTensorShapeOp,
    MakePartitionViewOp,
    MakeTensorViewOp,
)

__all__ = [
    "AbsFOp", "AbsIOp", "AddFOp", "AddIOp", "AndIOp", "AssumeOp", "BitcastOp", "BroadcastOp",
    "CatOp", "CeilOp", "CmpFOp", "CmpIOp", "ConstantOp", "CosOp", "CudaTile", "DivFOp", "DivIOp",
    "EntryOp", "Exp2Op", "ExpOp", "ExtIOp", "ExtractOp", "FToFOp", "FToIOp", "FloorOp", "FmaOp",
    "GetIndexSpaceShapeOp", "GetNumTileBlocksOp", "GetTensorShapeOp", "GetTileBlockIdOp",
    "IToFOp", "IotaOp", "JoinTokensOp", "LoadViewTkoOp", "Log2Op", "LogOp", "MakePartitionViewOp",
    "MakeTensorViewOp", "MakeTokenOp", "MaxFOp", "MaxIOp", "MinFOp", "MinIOp", "MmaFOp", "MmaIOp",
    "MulFOp", "MulIOp", "MulhiIOp", "NegFOp", "NegIOp", "OrIOp", "PartitionViewType", "PermuteOp",
    "PowOp", "PtrType", "RemFOp", "RemIOp", "ReshapeOp", "ReturnOp", "RsqrtOp", "SelectOp",
    "ShLIOp", "ShRIOp", "SinOp", "SplatOp", "SqrtOp", "StoreViewTkoOp", "SubFOp", "SubIOp",
    "TanHOp", "TanOp", "TensorViewType", "TileType", "TokenType", "TruncIOp", "XOrIOp",
]
