"""The passes of tilec, by name.

The pipeline (`tilec.request.stages`) says which module defines which pass. A module is imported
when its pass is first asked for, so that `tilec opt` pays for the passes it runs and for no other.
"""

import importlib

from tilec.passes.registry import RegisteredPass, find_pass, registered_passes
from tilec.request.stages import STAGES

PASS_MODULES: dict[str, str] = {
    step.name: step.module for stage in STAGES for step in stage.steps if step.module
}
"""Pass name -> module under `tilec.passes`."""


def load_pass(name: str) -> RegisteredPass | None:
    """Return the tilec pass called `name`, or None (it may be an upstream pass)."""
    if name in PASS_MODULES:
        importlib.import_module(f"tilec.passes.{PASS_MODULES[name]}")
    return find_pass(name)


def load_all_passes() -> tuple[RegisteredPass, ...]:
    """Import every pass module and return every pass."""
    for name in PASS_MODULES:
        load_pass(name)
    return registered_passes()
