"""What Oracle's parser takes and refuses: by the conformance cases, and by real queries."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle_errors import OracleError
from glue.dialects.oracle_grammar import read_oracle
from tests.dialects.test_conformance_cases import cases

NUMBERS = "00902 00905 00907 00911 00920 00923 00928 00933 00936 01741 01747 01756 02014"
OF_THE_PARSER = {f"ORA-{number}" for number in NUMBERS.split()}


def said(sql: str, version: int = 19) -> str | None:
    """The code of a refusal, or what is not read; None where it is taken."""
    try:
        read_oracle(sql, version)
    except OracleError as error:
        return error.code
    except UnsupportedError as error:
        return str(error)
    return None


def test_the_cases_are_refused_by_the_parser_where_it_is_the_parser_that_refuses_them() -> None:
    found, expected = {}, {}
    for case in cases("oracle.jsonl"):
        error = case.get("error")
        version = int(case.get("settings", {}).get("version", "19c")[:2])
        expected[case["id"]] = error if error in OF_THE_PARSER else None
        found[case["id"]] = said(case["sql"], version)
    assert found == expected
    assert len({error for error in expected.values() if error}) > len(OF_THE_PARSER) - 2


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("select 1 from dual where 1 = 1 limit 5", "ORA-00933"),
        ("select a from t limit 5", "ORA-00933"),
        ("select a from t limit", None),
        ("select (a > 1) from t", "ORA-00907"),
        ("select count(a > 1) from t", "ORA-00907"),
        ("select a from t where (a)", "ORA-00920"),
        ("select a from t where (a, b) in ((1, 2), (3, 4)) and (a = 1 or not (b = 2))", None),
        ("select a from t where ((a + 1)) * 2 > ((3))", None),
        ("select a from t where a = any (select 1 from dual)", None),
        ("select [a] from t", "ORA-00936"),
        ("select a from t order by", "ORA-00936"),
        ("select a from (select 1 a from dual) x, lateral (select x.a from dual) y", None),
        ("select a from ((select 1 a from dual) union (select 2 from dual)) x", None),
        ("select * from (a join b on a.i = b.i) join c using (i)", None),
        ("select * from a join b join c on b.i = c.i on a.i = b.i", None),
        ("select sum(x) over (order by b rows between 1 preceding and current row) from t", None),
        ("select max(a) keep (dense_rank last order by b nulls first) from t", None),
        ("select listagg(a on overflow truncate '…' without count) within group (order by a) from t", None),
        ("select a from t where a = q'[it's]' and b = nq'!x!' and c = n'y'", None),
        ("select a from t where a = q'[it's", "ORA-01756"),
        ("select a b c from t", "ORA-00923"),
        ("select a from t t2 t3", "ORA-00933"),
        ("select a, from t", "ORA-00936"),
        ("select a from t where a in (select b from u", "ORA-00907"),
        ("select case when a then 1 end from t", "ORA-00920"),
        ("select case when a = 1 then 1 from t", "ORA-00905"),
        ("select cast(a as text) from t", "ORA-00902"),
        ("select a from t where a is", "ORA-00908"),
        ("select a from t group a", "ORA-00924"),
        ("select a from t start with a = 1", "ORA-01788"),
        ("select a from t for update", "FOR UPDATE"),
        ("select a from t model dimension by (a) measures (b) rules (b[1] = 2)", "MODEL"),
        ("delete from t", "ORA-00928"),
        ("select a from t; select b from u", "ORA-00933"),
        (f"select {'(' * 20_000}1{')' * 20_000} from dual", "brackets too deep within one another"),
    ],
)  # fmt: skip
def test_what_is_written_in_other_dialects_and_what_is_not(sql: str, code: str | None) -> None:
    assert said(sql) == code


def test_later_versions_take_more() -> None:
    for sql in ("select 1 a from t except select 2 from u", "select 1 a from t minus all select 2 from u"):
        assert said(sql) is not None and said(sql, 21) is None
    assert said("select 1", 19) == said("select 1", 21) == "ORA-00923"
    assert said("select 1", 23) is None


def test_real_queries_are_taken(shared_data: Path) -> None:
    """Of 282 texts that another parser is tested with, many are no queries; what is refused was looked at."""
    found: Counter[str] = Counter()
    for path in sorted((shared_data / "oracle_queries").rglob("*.sql")):
        sql = re.split(r"^--@", path.read_text(errors="replace"), flags=re.MULTILINE)[0]
        found[said(sql.strip()) or "taken"] += 1
    assert found["taken"] >= 137
    assert sum(n for code, n in found.items() if code.startswith("ORA-")) <= 90
