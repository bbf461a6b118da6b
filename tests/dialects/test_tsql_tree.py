"""What the reader of Transact-SQL makes of small queries; and that it makes something, or refuses, always."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import pytest

from glue.dialects import nodes
from glue.dialects.errors import UnsupportedError
from glue.dialects.tsql_errors import TSQLError
from glue.dialects.tsql_grammar import read_tsql
from tests.dialects.test_conformance_cases import cases
from tests.dialects.trees import entries, shown

VALUES = """
a
    a
s.t.[a]]b]
    s.t."a]b"
d..t."c d"
    d..t."c d"
'it''s'
    'it's'
N'é'
    N'é'
0x1F
    0x1F
$12.50
    $12.50
1e3
    1e3
null
    Null()
current_timestamp
    current_timestamp
user
    user
a + b * c - d
    ((a + (b * c)) - d)
(a + b) * c % 2
    (((a + b) * c) % 2)
a & b + c | d ^ e
    ((((a & b) + c) | d) ^ e)
-a + b
    ((- a) + b)
-a * b
    (- (a * b))
100 / -100 * 10
    (100 / (- (100 * 10)))
~a * - - b
    ((~ a) * (- (- b)))
a + b collate Latin1_General_BIN
    (a + Collate(b, Latin1_General_BIN))
(a + b) collate Latin1_General_BIN
    Collate((a + b), Latin1_General_BIN)
a at time zone 'UTC' at time zone b
    AtTimeZone(AtTimeZone(a, 'UTC'), b)
case a when 1 then b when 2 then c end
    Case(a, [[1, b], [2, c]], None)
case when a = 1 then b else c end
    Case(None, [[(a = 1), b]], c)
(select 1)
    Subquery(Query(Block([Item(1)])))
cast(a as int)
    Cast(CAST, a, Type([INT]))
try_cast(a as numeric(10, 2))
    Cast(TRY_CAST, a, Type([NUMERIC], arguments=[10, 2]))
cast(a as double precision)
    Cast(CAST, a, Type([DOUBLE, PRECISION]))
cast(a as national char varying(9))
    Cast(CAST, a, Type([NATIONAL, CHAR, VARYING], arguments=[9]))
convert([varchar](max), a, 120)
    Cast(CONVERT, a, Type([VARCHAR], arguments=[MAX]), style=120)
try_convert(date, a)
    Cast(TRY_CONVERT, a, Type([DATE]))
parse(a as date using 'en-GB')
    Cast(PARSE, a, Type([DATE]), style='en-GB')
trim(a)
    Trim(None, None, a)
trim(leading 'x' from a)
    Trim(LEADING, 'x', a)
trim('x' from a)
    Trim(None, 'x', a)
getdate()
    Call([getdate], [])
dbo.f(a, 1)
    Call([dbo, f], [a, 1])
left(a, 2)
    Call([left], [a, 2])
iif(a > 1, b, c)
    Call([iif], [(a > 1), b, c])
choose(a, b, c)
    Call([choose], [a, b, c])
coalesce(a, nullif(b, c))
    Call([coalesce], [a, Call([nullif], [b, c])])
dateadd(day, 1, a)
    Call([dateadd], [day, 1, a])
datepart(weekday, a)
    Call([datepart], [weekday, a])
count(*)
    Call([count], [*])
sum(distinct a)
    Call([sum], [a], is_distinct=True)
sum(all a)
    Call([sum], [a])
string_agg(a, ',') within group (order by b desc, c asc)
    Call([string_agg], [a, ','], within=[OrderTerm(b, is_descending=True), OrderTerm(c)])
rank() over (partition by a, b order by c)
    Call([rank], [], over=Window(partition=[a, b], order=[OrderTerm(c)]))
sum(a) over ()
    Call([sum], [a], over=Window())
lag(a) ignore nulls over (order by b)
    Call([lag], [a], nulls=IGNORE, over=Window(order=[OrderTerm(b)]))
sum(a) over (order by b rows between 2 preceding and unbounded following)
    Call([sum], [a], over=Window(order=[OrderTerm(b)], frame=Frame(ROWS, Bound(PRECEDING, distance=2),
    end=Bound(FOLLOWING))))
sum(a) over (order by b range current row)
    Call([sum], [a], over=Window(order=[OrderTerm(b)], frame=Frame(RANGE, Bound(CURRENT))))
"""
CONDITIONS = """
a != 1
    (a <> 1)
a !< 1
    (a >= 1)
a ! > 1
    (a <= 1)
a < > 1
    (a <> 1)
a < some (select 1)
    (a < ANY Subquery(Query(Block([Item(1)]))))
a = all (select 1)
    (a = ALL Subquery(Query(Block([Item(1)]))))
a is distinct from null
    (a IS DISTINCT FROM Null())
a is not distinct from b
    (a IS NOT DISTINCT FROM b)
a is not null
    Is(a, NULL, is_negated=True)
a between 1 and b + 1
    Between(a, 1, (b + 1))
a not like 'x!%' escape '!'
    Like(a, 'x!%', escape='!', is_negated=True)
a in (1, b)
    In(a, [1, b])
a not in (select 1)
    In(a, [Subquery(Query(Block([Item(1)])))], is_negated=True)
exists (select 1)
    Exists(Query(Block([Item(1)])))
((a) + 1) * 2 = 3
    (((a + 1) * 2) = 3)
not a = 1 and b = 2 and c = 3
    (Not((a = 1)) AND (b = 2) AND (c = 3))
a = 1 or b = 2 or c = 3 and (d = 4 or e = 5)
    ((a = 1) OR (b = 2) OR ((c = 3) AND ((d = 4) OR (e = 5))))
"""
TABLES = """
t
    [Table([t])]
d.s.t as [x y], u v
    [Table([d, s, t], alias="x y"), Table([u], alias=v)]
t x with (nolock, index(i)), u (nolock)
    [Table([t], alias=x), Table([u])]
a left outer join b on 1 = 1
    [Join(LEFT, Table([a]), Table([b]), on=(1 = 1))]
a join b full join c on 1 = 2 on 1 = 3 cross join d
    [Join(CROSS, Join(INNER, Table([a]), Join(FULL, Table([b]), Table([c]), on=(1 = 2)), on=(1 = 3)),
    Table([d]))]
a cross join (b cross join c)
    [Join(CROSS, Table([a]), Join(CROSS, Table([b]), Table([c])))]
(select 1) x (a)
    [Derived(Query(Block([Item(1)])), alias=x, columns=[a])]
(values (1, 2), (3, 4)) x (a, b)
    [ValueRows([[1, 2], [3, 4]], alias=x, columns=[a, b])]
string_split('a', ',') x
    [TableCall(Call([string_split], ['a', ',']), alias=x)]
t cross apply f(i) x (a) outer apply (select 1 b) y
    [Join(OUTER APPLY, Join(CROSS APPLY, Table([t]), TableCall(Call([f], [i]), alias=x, columns=[a])),
    Derived(Query(Block([Item(1, alias=b)])), alias=y))]
t x pivot (sum(a) for b in ([1], c)) as p
    [Table([t], alias=x, pivot=Pivot([Item(Call([sum], [a]))], [b], [PivotValue("1"), PivotValue(c)]),
    pivot_alias=p)]
(select 1 a) x unpivot (v for k in (a, b)) p
    [Derived(Query(Block([Item(1, alias=a)])), alias=x, pivot=Unpivot([v], [k], [[[a], None], [[b],
    None]]), pivot_alias=p)]
t cross join u pivot (max(a) for b in (c)) p
    [Pivoted(Join(CROSS, Table([t]), Table([u])), Pivot([Item(Call([max], [a]))], [b], [PivotValue(c)]),
    alias=p)]
t pivot (max(a) for b in (c)) p unpivot (v for k in (c)) q
    [Pivoted(Table([t], pivot=Pivot([Item(Call([max], [a]))], [b], [PivotValue(c)]), pivot_alias=p),
    Unpivot([v], [k], [[[c], None]]), alias=q)]
"""
GROUPS = """
a
    [Grouping('', values=[a])]
a, b + 1
    [Grouping('', values=[a]), Grouping('', values=[(b + 1)])]
a, b with rollup
    [Grouping(ROLLUP, terms=[Grouping('', values=[a]), Grouping('', values=[b])])]
a with cube
    [Grouping(CUBE, terms=[Grouping('', values=[a])])]
rollup (a, (b, c))
    [Grouping(ROLLUP, terms=[Grouping('', values=[a]), Grouping('', values=[b, c])])]
grouping sets (cube (a), ())
    [Grouping(SETS, terms=[Grouping(CUBE, terms=[Grouping('', values=[a])]), Grouping('')])]
"""
QUERIES = """
select a, b as c, d e, f = 1, 'g h' = 2, 3 as 'i', 4 [j], t.*, *
    Query(Block([Item(a), Item(b, alias=c), Item(d, alias=e), Item(1, alias=f), Item(2, alias="g h"),
    Item(3, alias="i"), Item(4, alias="j"), Item(t.*), Item(*)]))
select distinct top (5) percent with ties a from t order by a desc
    Query(Block([Item(a)], sources=[Table([t])], is_distinct=True, top=Top(5, is_percent=True,
    has_ties=True)), order=[OrderTerm(a, is_descending=True)])
select a from t group by a having count(*) > 1 order by 1 option (recompile);
    Query(Block([Item(a)], sources=[Table([t])], groups=[Grouping('', values=[a])], having=(Call([count],
    [*]) > 1)), order=[OrderTerm(1)])
select a from t order by a offset 1 rows
    Query(Block([Item(a)], sources=[Table([t])]), order=[OrderTerm(a)], limit=Limit(offset=1))
select a from t order by a offset 0 rows fetch next 2 rows only
    Query(Block([Item(a)], sources=[Table([t])]), order=[OrderTerm(a)], limit=Limit(offset=0,
    has_fetch=True, count=2))
select sum(a) over v, max(a) over (v rows 1 preceding) from t window v as (w order by b), w as ()
    Query(Block([Item(Call([sum], [a], over=Window(name=v))), Item(Call([max], [a],
    over=Window(frame=Frame(ROWS, Bound(PRECEDING, distance=1)), name=v)))], sources=[Table([t])],
    windows=[[v, Window(order=[OrderTerm(b)], name=w)], [w, Window()]]))
select 1 union all select 2 intersect select 3 except select 4
    Query(SetOperation(EXCEPT, False, SetOperation(UNION, True, Block([Item(1)]), SetOperation(INTERSECT,
    False, Block([Item(2)]), Block([Item(3)]))), Block([Item(4)])))
(select 1 union select 2) intersect select 3 order by 1
    Query(SetOperation(INTERSECT, False, SetOperation(UNION, False, Block([Item(1)]), Block([Item(2)])),
    Block([Item(3)])), order=[OrderTerm(1)])
with x (a) as (select 1), y as (select 2 b) select a from x, y
    Query(Block([Item(a)], sources=[Table([x]), Table([y])]), named=[NamedQuery(x,
    Query(Block([Item(1)])), columns=[a]), NamedQuery(y, Query(Block([Item(2, alias=b)])))])
"""


def block(sql: str) -> nodes.Block:
    body = read_tsql(sql).body
    assert isinstance(body, nodes.Block)
    return body


@pytest.mark.parametrize(("written", "tree"), entries(VALUES))
def test_values(written: str, tree: str) -> None:
    assert shown(block(f"select {written} from t").items[0].value) == tree


@pytest.mark.parametrize(("written", "tree"), entries(CONDITIONS))
def test_conditions(written: str, tree: str) -> None:
    assert shown(block(f"select a from t where {written}").where) == tree


@pytest.mark.parametrize(("written", "tree"), entries(TABLES))
def test_tables(written: str, tree: str) -> None:
    assert shown(block(f"select 1 from {written}").sources) == tree


@pytest.mark.parametrize(("written", "tree"), entries(GROUPS))
def test_groups(written: str, tree: str) -> None:
    assert shown(block(f"select 1 from t group by {written}").groups) == tree


@pytest.mark.parametrize(("written", "tree"), entries(QUERIES))
def test_queries(written: str, tree: str) -> None:
    assert shown(read_tsql(written)) == tree


def test_a_text_goes_on_in_the_next_line_behind_a_backslash() -> None:
    """Backslash (Line Continuation) (Transact-SQL)."""
    value = block("select 'ab\\\ncd\\\r\nef\\n'").items[0].value
    assert isinstance(value, nodes.Text)
    assert value.text == "abcdef\\n"


def nodes_in(part: Any) -> Iterator[nodes.Node]:
    """The nodes in a part of a tree, itself too."""
    if isinstance(part, nodes.Node):
        yield part
        for field in fields(part):
            yield from nodes_in(getattr(part, field.name))
    elif isinstance(part, list | tuple):
        for piece in part:
            yield from nodes_in(piece)


def test_every_node_of_a_case_says_where_it_begins() -> None:
    n_nodes = 0
    for case in cases("tsql.jsonl"):
        try:
            tree = read_tsql(case["sql"])
        except (TSQLError, UnsupportedError):
            continue
        for node in nodes_in(tree):
            n_nodes += 1
            assert 0 <= node.place < len(case["sql"]), (case["id"], node)
            assert not case["sql"][node.place].isspace()
            if isinstance(node, nodes.Name) and not node.parts[0].is_quoted:
                assert case["sql"].startswith(node.parts[0].text, node.place)
    assert n_nodes > 3000


def test_cuts_of_the_cases_are_read_or_refused() -> None:
    chance = random.Random(7)
    texts = [case["sql"] for case in cases("tsql.jsonl")]
    words = [re.findall(r"'[^']*'|\w+|\S", text) for text in texts]
    for _ in range(4000):
        first, second = chance.choice(words), chance.choice(words)
        cut, resumed = chance.randrange(len(first) + 1), chance.randrange(len(second) + 1)
        text = " ".join(first[:cut] + second[resumed:])
        try:
            assert isinstance(read_tsql(text), nodes.Query)
        except (TSQLError, UnsupportedError):
            continue
