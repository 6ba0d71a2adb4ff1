# cython: language_level=3, boundscheck=False, wraparound=False, freethreading_compatible=False
"""Launches a call that was seen before, bit for bit, without Python code on the way.

A `RepeatedCalls` belongs to one kernel. `record` notes a call that was just launched in the usual
way; `launch` compares a call with those notes and starts the kernel if one of them is equal: the
same pointers, shapes, strides, element types and device of all tensors, the same scalars and
constants, the same grid, stream and CUDA context. Everything that the usual way checks follows
from these, so nothing is checked again. Tensors are compared by what they are, not by identity,
and none is kept alive.

Tensors are read through the DLPack exchange API of their type (dlpack.h 1.3, `DLPackExchangeAPI`),
which PyTorch has since 2.10. The kernel is started by the address of `cuLaunchKernelEx`, so this
file needs neither headers nor libraries to build.
"""

from cpython.float cimport PyFloat_AS_DOUBLE
from cpython.list cimport PyList_GET_ITEM
from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t
from libc.string cimport memcmp

cdef extern from "Python.h":
    ctypedef struct PyObject
    void PyErr_Clear()

cdef struct DLDevice:
    int32_t kind
    int32_t number

cdef struct DLDataType:
    uint8_t code
    uint8_t bits
    uint16_t lanes

cdef struct DLTensor:
    void* data
    DLDevice device
    int32_t rank
    DLDataType dtype
    int64_t* shape
    int64_t* strides
    uint64_t byte_offset

ctypedef int (*FromPyObject)(void*, DLTensor*)
ctypedef int (*CurrentStream)(int32_t, int32_t, void**)

cdef struct ExchangeApi:
    uint32_t major
    uint32_t minor
    void* previous
    void* allocate
    void* managed_from_py_object
    void* managed_to_py_object
    FromPyObject from_py_object
    CurrentStream current_stream

ctypedef int (*CurrentContext)(void**) noexcept nogil
ctypedef int (*LaunchKernel)(const void*, void*, void**, void**) noexcept nogil

cdef enum:
    MAX_RANK = 5
    MAX_ARGUMENTS = 16
    CALLS = 1024  # places for calls; a power of two
    PROBES = 8  # places where a call may be, from its key on
    CUDA = 2  # kDLCUDA (dlpack.h)

cdef struct Tensor:
    void* data
    int32_t rank
    DLDataType dtype
    int64_t extents[2 * MAX_RANK]


cdef class _Call:
    """A call that was launched before."""

    cdef uint64_t key
    cdef Tensor tensors[MAX_ARGUMENTS]
    cdef int tensor_count
    cdef int device
    cdef tuple values
    cdef object grid
    cdef void* stream
    cdef void* context
    cdef void* function
    cdef void* configuration
    cdef void** parameters
    cdef object owners


cdef uint64_t _SEED = 1469598103934665603ULL  # FNV-1a


cdef inline uint64_t _mixed(uint64_t key, uint64_t value) noexcept:
    return ((key ^ value) * 1099511628211ULL) ^ (key >> 29)


cdef inline Py_ssize_t _place(uint64_t key, int probe) noexcept:
    return <Py_ssize_t>(((key >> 48) + probe) % CALLS)  # aligned addresses differ in upper bits


cdef inline bint _same_value(object a, object b):
    """Tell whether two scalars or constants are the same to the last bit."""
    cdef double x, y
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if type(a) is float:
        x, y = PyFloat_AS_DOUBLE(a), PyFloat_AS_DOUBLE(b)
        return memcmp(&x, &y, sizeof(double)) == 0
    if type(a) is int or type(a) is str:
        return a == b
    return False


cdef class RepeatedCalls:
    """The calls of one kernel that were seen before."""

    cdef object first_type
    cdef object second_type
    cdef object is_negative
    cdef ExchangeApi* api
    cdef LaunchKernel launch_kernel
    cdef CurrentContext current_context
    cdef list calls

    def __init__(self, types, uintptr_t launch_kernel, uintptr_t current_context):
        """Read the exchange API of a library of tensors.

        Args:
            types: One or two classes of tensors, of one library; subclasses are not read.
            launch_kernel: Address of `cuLaunchKernelEx`.
            current_context: Address of `cuCtxGetCurrent`.

        Raises:
            AttributeError: The classes have no exchange API.
            ValueError: The exchange API has another version, or cannot read tensors.
        """
        self.first_type, self.second_type = types[0], types[len(types) - 1]
        capsule = self.first_type.__dlpack_c_exchange_api__
        self.api = <ExchangeApi*>PyCapsule_GetPointer(capsule, b"dlpack_exchange_api")
        if self.api.major != 1 or self.api.from_py_object == NULL:
            raise ValueError("the DLPack exchange API is not version 1")
        self.is_negative = self.first_type.is_neg
        self.launch_kernel = <LaunchKernel>launch_kernel
        self.current_context = <CurrentContext>current_context
        self.calls = [None] * CALLS

    def __len__(self) -> int:
        """Return the number of calls that are kept."""
        return CALLS - self.calls.count(None)

    cdef int _read(self, tuple arguments, Tensor* tensors, int* device) except -2:
        """Read all tensors of a call; return their number, -1 if one cannot be read."""
        cdef DLTensor found
        cdef int axis, count = 0
        cdef Py_ssize_t index
        cdef PyObject* item
        cdef Tensor* tensor
        if PyTuple_GET_SIZE(arguments) > MAX_ARGUMENTS:
            return -1
        for index in range(PyTuple_GET_SIZE(arguments)):
            item = <PyObject*>PyTuple_GET_ITEM(arguments, index)
            kind = type(<object>item)
            if kind is not self.first_type and kind is not self.second_type:
                continue
            if self.api.from_py_object(<void*>item, &found) != 0:
                PyErr_Clear()
                return -1
            if found.device.kind != CUDA or found.rank > MAX_RANK or found.strides == NULL:
                return -1
            if count and device[0] != found.device.number:
                return -1
            if self.is_negative(<object>item):
                return -1  # its elements are the negatives of those in memory
            device[0] = found.device.number
            tensor = &tensors[count]
            tensor.data = <char*>found.data + found.byte_offset
            tensor.rank, tensor.dtype = found.rank, found.dtype
            for axis in range(found.rank):
                tensor.extents[2 * axis] = found.shape[axis]
                tensor.extents[2 * axis + 1] = found.strides[axis]
            count += 1
        return count

    cdef uint64_t _key(self, tuple arguments, Tensor* tensors, int count, void* stream) except 0:
        """Return a number that equal calls share; it is odd."""
        cdef uint64_t key = _mixed(_SEED, <uint64_t><uintptr_t>stream)
        cdef int index, axis
        cdef Py_ssize_t place
        for index in range(count):
            key = _mixed(key, <uint64_t><uintptr_t>tensors[index].data)
            for axis in range(2 * tensors[index].rank):
                key = _mixed(key, <uint64_t>tensors[index].extents[axis])
        for place in range(PyTuple_GET_SIZE(arguments)):
            value = <object>PyTuple_GET_ITEM(arguments, place)
            if type(value) is float or type(value) is int:
                key = _mixed(key, <uint64_t>hash(value))
        return key | 1

    cdef bint _matches(self, _Call call, tuple arguments, Tensor* tensors, int count, object grid):
        """Tell whether a call is the one that was noted, apart from its stream and context."""
        cdef int index
        cdef Tensor* a
        cdef Tensor* b
        if call.tensor_count != count or not _same_grid(call.grid, grid):
            return False
        for index in range(count):
            a, b = &tensors[index], &call.tensors[index]
            if a.data != b.data or a.rank != b.rank:
                return False
            if memcmp(&a.dtype, &b.dtype, sizeof(DLDataType)) != 0:
                return False
            if memcmp(a.extents, b.extents, 2 * a.rank * sizeof(int64_t)) != 0:
                return False
        return self._same_values(call.values, arguments)

    cdef bint _same_values(self, tuple values, tuple arguments):
        """Compare what is no tensor; `values` holds None in the places of tensors."""
        cdef Py_ssize_t index
        if PyTuple_GET_SIZE(values) != PyTuple_GET_SIZE(arguments):
            return False
        for index in range(PyTuple_GET_SIZE(values)):
            value = <object>PyTuple_GET_ITEM(arguments, index)
            kind = type(value)
            if kind is self.first_type or kind is self.second_type:
                value = None
            if not _same_value(<object>PyTuple_GET_ITEM(values, index), value):
                return False
        return True

    cdef _Call _find(
        self, tuple arguments, Tensor* tensors, int count, object grid, void* stream
    ):
        """Return the noted call that is equal to this one, or None."""
        cdef uint64_t key = self._key(arguments, tensors, count, stream)
        cdef int probe
        cdef PyObject* place
        for probe in range(PROBES):
            place = <PyObject*>PyList_GET_ITEM(self.calls, _place(key, probe))
            if <object>place is None:
                return None
            call = <_Call><object>place
            if call.key != key or call.stream != stream:
                continue
            if self._matches(call, arguments, tensors, count, grid):
                return call
        return None

    def launch(self, tuple arguments not None, object grid):
        """Launch a call that was seen before.

        Args:
            arguments: The positional arguments of the call, which has no others.
            grid: The grid that the caller gave, or None.

        Returns:
            Whether the kernel was launched. If not, the usual way has to be taken.
        """
        cdef Tensor tensors[MAX_ARGUMENTS]
        cdef int count, status, device = 0
        cdef void* stream = NULL
        cdef void* context = NULL
        cdef _Call call
        count = self._read(arguments, tensors, &device)
        if count <= 0:
            return False
        if self.api.current_stream(CUDA, device, &stream) != 0:
            PyErr_Clear()
            return False
        call = self._find(arguments, tensors, count, grid, stream)
        if call is None or call.device != device:
            return False
        if self.current_context(&context) != 0 or context != call.context:
            return False
        with nogil:
            status = self.launch_kernel(call.configuration, call.function, call.parameters, NULL)
        return status == 0

    def record(
        self, tuple arguments not None, object grid, uintptr_t stream, uintptr_t context,
        uintptr_t function, uintptr_t configuration, uintptr_t parameters, tuple pointers not None,
        object owners,
    ):
        """Keep a call for `launch`.

        Args:
            arguments: Its positional arguments.
            grid: The grid that the caller gave, or None.
            stream: The stream it was launched on.
            context: The context that was current.
            function: The `CUfunction`.
            configuration: Address of a `CUlaunchConfig`.
            parameters: Address of the table of parameter addresses, which nobody changes.
            pointers: Addresses of the tensors, as the parameters hold them.
            owners: What keeps the memory of the configuration and the parameters alive.
        """
        cdef Tensor tensors[MAX_ARGUMENTS]
        cdef int count, index, device = 0
        cdef _Call call
        count = self._read(arguments, tensors, &device)
        if count <= 0 or count != len(pointers):
            return
        call = _Call.__new__(_Call)
        for index in range(count):
            if <uintptr_t>tensors[index].data != <uintptr_t>pointers[index]:
                return  # another thread has changed the tensor meanwhile
            call.tensors[index] = tensors[index]
        call.tensor_count, call.device = count, device
        types = (self.first_type, self.second_type)
        call.values = tuple([None if type(item) in types else item for item in arguments])
        call.grid, call.owners = grid, owners
        call.stream, call.context = <void*>stream, <void*>context
        call.function, call.configuration = <void*>function, <void*>configuration
        call.parameters = <void**>parameters
        call.key = self._key(arguments, tensors, count, call.stream)
        self._keep(call)

    cdef int _keep(self, _Call call) except -1:
        """Put a call into the first free place, or replace the one at its key."""
        cdef int probe
        cdef Py_ssize_t place
        for probe in range(PROBES):
            place = _place(call.key, probe)
            if self.calls[place] is None:
                break
        else:
            place = _place(call.key, 0)
        self.calls[place] = call
        return 0


cdef inline bint _same_grid(object a, object b):
    return a is b or (a is not None and b is not None and a == b)
