"""Recognises the spellings of qd.graph names in a kernel from the syntax tree of the called function (module ast)."""

import ast as _ast
import warnings as _warnings


def is_deprecated_spelling(func_node, name):
    """Returns whether the name is spelled `qd.graph_<name>` or `graph_<name>`."""
    old = f"graph_{name}"
    if isinstance(func_node, _ast.Attribute):
        return func_node.attr == old
    return isinstance(func_node, _ast.Name) and func_node.id == old


def matches(func_node, name):
    """Returns whether the name is spelled `qd.graph.<name>`, `graph.<name>`, or in the former way; the package may have any alias."""
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
