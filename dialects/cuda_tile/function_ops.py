"""Element-wise functions: hyperbolic ones, the error function, and roundings to whole numbers."""

from tilec.dialects.cuda_tile.float_ops import FloatBinaryOperation, FloatUnaryOperation


class SinHOp(FloatUnaryOperation, name="sinh"):
    """Hyperbolic sine."""


class CosHOp(FloatUnaryOperation, name="cosh"):
    """Hyperbolic cosine."""


class ErfOp(FloatUnaryOperation, name="erf"):
    """Error function."""


class RoundOp(FloatUnaryOperation, name="round"):
    """The nearest whole number; ties go to the even one."""


class TruncOp(FloatUnaryOperation, name="trunc"):
    """The next whole number towards zero."""


class Atan2Op(FloatBinaryOperation, name="atan2"):
    """Angle of the point (rhs, lhs), from -pi to pi."""
