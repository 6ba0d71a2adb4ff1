# A module of the bindings: everything in it is dynamic.

from typing import Any

def __getattr__(name: str) -> Any: ...
