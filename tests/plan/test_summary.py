"""The text of a plan: JSON with each operation of a loop in a line."""

import json

from tilec.plan.summary import plan_summary, plan_text

ROW = {"stage": 1, "operation": "nv_tileas.dot", "cycles": 512, "extra": [1, 2]}
METADATA = {
    "name": "k",
    "constants": {"BM": 64},
    "grid": ["cdiv(M, 64)"],
    "plan": {
        "loops": [{"why": "so", "operations": [ROW, ROW], "line": 7}],
        "cluster": [2, 1],
        "reasons": [],
        "stages": 4,
    },
}


def test_the_text_is_the_summary():
    assert json.loads(plan_text(METADATA)) == plan_summary(METADATA)


def test_loops_come_last_and_each_operation_takes_a_line():
    text = plan_text(METADATA)
    row = '{"operation": "nv_tileas.dot", "cycles": 512, "stage": 1, "extra": [1, 2]}'
    end = f"""  "loops": [
    {{
      "line": 7,
      "why": "so",
      "operations": [
        {row},
        {row}
      ]
    }}
  ]
}}
"""
    assert text.endswith(end)
    rest = {name: value for name, value in plan_summary(METADATA).items() if name != "loops"}
    assert text.removesuffix(end) == json.dumps(rest, indent=2).removesuffix("\n}") + ",\n"


def test_records_of_a_package_may_be_anything():
    for loops in (3, [3], {"a": [{}]}, [[{"operation": {}}]]):
        metadata = {"name": "k", "plan": {"loops": loops}}
        assert json.loads(plan_text(metadata))["loops"] == loops
