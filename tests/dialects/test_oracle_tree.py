"""Which tree a query is read into, part by part; and that real queries, whole or cut, are read or refused."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from glue.dialects import nodes
from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle_errors import OracleError
from glue.dialects.oracle_grammar import read_oracle
from tests.dialects.trees import entries, shown

VALUES = """
a
    a
a.b."C d"
    a.b."C d"
sysdate
    sysdate
t.rowid
    t.rowid
null
    Null()
1.5e3
    1.5e3
.5f
    .5f
'it''s'
    'it's'
N'it''s'
    N'it's'
q'[it's]'
    'it's'
nq'!a'b!'
    N'a'b'
date '2024-01-31'
    Typed(DATE, 2024-01-31)
interval '1-2' year(3) to month
    Interval(1-2, YEAR, first_precision=3, last=MONTH)
interval '1 2:3:4.5' day to second(2)
    Interval(1 2:3:4.5, DAY, last=SECOND, last_precision=2)
interval '5.25' second(2, 6)
    Interval(5.25, SECOND, first_precision=2, last_precision=6)
1 || 2 + 3 * 4 - 5
    (((1 || 2) + (3 * 4)) - 5)
- a * b
    ((- a) * b)
prior a || b
    ((PRIOR a) || b)
- prior (a + b) / 2
    ((- (PRIOR (a + b))) / 2)
connect_by_root a.b || 'x'
    ((CONNECT_BY_ROOT a.b) || 'x')
(a + b) * c
    ((a + b) * c)
(select 1 from dual)
    Subquery(Query(Block([Item(1)], sources=[Table([dual])])))
case a when 1 then 'x' else 'y' end
    Case(a, [[1, 'x']], 'y')
case when a > 1 or b = 2 then 'x' when c is null then 'y' end
    Case(None, [[((a > 1) OR (b = 2)), 'x'], [Is(c, NULL), 'y']], None)
count(*)
    Call([count], [*])
count(distinct a)
    Call([count], [a], is_distinct=True)
pkg.f(1, a)
    Call([pkg, f], [1, a])
"COUNT"(a)
    Call(["COUNT"], [a])
sys_guid()
    Call([sys_guid], [])
cast(a as number(7,-2))
    Cast(CAST, a, Type([NUMBER], arguments=[7, -2]))
cast(a as varchar2(10 char))
    Cast(CAST, a, Type([VARCHAR2], arguments=[10 CHAR]))
cast(a as timestamp(3) with time zone)
    Cast(CAST, a, Type([TIMESTAMP, WITH, TIME, ZONE], arguments=[3]))
cast(a as double precision)
    Cast(CAST, a, Type([DOUBLE, PRECISION]))
cast(a as sys.odcinumberlist)
    Cast(CAST, a, Type([SYS.ODCINUMBERLIST]))
extract(year from a)
    Extract(YEAR, a)
trim(a)
    Trim(None, None, a)
trim(leading '0' from a)
    Trim(LEADING, '0', a)
trim('x' from a)
    Trim(None, 'x', a)
trim(both from a)
    Trim(BOTH, None, a)
to_number(a default 0 on conversion error, '999')
    Call([to_number], [a, '999'], default=0)
lag(a ignore nulls) over (order by b)
    Call([lag], [a], nulls=IGNORE, over=Window(order=[OrderTerm(b)]))
lag(a) ignore nulls over (partition by b, c order by d desc nulls last, e)
    Call([lag], [a], nulls=IGNORE, over=Window(partition=[b, c], order=[OrderTerm(d, is_descending=True,
    nulls=LAST), OrderTerm(e)]))
nth_value(a, 2) from last over (order by b rows between unbounded preceding and 1 following)
    Call([nth_value], [a, 2], is_from_last=True, over=Window(order=[OrderTerm(b)], frame=Frame(ROWS,
    Bound(PRECEDING), end=Bound(FOLLOWING, distance=1))))
sum(a) over (partition by (b, c) order by d range interval '7' day preceding)
    Call([sum], [a], over=Window(partition=[b, c], order=[OrderTerm(d)], frame=Frame(RANGE,
    Bound(PRECEDING, distance=Interval(7, DAY)))))
sum(a) over (order by b rows between current row and 2 following)
    Call([sum], [a], over=Window(order=[OrderTerm(b)], frame=Frame(ROWS, Bound(CURRENT),
    end=Bound(FOLLOWING, distance=2))))
max(a) keep (dense_rank last order by b desc) over (partition by c)
    Call([max], [a], keep=LAST, keep_order=[OrderTerm(b, is_descending=True)], over=Window(partition=[c]))
listagg(distinct a, ',') within group (order by b)
    Call([listagg], [a, ','], is_distinct=True, within=[OrderTerm(b)])
listagg(a, ',' on overflow truncate '…' without count) within group (order by a)
    Call([listagg], [a, ','], within=[OrderTerm(a)], overflow=Overflow(False, ending=…, has_count=False))
listagg(a on overflow truncate) within group (order by a)
    Call([listagg], [a], within=[OrderTerm(a)], overflow=Overflow(False))
listagg(a on overflow error) within group (order by a)
    Call([listagg], [a], within=[OrderTerm(a)], overflow=Overflow(True))
regexp_replace(a, 'b')
    Call([regexp_replace], [a, 'b'])
"""
CONDITIONS = """
a != 1
    (a <> 1)
a ^= 1
    (a <> 1)
a ~= 1 and b >= 2 and c < 3
    ((a <> 1) AND (b >= 2) AND (c < 3))
a = 1 or b = 2 and c = 3 or d = 4
    ((a = 1) OR ((b = 2) AND (c = 3)) OR (d = 4))
(a = 1 or b = 2) and c = 3
    (((a = 1) OR (b = 2)) AND (c = 3))
not (a = 1 and b = 2)
    Not(((a = 1) AND (b = 2)))
not a = 1 and b = 2
    (Not((a = 1)) AND (b = 2))
a = b.c(+)
    (a = b.c(+))
a = any (1, 2)
    (a = ANY Row([1, 2]))
a <> some (1)
    (a <> ANY Row([1]))
a > all (select b from t)
    (a > ALL Subquery(Query(Block([Item(b)], sources=[Table([t])]))))
a in (1, 2)
    In(a, [1, 2])
a not in (select b from t)
    In(a, [Subquery(Query(Block([Item(b)], sources=[Table([t])])))], is_negated=True)
a in b
    In(a, [b])
(a, b) in ((1, 2), (3, 4))
    In(Row([a, b]), [Row([1, 2]), Row([3, 4])])
(a, b) in ((1, 2))
    In(Row([a, b]), [Row([1, 2])])
(a, b) in (select c, d from t)
    In(Row([a, b]), [Subquery(Query(Block([Item(c), Item(d)], sources=[Table([t])])))])
a between 1 and 2 and b not between 3 and 4
    (Between(a, 1, 2) AND Between(b, 3, 4, is_negated=True))
a like 'x%' escape '!'
    Like(a, 'x%', escape='!')
a not like b
    Like(a, b, is_negated=True)
a is not null
    Is(a, NULL, is_negated=True)
a is nan
    Is(a, NAN)
exists (select null from t)
    Exists(Query(Block([Item(Null())], sources=[Table([t])])))
regexp_like(a, 'b') or lnnvl(c = 1)
    (Call([regexp_like], [a, 'b']) OR Call([lnnvl], [(c = 1)]))
((a + 1)) * 2 > ((3))
    (((a + 1) * 2) > 3)
prior a = b and level <= 3
    (((PRIOR a) = b) AND (level <= 3))
"""
SOURCES = """
t
    Table([t])
s.t x
    Table([s, t], alias=x)
a, b y
    Table([a]), Table([b], alias=y)
(select 1 from dual) x
    Derived(Query(Block([Item(1)], sources=[Table([dual])])), alias=x)
lateral (select 1 from dual) (+) x
    Derived(Query(Block([Item(1)], sources=[Table([dual])])), alias=x, is_lateral=True, is_outer=True)
a join b on a.i = b.i left outer join c using (i, j)
    Join(LEFT, Join(INNER, Table([a]), Table([b]), on=(a.i = b.i)), Table([c]), using=[i, j])
a join b join c on b.i = c.i on a.i = b.i
    Join(INNER, Table([a]), Join(INNER, Table([b]), Table([c]), on=(b.i = c.i)), on=(a.i = b.i))
(a join b on a.i = b.i) cross join c
    Join(CROSS, Join(INNER, Table([a]), Table([b]), on=(a.i = b.i)), Table([c]))
a, b natural full join c
    Table([a]), Join(FULL, Table([b]), Table([c]), is_natural=True)
a cross apply (select 1 from dual) x outer apply b
    Join(OUTER APPLY, Join(CROSS APPLY, Table([a]), Derived(Query(Block([Item(1)],
    sources=[Table([dual])])), alias=x)), Table([b]))
(t) x
    Table([t], alias=x)
table(cast(multiset(select level from dual connect by level <= q.n) as sys.odcinumberlist)) c
    TableCall(Call([table], [Cast(CAST, Subquery(Query(Block([Item(level)], sources=[Table([dual])],
    connect=(level <= q.n)))), Type([SYS.ODCINUMBERLIST]))]), alias=c)
table(f(1))(+) c
    TableCall(Call([table], [Call([f], [1])]), alias=c, is_outer=True)
t pivot (sum(a) as s, count(*) for b in (1 as one, 2)) p
    Table([t], pivot=Pivot([Item(Call([sum], [a]), alias=s), Item(Call([count], [*]))], [b],
    [PivotValue(1, alias=one), PivotValue(2)]), pivot_alias=p)
t pivot (sum(a) for (b, c) in ((1, 'x') as m))
    Table([t], pivot=Pivot([Item(Call([sum], [a]))], [b, c], [PivotValue(Row([1, 'x']), alias=m)]))
(select 1 from dual) unpivot include nulls (v for k in (a as 'A', b.c)) u
    Derived(Query(Block([Item(1)], sources=[Table([dual])])), pivot=Unpivot([v], [k], [[[a], 'A'], [[b.c],
    None]], has_nulls=True), pivot_alias=u)
t unpivot ((v, w) for (k, l) in ((a, b) as ('A', 'B')))
    Table([t], pivot=Unpivot([v, w], [k, l], [[[a, b], Row(['A', 'B'])]]))
"""
QUERIES = """
select * from t
    Query(Block([Item(*)], sources=[Table([t])]))
select distinct t.*, s.t.*, a as "B", c d from t
    Query(Block([Item(t.*), Item(s.t.*), Item(a, alias="B"), Item(c, alias=d)], sources=[Table([t])],
    is_distinct=True))
select a from t where b = 1 group by a, (b, c), () having count(*) > 1
    Query(Block([Item(a)], sources=[Table([t])], where=(b = 1), groups=[Grouping('', values=[a]),
    Grouping('', values=[b, c]), Grouping('')], having=(Call([count], [*]) > 1)))
select 1 from t having a > 1 group by rollup(a, (b, c)), cube(a), grouping sets (a + 1, rollup(b), ())
    Query(Block([Item(1)], sources=[Table([t])], groups=[Grouping(ROLLUP, terms=[Grouping('', values=[a]),
    Grouping('', values=[b, c])]), Grouping(CUBE, terms=[Grouping('', values=[a])]), Grouping(SETS,
    terms=[Grouping('', values=[(a + 1)]), Grouping(ROLLUP, terms=[Grouping('', values=[b])]),
    Grouping('')])], having=(a > 1)))
select a from t start with b is null connect by nocycle prior a = b order siblings by c desc
    Query(Block([Item(a)], sources=[Table([t])], start=Is(b, NULL), connect=((PRIOR a) = b),
    is_nocycle=True), order=[OrderTerm(c, is_descending=True)], is_siblings=True)
select a from t union all select b from u minus (select c from v intersect select d from w) order by 1
    Query(SetOperation(MINUS, False, SetOperation(UNION, True, Block([Item(a)], sources=[Table([t])]),
    Block([Item(b)], sources=[Table([u])])), Query(SetOperation(INTERSECT, False, Block([Item(c)],
    sources=[Table([v])]), Block([Item(d)], sources=[Table([w])])))), order=[OrderTerm(1)])
(select a from t) order by a nulls first
    Query(Query(Block([Item(a)], sources=[Table([t])])), order=[OrderTerm(a, nulls=FIRST)])
select a from t offset 2 rows fetch next 10 percent rows with ties
    Query(Block([Item(a)], sources=[Table([t])]), limit=Limit(offset=2, has_fetch=True, count=10,
    is_percent=True, has_ties=True))
select a from t fetch first row only
    Query(Block([Item(a)], sources=[Table([t])]), limit=Limit(has_fetch=True))
with w (a, b) as (select 1, 2 from dual), v as (select 3 from dual) select * from w
    Query(Block([Item(*)], sources=[Table([w])]), named=[NamedQuery(w, Query(Block([Item(1), Item(2)],
    sources=[Table([dual])])), columns=[a, b]), NamedQuery(v, Query(Block([Item(3)],
    sources=[Table([dual])])))])
with w (a) as (select 1 from b) search depth first by a set o cycle a set c to 1 default 0 select a from w
    Query(Block([Item(a)], sources=[Table([w])]), named=[NamedQuery(w, Query(Block([Item(1)],
    sources=[Table([b])])), columns=[a], search=Search(True, [OrderTerm(a)], o), cycle=Cycle([a], c, 1,
    0))])
"""


def block(sql: str) -> nodes.Block:
    body = read_oracle(sql).body
    assert isinstance(body, nodes.Block)
    return body


@pytest.mark.parametrize(("written", "tree"), entries(VALUES))
def test_values(written: str, tree: str) -> None:
    assert shown(block(f"select {written} from dual").items[0].value) == tree


@pytest.mark.parametrize(("written", "tree"), entries(CONDITIONS))
def test_conditions(written: str, tree: str) -> None:
    assert shown(block(f"select 1 from dual where {written}").where) == tree


@pytest.mark.parametrize(("written", "tree"), entries(SOURCES))
def test_tables(written: str, tree: str) -> None:
    assert ", ".join(map(shown, block(f"select 1 from {written}").sources)) == tree


@pytest.mark.parametrize(("written", "tree"), entries(QUERIES))
def test_queries(written: str, tree: str) -> None:
    assert shown(read_oracle(written)) == tree


def test_places_are_where_things_begin() -> None:
    sql = "select a + b, f(c) from t where not (d = 1 or e in (2, 3)) order by g"
    query, read = read_oracle(sql), block(sql)
    assert isinstance(read.where, nodes.Not) and isinstance(read.where.operand, nodes.Logic)
    places = [read.items[0], read.items[1].value, read.sources[0], read.where, *read.where.operand.terms]
    begun = ["a +", "f(", "t where", "not", "d =", "e in", "g"]
    assert [node.place for node in [*places, query.order[0]]] == [sql.index(words) for words in begun]


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("select (a = 1) + 1 from t", "ORA-00907"),
        ("select a from t where b = (c > 1)", "ORA-00907"),
        ("select a from t where b in (c > 1, 2)", "ORA-00907"),
        ("select a from t group by a group by b", "ORA-00933"),
        ("select count(*) from last", None),
        ("select a + 1 from t group by a + 1", None),
        ("select (a - b) day to second from t", "a difference made an interval"),
        ("select interval '1' day(x) from dual", "x as a precision"),
        ("select translate(a using nchar_cs) from t", "USING after an argument"),
        ("select a from t where b likec 'c'", "LIKEC"),
        ("select f(a).b from t", "a part of what a function returns"),
        ("select * from (a cross join b) c", "an alias of a join in brackets"),
        ("select * from (a b) c", "an alias or a pivot of what has one in brackets"),
        ("select sum(a) over (order siblings by b) from t", "ORDER SIBLINGS BY in a window"),
    ],
)
def test_what_has_no_tree_is_not_read_as_another(sql: str, code: str | None) -> None:
    assert refusal(sql) == code


def refusal(sql: str) -> str | None:
    """Of another error than these two the test fails."""
    try:
        read_oracle(sql)
    except OracleError as error:
        return error.code
    except UnsupportedError as error:
        return str(error)
    return None


def test_real_queries_and_cuts_of_them_are_read_or_refused(shared_data: Path) -> None:
    chance = random.Random(7)
    paths = sorted((shared_data / "oracle_queries").rglob("*.sql"))
    assert len(paths) == 282
    for path in paths:
        text = path.read_text(errors="replace")
        refusal(text)
        for _ in range(10):
            start, end = sorted(chance.choices(range(len(text) + 1), k=2))
            refusal(text[start:end])
            refusal(text[:start] + text[end:])
