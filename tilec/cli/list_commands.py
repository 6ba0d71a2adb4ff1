"""`tilec passes` and `tilec targets`: lists of the passes and of the architectures."""

import argparse

from tilec.cli.main import EXIT_OK
from tilec.request.gpu import GPUS
from tilec.request.stages import STAGES
from tilec.request.target import TARGETS


def configure(parser: argparse.ArgumentParser) -> None:
    """Set the function that prints the list of the subcommand, which has no options."""
    listings = {"passes": list_passes, "targets": list_targets}
    parser.set_defaults(execute=listings[parser.prog.split()[-1]])


def list_passes(options: argparse.Namespace) -> int:
    """Print every stage with its passes in order, and mark the passes of MLIR."""
    del options
    from tilec.passes import load_pass

    width = max(len(name) for stage in STAGES for name in stage.passes)
    for stage in STAGES:
        print(f"{stage.name}: {stage.summary}")
        for step in stage.steps:
            registered = load_pass(step.name)
            summary = registered.summary if registered else f"{step.purpose} (a pass of MLIR)"
            print(f"  {step.name:<{width}}  {summary}")
    return EXIT_OK


def list_targets(options: argparse.Namespace) -> int:
    """Print every architecture with the properties that plans depend on."""
    del options
    for target in TARGETS.values():
        major, minor = target.ptx_version
        print(
            f"{target.name}  compute capability {target.compute_capability / 10}, "
            f"PTX {major}.{minor}, {target.shared_memory_bytes} bytes of shared memory per CTA, "
            f"{target.registers_per_sm} registers per SM"
        )
    for gpu in GPUS.values():
        rate = f"{gpu.memory_rate / 1e12:.2f} TB/s of memory"
        print(f"  --gpu {gpu.name:<10} {gpu.sm_count} SMs, {rate}")
    return EXIT_OK
