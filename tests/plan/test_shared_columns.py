"""Two consumers share the columns of products where one would hold too many registers."""

from dataclasses import replace

from tilec.plan import KernelProblem, MmaTile, plan_kernel
from tilec.request.target import get_target

TARGET = get_target("sm_90a")


def test_two_consumers_share_columns_where_one_would_hold_too_much():
    """Four accumulators of 64 registers each, or fewer if a plan with one consumer has spilled."""
    gate = (64, 128, 4)
    many = MmaTile(64, 128, 128, 2, 4, (gate, gate, gate), holds_a=True)
    few = MmaTile(64, 128, 128, 2, 4, (gate,), holds_a=True)
    problem = KernelProblem((many,), 65536, 131072, 64 * 128)
    assert plan_kernel(problem, TARGET).consumers == 2
    problem = replace(problem, mma=(few,))
    plan = plan_kernel(problem, TARGET)
    assert (plan.consumers, plan.one_consumer) == (1, True)
    assert plan_kernel(replace(problem, one_consumer=False), TARGET).consumers == 2
    alone = replace(few, also_live=(), holds_a=False)
    assert not plan_kernel(replace(problem, mma=(alone,)), TARGET).one_consumer
    odd = replace(few, n=8, also_live=((64, 256, 4), (64, 256, 4)))
    assert plan_kernel(replace(problem, mma=(odd,)), TARGET).consumers == 1
