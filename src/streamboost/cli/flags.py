"""Flags that are no options of a command: parameters of models and learners."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

FLAGS = "streamboost.flags"
"""Key of the context's ``meta`` under which flags of models and learners wait for the ``run`` command."""


class RunCommand(TyperCommand):
    """Sets flags aside that are not options of the command: they are parameters of models and learners.

    Which ones there are depends on the model, and finding out imports scikit-learn.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take ``--name value``, ``--name=value``, ``--name`` and ``--no-name`` out of the arguments."""
        known: dict[str, bool] = dict.fromkeys(ctx.help_option_names, False)
        for param in self.params:
            takes_value = not getattr(param, "is_flag", False)
            known.update(dict.fromkeys([*param.opts, *param.secondary_opts], takes_value))
        kept: list[str] = []
        flags: list[tuple[str, str | None]] = []
        rest = list(args)
        while rest:
            token = rest.pop(0)
            name, equals, value = token.partition("=")
            if token == "--":
                kept += [token, *rest]
                break
            if name in known or not token.startswith("--"):
                kept.append(token)
                if known.get(token) and rest:
                    kept.append(rest.pop(0))
            elif equals:
                flags.append((name[2:], value))
            elif _stands_alone(name, rest) or rest[0] in known:
                flags.append((name[2:], None))
            else:
                flags.append((name[2:], rest.pop(0)))
        if flags:
            # Now, because a wrong flag may have taken the place of DATA for its value.
            from streamboost.cli.parameters import check_flag_names

            check_flag_names([name for name, _ in flags], list(known))
        ctx.meta[FLAGS] = flags
        return list(super().parse_args(ctx, kept))


def _stands_alone(flag: str, rest: list[str]) -> bool:
    """Whether what follows a flag of a model or learner is not its value; one that is true or false has none but these."""
    if flag.startswith("--no-") or not rest or rest[0].startswith("--"):
        return True
    from streamboost.base.lazy_imports import import_sklearn

    import_sklearn()
    from streamboost.cli.parameters import switches

    return flag[2:].replace("-", "_") in switches() and rest[0].lower() not in ("true", "false")
