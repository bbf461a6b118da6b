"""Where a text is valid, and from which Oracle on."""

from __future__ import annotations

import pytest

from glue.dialects.validity import MAX_CHARACTERS, sql_validity, validity_version


@pytest.mark.parametrize(
    ("sql", "is_oracle", "versions", "another"),
    [
        ("SELECT a FROM t FETCH FIRST 3 ROWS ONLY", True, [19, 21], "postgres"),
        ("SELECT a FROM t LIMIT 3", False, [], "sqlite"),
        ("SELECT a FROM t EXCEPT SELECT b FROM u", True, [21], "postgres"),
        ("SELECT a FROM t MINUS ALL SELECT b FROM u", True, [21], None),
        ("SELECT 1", False, [], "mysql"),  # without FROM from 23 on
        ("SELECT SYS_CONNECT_BY_PATH(a, '/') FROM t CONNECT BY PRIOR a = b", True, [19, 21], None),
        ("SELEC", False, [], None),
    ],
)
def test_oracles_texts(sql: str, is_oracle: bool, versions: list[int], another: str | None) -> None:
    found = sql_validity(sql, "oracle")
    assert ("oracle" in found["valid_in"], found["oracle_versions"]) == (is_oracle, versions)
    assert (another in found["valid_in"]) if another else not set(found["valid_in"]) - {"oracle"}


def test_only_oracles_texts_have_versions() -> None:
    found = sql_validity("SELECT a FROM t MINUS SELECT b FROM u", "sqlite")
    assert found["oracle_versions"] == [] and "oracle" in found["valid_in"]


def test_a_text_beyond_the_limit_is_valid_nowhere() -> None:
    assert sql_validity("SELECT " + "a, " * MAX_CHARACTERS + "b FROM t", "oracle")["valid_in"] == []


def test_the_version_is_of_the_readers() -> None:
    assert len(validity_version()) == 12
