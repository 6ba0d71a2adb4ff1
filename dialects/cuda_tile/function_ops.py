"""Element-wise functions: of angles, of numbers near 0, and roundings to whole numbers."""

from tilec.dialects.cuda_tile.float_ops import FloatBinaryOperation, FloatUnaryOperation


class SinHOp(FloatUnaryOperation, name="sinh"):
    """Hyperbolic sine."""


class CosHOp(FloatUnaryOperation, name="cosh"):
    """Hyperbolic cosine."""


class AsinOp(FloatUnaryOperation, name="asin"):
    """Angle from -pi/2 to pi/2 that has this sine."""


class AcosOp(FloatUnaryOperation, name="acos"):
    """Angle from 0 to pi that has this cosine."""


class AtanOp(FloatUnaryOperation, name="atan"):
    """Angle from -pi/2 to pi/2 that has this tangent."""


class Log1pOp(FloatUnaryOperation, name="log1p"):
    """Natural logarithm of 1 plus the operand."""


class Expm1Op(FloatUnaryOperation, name="expm1"):
    """Power of e, minus 1."""


class ErfOp(FloatUnaryOperation, name="erf"):
    """Error function."""


class RoundOp(FloatUnaryOperation, name="round"):
    """The nearest whole number; ties go to the even one."""


class TruncOp(FloatUnaryOperation, name="trunc"):
    """The next whole number towards zero."""


class Atan2Op(FloatBinaryOperation, name="atan2"):
    """Angle of the point (rhs, lhs), from -pi to pi."""
