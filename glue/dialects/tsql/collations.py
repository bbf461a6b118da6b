"""When two texts are the same to SQL Server, and which comes first.

The database's collation is SQL_Latin1_General_CP1_CI_AS: capitals do not count, nor do blanks
at the end; accents do. A text of VARCHAR is compared letter by letter; of NVARCHAR hyphens and apostrophes
count last. Beside it there are binary collations, and those that tell capitals apart or accents not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from glue.dialects.catalog import quoted_text
from glue.dialects.errors import UnsupportedError
from glue.dialects.tsql.types import NATIONAL, TEXTS
from glue.dialects.tsql_errors import TSQLError
from glue.dialects.values import Sql

_NAME = re.compile(
    r"(?P<sql>SQL_)?Latin1_General(?:_CP(?:1|437|850|1252))?(?:_(?:90|100))?"
    r"_(?:(?P<binary>BIN2?)|C(?P<case>[IS])_A(?P<accent>[IS]))(?:_SC)?(?:_UTF8)?",
    re.IGNORECASE,
)
_SHAPE = re.compile(r"[A-Za-z0-9]+(?:_[A-Za-z0-9]+)*_(?:BIN2?|C[IS]_A[IS](?:_\w+)*)", re.IGNORECASE)
_OWN = "CI_AS"
_DEFAULTS = frozenset({"database_default", "catalog_default"})


def collation_named(name: str) -> str:
    """What a collation looks at: BIN, CS_AS, CI_AI, …. Raises 448 where there is none of that name."""
    if name.lower() in _DEFAULTS:
        return _OWN
    said = _NAME.fullmatch(name)
    if said is None:
        if _SHAPE.fullmatch(name):
            raise UnsupportedError(f"the collation {name}")
        raise TSQLError("448", f"there is no collation {name}")
    if said["binary"]:
        return "BIN"
    return f"C{said['case']}_A{said['accent']}".upper()


def one_collation(values: Iterable[Sql]) -> str:
    """That of several texts which meet. Raises 468 where two were named."""
    found = {value.collation for value in values if value.kind in TEXTS and value.collation}
    if len(found) > 1:
        raise TSQLError("468", f"the collations {' and '.join(sorted(found))} meet")
    return next(iter(found), "")


def same_key(value: Sql, collation: str | None = None) -> str:
    """What is equal where the value is the same to SQL Server."""
    if value.kind not in TEXTS:
        return value.text
    collation = (value.collation if collation is None else collation) or _OWN
    if isinstance(value.constant, str):
        text = value.constant.rstrip(" ")
        if collation == _OWN:
            return quoted_text(text.lower())
        if collation in ("BIN", "CS_AS"):
            return quoted_text(text)
    trimmed = f"rtrim({value.text}, ' ')"
    if collation in ("BIN", "CS_AS"):
        return trimmed
    if collation == _OWN:
        return f"lower({trimmed})"
    if collation == "CI_AI":
        return f"lower(strip_accents({trimmed}))"
    return f"strip_accents({trimmed})"


def order_key(value: Sql, collation: str | None = None) -> str:
    """What comes in the order in which SQL Server has the values."""
    if value.kind == "uniqueidentifier":
        raise UnsupportedError("the order of UNIQUEIDENTIFIER")
    if value.kind not in TEXTS:
        return value.text
    collation = (value.collation if collation is None else collation) or _OWN
    if collation == "BIN":
        return f"rtrim({value.text}, ' ')"
    if collation.startswith("CS"):
        raise UnsupportedError("the order of a collation that tells capitals apart")
    macro = "tsql_national_place" if value.kind in NATIONAL else "tsql_place"
    text = f"strip_accents({value.text})" if collation == "CI_AI" else value.text
    return f"{macro}({text})"
