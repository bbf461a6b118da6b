"""Where a SQL text is valid, as the warehouse stores it: dialects by their grammar, and versions of Oracle.

A text that its own engine refuses and another takes is F2 of ESQ-Bench's failure taxonomy (section 5.5); so
is, for Oracle 19c, what only 21c takes (EXCEPT, and ALL after MINUS and INTERSECT).
"""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import Any

from glue.dialects.elsewhere import valid_in
from glue.dialects.errors import DialectError, UnsupportedError
from glue.dialects.oracle_grammar import read_oracle

ORACLE_VERSIONS = (19, 21)
MAX_CHARACTERS = 100_000


def sql_validity(sql: str, dialect: str) -> dict[str, Any]:
    """`valid_in`: dialects by sqlglot's names; `oracle_versions`: whose grammar takes an Oracle text."""
    if len(sql) > MAX_CHARACTERS:
        return {"valid_in": [], "oracle_versions": []}
    versions = [version for version in ORACLE_VERSIONS if dialect == "oracle" and _is_read(sql, version)]
    found = valid_in(sql)  # of Oracle, by the older grammar
    if versions == [ORACLE_VERSIONS[1]]:
        found = [*found, "oracle"]
    return {"valid_in": sorted(found), "oracle_versions": versions}


def _is_read(sql: str, version: int) -> bool:
    try:
        read_oracle(sql, version)
    except UnsupportedError:
        return True
    except DialectError:
        return False
    return True


@functools.cache
def validity_version() -> str:
    """A hash of the readers' source: results of two versions never mix."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]
