"""moe_router in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"T": 40, "E": 64, "K": 8}
CASES = ({"T": 1, "E": 128, "K": 1}, {"T": 17, "E": 100, "K": 4}, {"T": 3, "E": 9, "K": 2})
LAYOUTS = ({"S": "odd"}, {"W": "odd", "I": "col"})


def reference(
    S: np.ndarray,  # noqa: N803
    W: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return the softmax of the largest scores of each row, and their columns: as many as in W."""
    order = np.argsort(-S, axis=1, kind="stable")[:, : W.shape[1]]
    scores = np.take_along_axis(S, order, axis=1)
    weights = np.exp(scores - scores[:, :1])
    return {"W": weights / weights.sum(axis=1, keepdims=True), "I": order.astype(np.int32)}
