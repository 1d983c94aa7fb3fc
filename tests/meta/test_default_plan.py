"""The C++ core builds the default models without Python: their plans are written into it from the estimators, which declare them.

After a change of a default: `python -m tests.meta.test_default_plan`, then `make build`.
"""

from pathlib import Path
from typing import Any

import numpy as np

import streamboost as sb

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "core/src/run/default_plan.cpp"

HEAD = """\
// The plans of the default models, as src/streamboost declares them; written by tests/meta/test_default_plan.py.
#include "streamboost/run/plan.hpp"

namespace streamboost {

// clang-format off
"""
TAIL = """\
// clang-format on

}  // namespace streamboost
"""


def value(given: Any) -> str:
    if given is None:
        return "Config::none"
    if isinstance(given, bool):
        return str(given).lower()
    if isinstance(given, str):
        return f'"{given}"'
    return repr(given)


def config(params: dict[str, Any]) -> str:
    """Return the braces of a Config, in lines that are not too long."""
    lines, indent = ["{"], " " * 10
    for name in sorted(params):
        pair = f'{{"{name}", {value(params[name])}}}, '
        if len(lines[-1]) + len(pair) > 100:
            lines.append(indent)
        lines[-1] += pair
    return "\n".join(line.rstrip() for line in lines).removesuffix(",") + "}"


def companion(of: dict[str, Any]) -> str:
    parts = [
        value(of["name"]),
        value(of["learner"]),
        config(of["params"]),
        f"read_guard({config(of['guard'])})",
    ]
    if "booster" in of:
        parts += [value(of["booster"]), config(of["booster_params"]), value(of["size"])]
    assert set(of) <= {"name", "learner", "params", "guard", "booster", "booster_params", "size"}
    return "      {" + ",\n       ".join(parts) + "},\n"


def outer(plan: dict[str, Any]) -> str:
    if not plan["outer_companions"]:
        return ""
    made = "".join(map(companion, plan["outer_companions"]))
    return f"  plan.outer_companions = {{\n{made}  }};\n  plan.outer_pool = {config(plan['outer_pool'])};\n"


def function(name: str, plan: dict[str, Any]) -> str:
    """Return a C++ function that gives the plan, all but the seed; what stands at the core's own default is left out."""
    plain = {"tie": "lowest", "monitor": True, "lane_factory": None, "threads": 1, "stages": {}, "lags": {}}
    assert {key: plan[key] for key in plain} == plain
    experts = ""
    if plan["experts"]:
        listed = "".join(map(companion, plan["experts"]))
        experts = f"  plan.experts = {{\n{listed}  }};\n  plan.referee = {config(plan['referee'])};\n"
    return f"""\
Plan {name}(std::uint64_t seed) {{
  Plan plan;
  plan.booster = {value(plan["booster"])};
  plan.booster_params = {config(plan["booster_params"])};
  plan.learner = {value(plan["learner"])};
  plan.learner_params = {config(plan["learner_params"])};
  plan.ensemble.n_estimators = {plan["n_estimators"]};
  plan.ensemble.seed = seed;
  plan.ensemble.guard = read_guard({config(plan["guard"])});
  plan.companions = {{
{"".join(map(companion, plan["companions"]))}  }};
  plan.pool = {config(plan["pool"])};
{outer(plan)}{experts}  return plan;
}}
"""


def rendered() -> str:
    x, y = np.eye(2), [0, 1]
    functions = [
        function("default_classifier", sb.StreamBoostClassifier().fit(x, y).session.plan),
        function("default_regressor", sb.StreamBoostRegressor().fit(x, y).session.plan),
    ]
    return HEAD + "\n".join(functions) + TAIL


def test_the_core_has_the_default_plans_of_the_estimators() -> None:
    assert SOURCE.read_text() == rendered()


if __name__ == "__main__":
    SOURCE.write_text(rendered())
