"""Is a batch of Transact-SQL one SELECT? Decided from its reserved words; no server was asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glue.engines.base import NotSQL, Refused
from glue.engines.sqlserver_reads import _STARTERS, one_select

READS = [
    "select 1",
    "SELECT a, b FROM t WHERE a = 'drop table x' ORDER BY a;",
    "with a as (select 1 as x), b as (select x from a) select * from b",
    "with xmlnamespaces ('u' as n), a as (select 1 as x) select x from a",
    "(select 1) union all (select 2) except select 3 intersect select 4",
    "select 1 union select 2 union all select 3",
    "select * from t where a in (select b from u) and exists (select 1 from v)",
    "select * from t where a = all (select b from u)",
    "select case when a = 1 then case when b = 2 then 3 end else 4 end as x from t",
    "select * from t order by a offset 5 rows fetch next 10 rows only",
    "select * from t order by a offset 5 row fetch first 1 row only",
    "select * from a inner merge join b on a.x = b.x",
    "select * from a join b on a.x = b.x option (merge join, maxrecursion 0)",
    "select * from a option (use hint ('FORCE_LEGACY_CARDINALITY_ESTIMATION'))",
    'select [drop], "delete", [a]]; drop table x] from [update] as [select]',
    "select t1.exec_id, t1.email, t1.e1 from t1",
    "select 1e10, 1.5E-3, 1.e5, .5e3, 0x1F, 0xdead, $1.50, -1",
    "select top (10) with ties a, count(*) over (partition by b) from t with (nolock) order by a",
    "select a from t for xml path('x'), type",
    "select a from t for json auto",
    "select {fn now()}, {d '2024-01-31'}, call, receive from t",
    "select a from t group by rollup (a) having count(*) > 1",
    "select replace(a, 'x', 'y'), left(a, 1), right(a, 2), iif(a = 1, 2, 3) from t",
    "select * from openjson(@@version) with (a int '$.a')",
    "select string_agg(a, ',') within group (order by b) from t",
    "select deleted, inserted, updated_at, dropped, is_set, returned from t",
    "select * from t pivot (sum(a) for b in ([x], [y])) as p",
    "select * from t cross apply (values (1), (2)) as v (x)",
]


@pytest.mark.parametrize("sql", READS)
def test_reads_pass(sql: str) -> None:
    assert one_select(sql) == sql.rstrip(";")


@pytest.mark.parametrize(
    "sql",
    [
        "select 1 drop table x",
        "select $drop table x",
        "select 'a'drop table x",
        "select [a]drop table x",
        "select a from t as b drop table x",
        "(select 1) drop table x",
        "select * from t commit",
        "select * from t rollback",
        "select 1 exec sp_who",
        "select 1\nexecute('drop table x')",
        "select 1 select 2",
        "(select 1) select 2",
        "select 1 union select 2 select 3",
        "with a as (select 1 as x) select x from a select 2",
        "select all 1 select all 2",
        "select 1 set lock_timeout 0",
        "select 1 waitfor delay '00:10'",
        "select 1 declare @x int",
        "select 1 begin tran",
        "select 1 if 1 = 1 shutdown",
        "select 1 use master",
        "select 1 fetch next from c",
        "select 1 merge t using u on 1 = 1",
        "select 1 end conversation @h",
        "select 1 as x send on conversation @h",
        "select 1 as x disable trigger all on database",
        "select case when 1 = 1 then 2 end end",
        "select 1 /* a /* b */ */ drop table x",
        "select 1 -- a\ndrop table x",
        "select 1 ｄｒｏｐ table x",
        "select 1 prınt 'x'",
        "select 1; drop table x",
        "select 1 as x receive * from q",
        "select 1 as x {call sp_who}",
        "select 1 as x {?=call sp_who}",
    ],
)
def test_a_second_statement_refuses_the_batch(sql: str) -> None:
    with pytest.raises(Refused) as refused:
        one_select(sql)
    assert refused.value.error_class == "multiple_statements"


@pytest.mark.parametrize(
    "sql",
    [
        "select 1eexec('drop table x')",  # the number 1e, then EXEC
        "select 1.eexec('drop table x')",
        "select .5eexec('drop table x')",
        "select 0xprint 'x'",  # the empty bytes 0x, then PRINT
        "select 1e5drop table x",
        "select 1drop table x",
        "select 1.drop table x",
        "select 0x\\\naprint 'x'",  # 0x, carried over to the digit a, then PRINT
        "select 1 as x \u3164drop table x",  # a letter that looks like a blank
        "select close from prices",  # a name that wants brackets
        "select a from t where exec = 1",
        "select (drop table x)",
        "select 1)",
        "select * from (delete from t output deleted.*) as x",
        "table t",
        "values (1)",
        "sp_who",
        "{call sp_who}",
    ],
)
def test_what_no_query_can_be_is_a_syntax_error(sql: str) -> None:
    with pytest.raises(NotSQL):
        one_select(sql)


@pytest.mark.parametrize(
    ("sql", "error_class"),
    [
        ("select * into #t from t", "not_a_read"),
        ("select * into x from t", "not_a_read"),
        ("with a as (select 1 as x) delete from a", "not_a_read"),
        ("with a as (select 1 as x) insert into t select x from a", "not_a_read"),
        ("exec sp_who", "not_a_read"),
        ("update t set a = 1", "not_a_read"),
        ("select * from openquery(other, 'delete from t')", "forbidden"),
        ("select * from openrowset(bulk 'c:\\x', single_clob) as x", "forbidden"),
        ("select * from opendatasource('a', 'b').c.d.e", "forbidden"),
        ("select next value for s", "forbidden"),
        ("select * from t with (tablockx, holdlock)", "forbidden"),
        ("select * from t (xlock)", "forbidden"),
        ("", "empty"),
        ("-- nothing", "empty"),
    ],
)
def test_other_refusals(sql: str, error_class: str) -> None:
    with pytest.raises(Refused) as refused:
        one_select(sql)
    assert refused.value.error_class == error_class


def test_remarks_are_not_sent() -> None:
    assert one_select("select /* a */ 1 -- b\r drop table x\n, 2 /* c") == "select 1 , 2"
    assert one_select("select -/**/-1, '--', [/*]") == "select - -1, '--', [/*]"


ENDINGS = [
    "1",
    "1.",
    "1e",
    "0x",
    "0xAF",
    "$",
    "'a'",
    "N'a'",
    "[a]",
    '"a"',
    "a",
    "*",
    "a.b",
    "(1)",
    "@@spid",
    "null",
]
GAPS = ["", " ", "\n", "\r", "\t", "/**/", "--\n", "\u00a0", "\u3000", "\u200b", "\x0b"]


@given(
    ending=st.sampled_from(ENDINGS),
    gap=st.sampled_from(GAPS),
    starter=st.sampled_from(sorted(_STARTERS - {"SELECT", "END"})),
    rest=st.sampled_from([" x", "(1)", "[x]", "'x'", " table x", ""]),
    alias=st.sampled_from(["", " as b", " from t", " from t as u where a = 1"]),
)
def test_no_statement_word_hides(ending: str, gap: str, starter: str, rest: str, alias: str) -> None:
    """Wherever Transact-SQL would see two words, the batch is not sent."""
    sql = f"select {ending}{alias}{gap}{starter.lower()}{rest}"
    before = alias or ending
    if not gap and before[-1].isalnum() and not before[0].isdigit():  # one longer name
        return
    if not gap and before.startswith("0x") and set(starter) <= set("ABCDEF"):  # more digits: 0xadd
        return
    with pytest.raises((Refused, NotSQL)):
        one_select(sql)
