"""What SQL Server takes and refuses before it looks at a table: by the conformance cases and real queries."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from glue.dialects.errors import UnsupportedError
from glue.dialects.tsql_errors import TSQLError
from glue.dialects.tsql_grammar import read_tsql
from tests.dialects.test_conformance_cases import cases

NUMBERS = """
    102 127 130 147 153 155 156 164 174 189 195 243 324 408 1023 1031 1033 1060 1062 4108 4109 4112 4145 4194
    5308 10741 10744 10759
"""
OF_THE_PARSER = set(NUMBERS.split())
"""Of the cases' errors those that need no table and no type."""


def said(sql: str) -> str | None:
    """The number of a refusal, or what is not read; None where it is taken."""
    try:
        read_tsql(sql)
    except TSQLError as error:
        return error.code
    except UnsupportedError as error:
        return str(error)
    return None


def test_the_cases_are_refused_where_no_table_is_needed_to_refuse_them() -> None:
    found, expected = {}, {}
    for case in cases("tsql.jsonl"):
        error = case.get("error")
        expected[case["id"]] = error if error in OF_THE_PARSER else None
        found[case["id"]] = said(case["sql"])
    assert found == expected
    assert {error for error in expected.values() if error} == OF_THE_PARSER


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        # words
        ("select 'a", "105"),
        ('select "a from t', "105"),
        ("select [a from t", "105"),
        ("select from t where a = 'b", "156"),
        ("select 1 /* a /* b */ */ as x", None),
        ("select 1 /* a /* b */", "113"),
        (f"select {'a' * 128} from t", None),
        (f"select {'a' * 129} from t", "103"),
        ('select a as "" from t', "1038"),
        ("select a]]b from t", "102"),
        ("select [a]]b], [c d], \"e\"\"f\", #g, _h from [s].[t]", None),
        ("select n'x', 0x1F, 1e3, 1., .5, $12.50, - - 1", None),
        ("select a from t where b < > 1 and c ! = 2 and d !< 3", None),
        ("select 1 ; ;", None),
        # names
        ("select plan from t", "156"),
        ("select a order from t", "156"),
        ("select true, date, limit, offset, value from rows", None),
        ("select a from d..t, s.d.o.t", None),
        ("select a::date, b::numeric(10, 2) from t where s.a::int = 1", "243"),
        ("select a from t where f(a)::int = 1", "4145"),
        ("select f(a)::int from t", "102"),
        ("select geography::Point(1, 2, 4326)", "a method of a type"),
        ("select user, current_timestamp, current_date from t", "156"),
        # what other dialects write
        ("select a from t limit 2", "102"),
        ("select a from t limit", None),
        ("select a from t where b = 1 limit 2", "102"),
        ("select a from t order by a offset 1", "102"),
        ("select a from t fetch first 2 rows only", "153"),
        ("select a from t where a = (select b from u fetch first 1 rows only)", "156"),
        ("select a from t where a ilike 'b%'", "4145"),
        ("select a from t where a not ilike 'b%'", "102"),
        ("select a from t where a is true", "102"),
        ("select a from t where true", "4145"),
        ("select a from t where (a = 1) = (b = 1)", "4145"),
        ("select a from a join b using (i)", "321"),
        ("select a from a natural join b", "102"),
        ("select a from a, b where a.i = b.i (+)", "102"),
        ("with recursive n as (select 1 a) select a from n", "102"),
        ("select count(*) filter (where a = 1) from t", "156"),
        ("select (select count(*) filter (where a = 1) from t)", "102"),
        ("select 1 (select 2)", "more than one statement"),
        ("select a from t minus select a from u", "more than one statement"),
        ("select a from t qualify row_number() over (order by a) = 1", "102"),
        ("select cast(a, int) from t", "1035"),
        ("select cast(a int) from t", "102"),
        ("select convert(a, char) from t", "243"),
        ("select datediff(a, b) from t", "174"),
        ("select a from t for update", "1003"),
        ("select a from t union distinct select a from u", "156"),
        ("select row(1, 2)", "195"),
        # conditions and values
        ("select a from t where (a)", "4145"),
        ("select a from t where not a", "4145"),
        ("select a from t where ((a + 1)) * 2 > ((3)) and (a = 1 or not (b = 2))", None),
        ("select a from t where a = any (select 1) and b > all (select b from u)", None),
        ("select a from t where a in ((select b from u), (select b from v), 1)", None),
        ("select a from t where a in ()", "102"),
        ("select a from t where a = b = c", "102"),
        ("select a from t where a between 1", "102"),
        ("select a from t where", "102"),
        ("select case when a then 1 end from t", "4145"),
        ("select case when a = 1 then 1 from t", "156"),
        ("select 1 end", "102"),
        ("select a from t where a is not not null", "156"),
        ("select substring('abc' from 1 for 2)", "156"),
        ("select case a when 1 then (case when b is not null then 2 end) else 3 end from t", None),
        ("select (a = 1) from t", "102"),
        ("select (1, 2)", "102"),
        ("select a at time zone 'UTC' at time zone 'Central European Standard Time' from t", None),
        ("select a from t where a like '%!%' escape '!' and b collate Latin1_General_BIN = 'x'", None),
        ("select iif(a = 1, 2) from t", "102"),
        ("select nullif(a) from t", "102"),
        ("select sum(*) from t", "102"),
        ("select try_convert(varchar(max), a, 120), cast(b as double precision) from t", None),
        ("select try_cast(a as numeric(10, 2)), parse('x' as date using 'en-GB') from t", None),
        ("select trim(both ' ' from a), trim(a) from t", None),
        ("select convert(int, a, 1, 2) from t", "CONVERT with 4 arguments"),
        ("select convert(int, a, 1, 2 from t", "156"),
        ("select cast(a as int) over (order by a) from t", "156"),
        ("select @a", "137"),
        ("select @@version", "@@version"),
        ("select next value for s", "next"),
        ("select {d '2024-01-01'}", "{"),
        ("select dbo.f(1), nosuch(1)", "195"),
        ("select concat('a'), getdate()", "189"),
        ("select choose(1)", "1076"),
        ("select max(a, b) from t", "174"),
        # tables
        ("select a from (select 1 a)", "102"),
        ("select a from (select 1 a) where a = 1", "156"),
        ("select a from (values (1), (2)) v(a)", None),
        ("select a from (values (1), (2)) v", "8155"),
        ("select a from (values (1, 2), (3, 4)) v(a)", "8159"),
        ("select a from (values (1), (2)) v(a, b)", "8158"),
        ("select a from (values (1), (2, 3)) v(a)", "10709"),
        ("select a from (t)", "102"),
        ("select * from (a join b on a.i = b.i) left outer join c on c.i = a.i", None),
        ("select * from a join b join c on b.i = c.i on a.i = b.i", None),
        ("select * from a inner hash join b on a.i = b.i cross join c, d", None),
        ("select * from a join b", "102"),
        ("select * from a join b where a.i = b.i", "156"),
        ("select a from t x with (nolock, index(i)) join u (nolock) on u.i = x.i", None),
        ("select a from t as x (a)", "321"),
        ("select a from t where a = 1 with (nolock)", "319"),
        ("select a from @t", "1087"),
        ("select a from openjson(@a)", "OPENJSON in FROM"),
        ("select a from string_split('a,b', ',') s outer apply (select s.value v) x", None),
        ("select * from t pivot (sum(a) for b in ([1], c)) p unpivot (v for k in (x, y)) u", None),
        ("select * from t pivot (sum(a) for b in (1, 2)) p", "102"),
        ("select * from t pivot (sum(a) for b in ([1]))", "102"),
        # queries
        ("select", "102"),
        ("select a, from t", "156"),
        ("select a b c from t", "102"),
        ("select a 'b', 'c' = d, e as 'f', t.*, s.t.* from t where 1 = 1", None),
        ("select * x from t", "102"),
        ("select top 5 percent with ties a from t order by a", None),
        ("select top a from t", "102"),
        ("select top -1 a from t", "102"),
        ("select a from t order by a offset -1 rows", "10742"),
        ("select all top (2) a from t", None),
        ("select top (2) a from t union all select a from u order by a offset 0 rows", None),
        ("(select a from t) union all ((select a from u) except select a from v) order by a", None),
        ("(select a from t order by a) union all select a from u", "156"),
        ("select a from t; select b from u", "more than one statement"),
        ("select a from t with x as (select 1 a) select a from x", "319"),
        ("select a from (with x as (select 1 a) select a from x) y", "319"),
        (";with x(a) as (select 1), y as (select top 1 a from x order by a) select a from y", None),
        ("select a from t where a in (select a from u order by a)", "1033"),
        ("select * from (select a from t order by a offset 1 rows) x", None),
        ("select * from (select a from t order by a) x limit 1", "102"),
        ("select a from t order by a offset 1 rows fetch next 2 rows only option (maxrecursion 0)", None),
        ("select a from t group by a, rollup(b, (c, d)), grouping sets ((a), ()) having count(*) > 1", None),
        ("select a from t group by a with rollup", None),
        ("select a from t group by (a, b)", "102"),
        ("select a from t group by (select 1)", "144"),
        ("select a from t group by getdate()", "164"),
        ("select a from t order by null", "408"),
        ("select a into #x from t", "SELECT INTO"),
        ("select a from t for json path", "FOR JSON"),
        ("delete from t", "DELETE, which is no query"),
        ("show tables", "a call of a procedure"),
        # windows
        ("select row_number() from t", "10753"),
        ("select rank() over (order by a rows unbounded preceding) from t", "10752"),
        ("select sum(a) over (partition by b rows 1 preceding) from t", "10756"),
        ("select lag(a) over (rows unbounded preceding) from t", "102"),
        ("select sum(a) over (order by b rows between current row and 1 preceding) from t", "4193"),
        ("select row_number() over (order by (select null)) from t", None),
        ("select row_number() over (order by 'a') from t", "5309"),
        ("select sum(a) over (w rows 1 preceding) from t window w as (v order by b), v as ()", None),
        ("select lag(a) over w from t window w as (partition by b)", "5366"),
        ("select lag(a) over w from t", "5362"),
        ("select a from t window", None),
        ("select a from t group by row_number() over (order by a)", "4108"),
        ("select a from t join u on count(*) = 1", "1015"),
        ("select sum(a) over (order by rank() over (order by b)) from t", "4109"),
        ("select sum((select 1)) from t", "130"),
        (f"select {'(' * 20_000}1{')' * 20_000}", "brackets too deep within one another"),
    ],
)  # fmt: skip
def test_what_is_written_in_other_dialects_and_what_is_not(sql: str, code: str | None) -> None:
    assert said(sql) == code


def test_an_error_of_the_grammar_comes_before_one_that_is_noted() -> None:
    assert said("select nosuch(a) from (select a from t order by a) x") == "195"
    assert said("select nosuch(a) from (select a from t order by a) x limit 3") == "102"


def test_no_piece_of_a_case_raises_anything_else() -> None:
    for case in cases("tsql.jsonl"):
        for end in range(len(case["sql"])):
            said(case["sql"][:end])


def test_real_queries_are_taken_and_those_of_other_dialects_are_not(shared_data: Path) -> None:
    """The golds of 466 questions in Transact-SQL, and of the same questions in PostgreSQL's dialect."""
    found: dict[str, Counter[bool]] = {"tsql": Counter(), "postgres": Counter()}
    for dialect, counts in found.items():
        for kind in ("instruct_basic", "instruct_advanced", "questions_gen"):
            with (shared_data / "defog" / "data" / f"{kind}_{dialect}.csv").open(newline="") as file:
                golds = [gold for row in csv.DictReader(file) for gold in row["query"].split(";")]
            counts.update(said(gold) is None for gold in golds if gold.strip())
    assert found["tsql"] == {True: 466}
    assert found["postgres"][False] >= 200
