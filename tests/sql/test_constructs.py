"""Constructs are told from texts and remarks, by Python and by the macro alike."""

from __future__ import annotations

import duckdb
import pytest

from glue.build import project_directory
from glue.sql.constructs import construct_patterns, used_constructs

CASES = {
    "SELECT NVL(a, 0) FROM t": {"nvl"},
    "SELECT NVL2(a, 1, 0) FROM t": {"nvl2"},
    "SELECT 'MINUS', 'it''s ROWNUM' FROM t": set(),
    "SELECT a FROM t -- it's MINUS\nMINUS /* DECODE( */ SELECT b FROM u": {"minus"},
    "SELECT a FROM t ORDER BY a NULLS LAST FETCH  FIRST 3 ROWS ONLY": {"nulls_order", "fetch_first"},
    "SELECT a FROM t WHERE d >= DATE '2024-01-01' AND ROWNUM <= 3": {"date_literal", "rownum"},
    "SELECT LEVEL, SYS_CONNECT_BY_PATH(a, '/') FROM t CONNECT BY NOCYCLE PRIOR a = b": {
        "connect_by",
        "connect_by_nocycle",
        "sys_connect_by_path",
    },
    "SELECT RANK() OVER (ORDER BY a), LAG(a, 1) OVER (ORDER BY b) FROM t": {"window_rank", "lag_lead"},
    "SELECT a FROM t, u WHERE t.a = u.a ( + )": {"outer_join_mark"},
    "SELECT a - b AS minus_b FROM t": set(),
    "SELECT MAX(a) KEEP (DENSE_RANK LAST ORDER BY b) FROM t": {"keep_dense_rank"},
    "SELECT a, SUM(b) FROM t GROUP BY ROLLUP (a)": {"grouping_extension"},
}


@pytest.mark.parametrize("sql", CASES)
def test_constructs_of_a_text(sql: str) -> None:
    assert used_constructs(sql, "oracle") == CASES[sql]


def test_the_macro_says_the_same() -> None:
    text = (project_directory() / "macros" / "uses_construct.sql").read_text("utf-8")
    expression = text.split("-%}")[1].split("{%-")[0]
    with duckdb.connect() as connection:
        for sql, expected in CASES.items():
            found = set()
            for name, pattern in construct_patterns("oracle").items():
                query = "select " + expression.replace("{{ sql }}", "$1").replace("{{ pattern }}", "$2")
                (is_used,) = connection.execute(query, [sql, pattern.pattern]).fetchone() or ()
                found |= {name} if is_used else set()
            assert found == expected, sql
