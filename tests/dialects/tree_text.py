"""A tree of a query as a short text, for tests to compare.

A node is its class with its parts in brackets, those that are as they always are left out: of `a + 1 AS b`
Item(Operation(+, a, 1), alias=b).
"""

from __future__ import annotations

from dataclasses import MISSING, Field, fields
from typing import Any

from glue.dialects import nodes


def text_of(part: Any) -> str:
    """The text of a node, of several, or of what else stands in one."""
    match part:
        case nodes.Identifier():
            return f'"{part.text}"' if part.is_quoted else part.text
        case nodes.Name(is_outer=False):
            return text_of(part.parts)
        case nodes.Number():
            return part.text
        case nodes.Text(is_national=False):
            return repr(part.text)
        case nodes.Null():
            return "NULL"
        case nodes.Star():
            return ".".join([*map(text_of, part.parts), "*"])
        case nodes.Item(alias=None):
            return text_of(part.value)
        case nodes.Node():
            return f"{type(part).__name__}({', '.join(_parts(part))})"
        case list():
            return f"[{', '.join(map(text_of, part))}]"
        case tuple() if all(isinstance(name, nodes.Identifier) for name in part):
            return ".".join(map(text_of, part))
        case tuple():
            return f"({', '.join(map(text_of, part))})"
    return str(part)


def _parts(node: nodes.Node) -> list[str]:
    """The parts that have no default; and by their names those that are not what the default says."""
    found = []
    for field in fields(node):
        value = getattr(node, field.name)
        if field.default is MISSING and field.default_factory is MISSING:
            found.append(text_of(value))
        elif field.name != "place" and value != _default(field):
            found.append(f"{field.name}={text_of(value)}")
    return found


def _default(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()
