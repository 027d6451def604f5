"""How names of qd.graph may be spelled in a kernel, told from the syntax of a call's function (module ast)."""

import ast as _ast
import warnings as _warnings


def is_deprecated_spelling(func_node, name):
    """`qd.graph_<name>` or `graph_<name>`."""
    old = f"graph_{name}"
    if isinstance(func_node, _ast.Attribute):
        return func_node.attr == old
    return isinstance(func_node, _ast.Name) and func_node.id == old


def matches(func_node, name):
    """`qd.graph.<name>`, `graph.<name>`, or the earlier spellings; the package may have any name."""
    if is_deprecated_spelling(func_node, name):
        return True
    if not isinstance(func_node, _ast.Attribute) or func_node.attr != name:
        return False
    owner = func_node.value
    return (owner.attr if isinstance(owner, _ast.Attribute) else getattr(owner, "id", None)) == "graph"


def warn_if_deprecated(func_node, name):
    if is_deprecated_spelling(func_node, name):
        _warnings.warn(
            f"qd.graph_{name}() is deprecated and will be removed in a future release; use qd.graph.{name}() instead.",
            DeprecationWarning,
            stacklevel=2,
        )
