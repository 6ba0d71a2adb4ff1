"""What the GPU process does: operands of a shape, checks, and times of variants."""

from multiprocessing.connection import Connection
from typing import Any

import tilec
from tools.bench.contenders import ContenderError, relative_error
from tools.bench.host import HostError, import_torch
from tools.bench.measure import Graph, interleave, operand_sets
from tools.bench.search.candidates import Shape
from tools.bench.search.messages import (
    LOOK_MILLISECONDS,
    FinalRequest,
    LookRequest,
    Reply,
    Request,
    ShapeRequest,
)

LOOKS = 3
"""Replays of a look; the fastest counts."""


class Bench:
    """Answers requests; holds the operands of one shape and the kernels that were loaded."""

    def __init__(self, torch: Any) -> None:
        """Start without operands."""
        self.torch = torch
        self._data: list[tuple[Any, Any, Any]] = []
        self._expected: Any = None
        self._kernels: dict[str, Any] = {}
        self._graphs: dict[str, Graph] = {}

    def answer(self, request: Request) -> Reply:
        """Return the answer; after a fault of the GPU it is fatal, as nothing runs any more."""
        try:
            if isinstance(request, ShapeRequest):
                return Reply(self._set_shape(request.shape))
            if isinstance(request, LookRequest):
                return Reply(self._look(request.path, request.long))
            return Reply(self._final(request))
        except ContenderError as failure:
            return Reply(error=str(failure))
        except (tilec.CompileError, tilec.LaunchError) as failure:
            return Reply(error=f"refused: {failure.diagnostics[0].code}: {failure}")
        except Exception as failure:  # a fault of the GPU: torch and tilec raise various types
            return Reply(error=f"{type(failure).__name__}: {failure}", fatal=True)

    def _set_shape(self, shape: Shape) -> None:
        torch = self.torch
        self._data, self._graphs, self._expected = [], {}, None
        torch.cuda.empty_cache()

        def matrix(rows: int, columns: int) -> Any:
            return torch.randn((rows, columns), device="cuda").to(torch.bfloat16)

        for _ in range(operand_sets(shape.operand_bytes)):
            y = torch.empty((shape.m, shape.n), device="cuda", dtype=torch.bfloat16)
            self._data.append((matrix(shape.m, shape.k), matrix(shape.n, shape.k), y))
        torch.backends.cuda.matmul.allow_tf32 = False
        x, w, _ = self._data[0]
        self._expected = x.float() @ w.float().T

    def _kernel(self, path: str) -> Any:
        if path not in self._kernels:
            self._kernels[path] = tilec.load_package(path).linear
        return self._kernels[path]

    def _call(self, path: str) -> Any:
        kernel, data = self._kernel(path), self._data
        return lambda number: kernel(*data[number])

    def _look(self, path: str, long: bool) -> float:
        """Return the shortest time of a call in milliseconds; the first look checks the result."""
        if path not in self._graphs:
            y = self._data[0][2]
            y.fill_(float("nan"))
            call = self._call(path)
            call(0)
            self.torch.cuda.synchronize()
            relative_error(self.torch, y, self._expected)
            sets = len(self._data)
            self._graphs[path] = Graph(self.torch, call, sets, sets)
        graph = self._graphs[path]
        graph.milliseconds(1)
        if not long:
            return graph.milliseconds(1)
        each = graph.milliseconds(1) * graph.calls
        replays = max(1, int(LOOK_MILLISECONDS / each / LOOKS))
        return min(graph.milliseconds(replays) for _ in range(LOOKS))

    def _final(self, request: FinalRequest) -> dict[str, list[float]]:
        self._graphs = {}
        calls = {path: self._call(path) for path in request.paths}
        samples = interleave(self.torch, calls, len(self._data), request.rounds, request.seconds)
        return {path: item.times for path, item in samples.items()}


def serve(connection: Connection) -> None:
    """Answer requests until the parent closes the connection. Runs in the child."""
    try:
        bench = Bench(import_torch())
    except HostError as failure:
        connection.send(Reply(error=str(failure), fatal=True))
        return
    connection.send(Reply())
    while True:
        try:
            request = connection.recv()
        except EOFError:
            return
        connection.send(bench.answer(request))
