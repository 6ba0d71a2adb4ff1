from collections.abc import Sequence
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

from mlir import ir

_T = TypeVar("_T")

Operand = ir.Value

# The field of a result reads as a value; the constructor takes its type.

class Result(ir.OpResult[_T]):
    def __get__(self, instance: object, owner: type) -> ir.OpResult[Any]: ...
    def __set__(self, instance: object, value: Any) -> None: ...

Region = ir.Region

@dataclass_transform(kw_only_default=True)
class _OperationFields(ir.OpView):
    def __init_subclass__(
        cls, *, name: str | None = None, traits: Sequence[Any] | None = None, dialect: Any = None
    ) -> None: ...

class Operation(_OperationFields):
    OPERATION_NAME: ClassVar[str]
    loc: Any = None
    ip: Any = None

class Type(ir.Type):
    type_name: ClassVar[str]
    @property
    def params(self) -> list[Any]: ...
    def __init_subclass__(cls, *, name: str | None = None, dialect: Any = None) -> None: ...
    @classmethod
    def get(cls, *args: Any, context: ir.Context | None = None) -> Self: ...

class Attribute(ir.Attribute):
    attr_name: ClassVar[str]
    @property
    def params(self) -> list[Any]: ...
    def __init_subclass__(cls, *, name: str | None = None, dialect: Any = None) -> None: ...
    @classmethod
    def get(cls, *args: Any, context: ir.Context | None = None) -> Self: ...

_Operation = Operation
_Type = Type
_Attribute = Attribute

class Dialect:
    DIALECT_NAMESPACE: ClassVar[str]
    operations: ClassVar[list[type[_Operation]]]

    class Operation(_Operation): ...
    class Type(_Type): ...
    class Attribute(_Attribute): ...

    def __init_subclass__(cls, *, name: str) -> None: ...
    @classmethod
    def load(cls) -> None: ...

class Pure(ir.DynamicOpTrait): ...

def partition_fields(fields: list[Any]) -> tuple[list[Any], list[Any], list[Any], list[Any]]: ...
