"""The driver's form of a launch: a `CUlaunchConfig` with its attributes."""

from typing import Any

from tilec.runtime.cuda.api import LaunchShape


def launch_configuration(api: Any, shape: LaunchShape, stream: int) -> Any:
    """Return the `CUlaunchConfig` of a launch.

    Args:
        api: `cuda.bindings.driver`.
        shape: Blocks, threads, shared memory and attributes.
        stream: Raw stream handle.
    """
    configuration = api.CUlaunchConfig()
    configuration.gridDimX = shape.blocks
    configuration.gridDimY = configuration.gridDimZ = 1
    configuration.blockDimX = shape.threads
    configuration.blockDimY = configuration.blockDimZ = 1
    configuration.sharedMemBytes = shape.shared_bytes
    configuration.hStream = stream
    attributes = _attributes(api, shape)
    configuration.attrs = attributes
    configuration.numAttrs = len(attributes)
    return configuration


def _attributes(api: Any, shape: LaunchShape) -> list[Any]:
    names, attributes = api.CUlaunchAttributeID, []
    if shape.cluster != (1, 1, 1):
        attribute = api.CUlaunchAttribute()
        attribute.id = names.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
        extent = attribute.value.clusterDim
        extent.x, extent.y, extent.z = shape.cluster
        attributes.append(attribute)
    if shape.dependent:
        attribute = api.CUlaunchAttribute()
        attribute.id = names.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
        attribute.value.programmaticStreamSerializationAllowed = 1
        attributes.append(attribute)
    if shape.cooperative:
        attribute = api.CUlaunchAttribute()
        attribute.id = names.CU_LAUNCH_ATTRIBUTE_COOPERATIVE
        attribute.value.cooperative = 1
        attributes.append(attribute)
    return attributes
