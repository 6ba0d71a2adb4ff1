from collections.abc import Sequence
from typing import Any

from mlir.ir import OpView

class _PlainOp(OpView):
    def __init__(self, *, loc: Any = None, ip: Any = None) -> None: ...

class _SpecialRegisterOp(OpView):
    def __init__(self, *, loc: Any = None, ip: Any = None) -> None: ...
    @property
    def res(self) -> Any: ...

class ThreadIdXOp(_SpecialRegisterOp): ...
class BlockIdXOp(_SpecialRegisterOp): ...
class GridDimXOp(_SpecialRegisterOp): ...

class ElectSyncOp(OpView):
    def __init__(
        self,
        *,
        membermask: Any = None,
        results: Sequence[Any] | None = None,
        loc: Any = None,
        ip: Any = None,
    ) -> None: ...

class ShflOp(OpView):
    def __init__(
        self,
        thread_mask: Any,
        val: Any,
        offset: Any,
        mask_and_clamp: Any,
        kind: Any,
        *,
        results: Sequence[Any] | None = None,
        loc: Any = None,
        ip: Any = None,
    ) -> None: ...
    @property
    def res(self) -> Any: ...

class StMatrixOp(OpView):
    def __init__(
        self,
        ptr: Any,
        sources: Sequence[Any],
        layout: Any,
        shape: Any,
        eltType: Any,
        *,
        loc: Any = None,
        ip: Any = None,
    ) -> None: ...

class SyncWarpOp(OpView):
    def __init__(self, mask: Any, *, loc: Any = None, ip: Any = None) -> None: ...

class BarrierOp(OpView):
    def __init__(
        self,
        *,
        barrierId: Any = None,
        numberOfThreads: Any = None,
        loc: Any = None,
        ip: Any = None,
    ) -> None: ...

class SetMaxRegisterOp(OpView):
    def __init__(self, regCount: int, action: Any, *, loc: Any = None, ip: Any = None) -> None: ...

class FenceMbarrierInitOp(_PlainOp): ...

class FenceProxyOp(OpView):
    def __init__(
        self, kind: Any, *, space: Any = None, loc: Any = None, ip: Any = None
    ) -> None: ...

class MBarrierInitOp(OpView):
    def __init__(self, addr: Any, count: Any, *, loc: Any = None, ip: Any = None) -> None: ...

class MBarrierArriveOp(OpView):
    def __init__(
        self, addr: Any, *, count: Any = None, scope: Any = None, loc: Any = None, ip: Any = None
    ) -> None: ...

class MBarrierTryWaitParityOp(OpView):
    def __init__(
        self, addr: Any, phase: Any, ticks: Any, *, loc: Any = None, ip: Any = None
    ) -> None: ...

class CpAsyncBulkCommitGroupOp(_PlainOp): ...

class CpAsyncBulkWaitGroupOp(OpView):
    def __init__(
        self, group: int, *, read: bool | None = None, loc: Any = None, ip: Any = None
    ) -> None: ...

class CpAsyncBulkTensorGlobalToSharedClusterOp(OpView):
    def __init__(
        self,
        dstMem: Any,
        tmaDescriptor: Any,
        coordinates: Sequence[Any],
        mbar: Any,
        im2colOffsets: Sequence[Any],
        *,
        multicastMask: Any = None,
        l2CacheHint: Any = None,
        predicate: Any = None,
        loc: Any = None,
        ip: Any = None,
    ) -> None: ...

class CpAsyncBulkTensorSharedCTAToGlobalOp(OpView):
    def __init__(
        self,
        tmaDescriptor: Any,
        srcMem: Any,
        coordinates: Sequence[Any],
        *,
        l2CacheHint: Any = None,
        predicate: Any = None,
        loc: Any = None,
        ip: Any = None,
    ) -> None: ...
