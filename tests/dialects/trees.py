"""The tree of a query in a line: its classes, and of what need not be there what is."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields

from glue.dialects import nodes


def shown(node: object) -> str:
    """A node as its class and its parts; names, numbers, texts and operations much as they are written."""
    match node:
        case nodes.Identifier(text=text, is_quoted=is_quoted):
            return f'"{text}"' if is_quoted else text
        case nodes.Name(parts=parts, is_outer=is_outer):
            return ".".join(map(shown, parts)) + "(+)" * is_outer
        case nodes.Star(parts=parts):
            return ".".join([*map(shown, parts), "*"])
        case nodes.Text(text=text, is_national=is_national):
            return "N" * is_national + f"'{text}'"
        case nodes.Number(text=text):
            return text
        case nodes.Operation(sign=sign, left=left, right=right):
            return f"({shown(left)} {sign} {shown(right)})"
        case nodes.Prefixed(sign=sign, operand=operand):
            return f"({sign} {shown(operand)})"
        case nodes.Comparison(sign=sign, left=left, right=right, quantifier=quantifier):
            return f"({shown(left)} {sign} {quantifier + ' ' if quantifier else ''}{shown(right)})"
        case nodes.Logic(word=word, terms=terms):
            return "(" + f" {word} ".join(map(shown, terms)) + ")"
        case list() | tuple():
            return "[" + ", ".join(map(shown, node)) + "]"
        case nodes.Node():
            return f"{type(node).__name__}({', '.join(_parts(node))})"
        case "":
            return "''"
        case _:
            return str(node)


def entries(written: str) -> list[tuple[str, str]]:
    """What is read, each in a line, and its tree in the lines below that, which are set in."""
    found: list[tuple[str, str]] = []
    for line in written.strip().split("\n"):
        if line.startswith(" "):
            what, tree = found.pop()
            found.append((what, f"{tree} {line.strip()}".strip()))
        else:
            found.append((line, ""))
    return found


def _parts(node: nodes.Node) -> list[str]:
    """What must be given as it comes, and what need not by its name."""
    parts = []
    for field in fields(node):
        value = getattr(node, field.name)
        if field.default is MISSING and field.default_factory is MISSING:
            parts.append(shown(value))
        elif field.name != "place" and not _is_default(value, field):
            parts.append(f"{field.name}={shown(value)}")
    return parts


def _is_default(value: object, field: Field[object]) -> bool:
    if field.default_factory is not MISSING:
        return value == field.default_factory()
    return value == field.default
