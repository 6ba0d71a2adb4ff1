"""The table of the launch benchmark."""

from tools.bench.launch import BARE, measure, table


def test_medians_of_interleaved_rounds():
    now = [0.0]
    cost = {"a": 2e-6, "b": 5e-6}
    ran = []

    def contender(name):
        def run():
            ran.append(name)
            now[0] += cost[name]

        return run

    found = measure(
        {name: contender(name) for name in cost},
        lambda: None,
        rounds=8,
        calls=10,
        clock=lambda: now[0],
    )
    assert {name: round(item, 6) for name, item in found.items()} == {"a": 2.0, "b": 5.0}
    firsts = {ran[start] for start in range(0, len(ran), 22)}
    assert firsts == {"a", "b"}, "the order changes"


def test_ratios_to_the_bare_launch():
    lines = table({BARE: 5.0, "tilec, 3 tensors": 5.5}).splitlines()
    assert lines[2:] == [f"| {BARE} | 5.00 | 1.00 |", "| tilec, 3 tensors | 5.50 | 1.10 |"]
