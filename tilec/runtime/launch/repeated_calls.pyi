from typing import Any

class RepeatedCalls:
    def __init__(
        self, types: tuple[type, ...], launch_kernel: int, current_context: int
    ) -> None: ...
    def __len__(self) -> int: ...
    def launch(self, arguments: tuple[Any, ...], grid: tuple[int, ...] | None) -> bool: ...
    def record(
        self,
        arguments: tuple[Any, ...],
        grid: tuple[int, ...] | None,
        stream: int,
        context: int,
        function: int,
        configuration: int,
        parameters: int,
        pointers: tuple[int, ...],
        owners: Any,
    ) -> None: ...
