"""Oracle's queries on DuckDB where a translation is easily wrong: what each gives, or how it is refused."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any

import duckdb
import pytest

from glue.dialects.errors import DialectError, UnsupportedError
from glue.dialects.loading import load_statements
from glue.dialects.local import LocalSession

UNSUPPORTED = "unsupported"

_SCRIPT = """
    create table emp (id number(6), name varchar2(9), mgr number(6), sal number(8,2), dept char(3), d date)
    insert into emp values (1, 'King', null, 5000, 'A', date '2020-01-15')
    insert into emp values (2, 'Blake', 1, 2850.5, 'B', date '2021-05-01')
    insert into emp values (3, 'Clark', 1, 2450, 'A', date '2021-06-09')
    insert into emp values (4, 'Allen', 2, 1600, 'B', date '2022-02-20')
    insert into emp values (5, 'Ward', 2, 1600, null, date '2022-02-22')
    create table num (id number, a number, b number, p number(10,2), c3 char(3), c5 char(5))
    insert into num values (1, 7, 100, 1.1, 'A', 'A')
    insert into num values (2, 1.1, 1.1, 2.2, 'B', 'BB')
    insert into num values (3, 10, 3, 0, 'C', null)
    create table w3 (given number)
    insert into w3 values (42)
    create table b2 (id number(3), mgr number(3))
    insert into b2 values (1, null)
    insert into b2 values (2, 1)
"""


@pytest.fixture(scope="module")
def oracle() -> Iterator[LocalSession]:
    with duckdb.connect() as connection:
        session = LocalSession(connection, "oracle", now=datetime(2025, 1, 15, 10, 30))
        statements = [line.strip() for line in _SCRIPT.strip().splitlines()]
        assert not load_statements(session, statements).failures
        yield session


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value) if value == int(value) else float(value)
    return value


def answer(session: LocalSession, sql: str) -> Any:
    """The first column where there is but one, else the rows; or the code of the refusal."""
    try:
        _, rows = session.query(sql)
    except DialectError as error:
        return error.code
    except UnsupportedError:
        return UNSUPPORTED
    plain = [tuple(map(_plain, row)) for row in rows]
    return [row[0] for row in plain] if all(len(row) == 1 for row in plain) else plain


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "select name, 2 from emp order by 1 + 1, 1",
            [("Allen", 2), ("Blake", 2), ("Clark", 2), ("King", 2), ("Ward", 2)],
        ),
        ("select 2 as two, name from emp where id < 3 order by two, id", [(2, "King"), (2, "Blake")]),
        ("select name from emp where id < 3 order by -1, 'x', null, '', id desc", ["Blake", "King"]),
        ("select distinct dept from emp order by 'x', dept", ["A  ", "B  ", None]),
        ("select dept from emp group by dept order by grouping(dept), dept", ["A  ", "B  ", None]),
        ("select distinct dept from emp order by 'x' fetch first 1 row with ties", UNSUPPORTED),
        ("select id from emp order by 'x', id fetch first 1 row with ties", [1]),
    ],
)
def test_a_constant_in_order_by_is_no_place(oracle: LocalSession, sql: str, expected: Any) -> None:
    assert answer(oracle, sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("with x as (select 1 a from dual), y as (select * from w3) select * from y", [42]),
        ("select id from b2 start with mgr is null connect by prior id = mgr", [1, 2]),
        (
            "with t(n, s) as (select 1, 'w1 as' from dual union all select n + 1, 'w1 as' from t where n < 2)"
            " select * from t",
            [(1, "w1 as"), (2, "w1 as")],
        ),
        (
            "select listagg(name, '{0}' on overflow truncate '}') within group (order by id) from emp"
            " where id < 3",
            ["King{0}Blake"],
        ),
        ("select replace('abc', 'a', given) from w3", ["42bc"]),
    ],
)
def test_names_and_texts_of_the_query_are_none_of_the_translation(
    oracle: LocalSession, sql: str, expected: Any
) -> None:
    assert answer(oracle, sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select listagg() from emp", "ORA-00938"),
        ("select ntile() over (order by id) from emp", "ORA-00909"),
        ("select lag() over (order by id) from emp", "ORA-00938"),
        ("select nth_value(id) over (order by id) from emp", "ORA-00909"),
        ("select ratio_to_report() over () from emp", "ORA-00909"),
        ("select percentile_cont() within group (order by id) from emp", "ORA-00909"),
        ("select id from emp where lnnvl()", "ORA-00909"),
        (
            "select id from b2 start with mgr is null connect by prior id = mgr order siblings by 9",
            "ORA-01785",
        ),
        ("select cast(1.5 as number(5.5)) from dual", UNSUPPORTED),
        ("select cast(1.5 as number()) from dual", UNSUPPORTED),
        ("select cast(1.5 as number(39)) from dual", "ORA-01727"),
        ("select cast('a' as varchar2(x)) from dual", UNSUPPORTED),
        ("select cast(1/3 as float(5)) from dual", UNSUPPORTED),
        ("select cast(timestamp '2024-01-01 00:00:00.55' as timestamp(1)) from dual", UNSUPPORTED),
        ("select 1e400 from dual", "ORA-01426"),
        ("select 1e-200 from dual", [0]),
        ("select date '9999-12-31' + 1 from dual", "ORA-01841"),
        ("select timestamp '9999-12-31 10:00:00' + interval '1' day from dual", "ORA-01841"),
        ("select lag(p, 1, 0.123) over (order by id) from num", [0.123, 1.1, 2.2]),
        ("select lead(id, 1, 1/4) over (order by id) from emp where id > 3", [5, 0.25]),
        ("select (select max(e.sal) from dual) from emp e", UNSUPPORTED),
        (
            "select dept from emp e group by dept having exists (select 1 from dual where max(e.sal) > 2)",
            UNSUPPORTED,
        ),
        ("select (select max(e.id + x.id) from emp x) from emp e where id = 1", [6]),
        (
            "select e.name from emp e join num n using (id), (select 1 x from dual) c"
            " join (select 1 x from dual) d using (x) where id = 2",
            ["Blake"],
        ),
        ("select 1 from emp e join num n using (id), emp c join num d using (id)", UNSUPPORTED),
        ("select " + "(" * 5000 + "1" + ")" * 5000 + " from dual", UNSUPPORTED),
        ("select id" + "+ id" * 2000 + " from emp", UNSUPPORTED),
        ("select name" + "|| name" * 200 + " from emp", UNSUPPORTED),
        ("select 1 from dual" + " union all select 1 from dual" * 900, UNSUPPORTED),
    ],
)
def test_what_is_out_of_reach_is_refused(oracle: LocalSession, sql: str, expected: Any) -> None:
    assert answer(oracle, sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select id from emp where upper(dept) = 'A' and lower(dept) = 'a' and initcap(dept) = 'A'", [1, 3]),
        ("select id from emp where substr(dept, 1, 3) = 'A'", []),
        ("select id from emp where nvl(dept, 'zz') = 'A'", []),
        ("select id from emp where dept || 'x' = 'A  x  '", [1, 3]),
        ("select id from emp where dept || name = 'A  King '", []),
        ("select id from num where case when id = 1 then c3 else c5 end = 'A'", []),
        ("select id from num where case when id = 1 then c3 end = 'A'", [1]),
        ("select id from num where case when id = 1 then c3 else upper(c3) end = 'A'", [1]),
        (
            "select v from (select c3 v from num where id = 1 union all select c5 from num where id = 2)"
            " where v = 'A'",
            [],
        ),
        (
            "select v from (select c3 v from num where id = 1 union all select c3 from num where id = 2)"
            " where v = 'A'",
            ["A  "],
        ),
        ("select v from (select 'a' v from dual union all select 'b ' from dual) where v = 'b'", []),
        (
            "select id from emp where case id when 1 then 'a' else 'bc' end = 'a '",
            [],
        ),
        ("select id from num where cast(c5 as char(9)) = 'A'", [1]),
    ],
)
def test_padded_texts_stay_padded_where_oracle_keeps_them(
    oracle: LocalSession, sql: str, expected: Any
) -> None:
    assert answer(oracle, sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select id from num where a * b = 1.21", [2]),
        ("select sum(a * b) from num", [731.21]),
        ("select a * b * 2 from num where id = 2", [2.42]),
        ("select count(distinct a * b) from num", [3]),
        ("select id from num where a / b * 100 = 7", UNSUPPORTED),
        ("select id from num where a / b * 100 in (7, 8)", UNSUPPORTED),
        ("select id from num where a / b * 100 in (select 7 from dual)", UNSUPPORTED),
        ("select id from num where a / b * 100 >= 7.5", [2, 3]),
        ("select id from num where a / b in (0.07, 1)", [1, 2]),
        ("select x from (select a / b * 100 x from num) where x between 7 and 8", UNSUPPORTED),
        ("select decode(a / b * 100, 7, 'seven') from num where id = 1", UNSUPPORTED),
        ("select case when a / b * 100 > 7.001 then 1 else 0 end from num order by id", [0, 1, 1]),
        (
            "select n from (select 7 / id * 0.01 * id n from b2 where id = 1 union select 0.07 from dual)",
            [0.07],
        ),
        (
            "select count(*) from (select distinct x from (select a / b * 100 x from num union all"
            " select 7 from dual))",
            [3],
        ),
        (
            "select count(*) from (select a / b * 100 x from num union all select 7 from dual)"
            " group by x order by 1",
            [1, 1, 2],
        ),
        (
            "select rank() over (order by x) from (select a / b * 100 x from num where id = 1"
            " union all select 7 from dual)",
            [1, 1],
        ),
        ("select id from emp where sal / 12 > 200 and sal / 12 = 2850.5 / 12", [2]),
        (
            "select sum(x) from (select 0.1 x from dual union all select 0.2 from dual) having sum(x) = 0.3",
            [0.3],
        ),
        ("select round(a / b * 100, 2) from num where round(a / b * 100, 2) = 7", [7]),
        ("select id from num where power(a, 2) = 49", [1]),
        ("select id from emp where sal / 3 * 3 = sal and id = 1", UNSUPPORTED),
        ("select id from emp where sal / 4 * 100 >= sal * 25 and id = 1", [1]),
        ("select id from num where (date '2024-01-02' - date '2024-01-01') * 24 = 24 and id = 1", [1]),
        (
            "select 1 from dual where (to_date('05', 'HH24') - to_date('00', 'HH24')) * 24 >= 5",
            UNSUPPORTED,
        ),
        ("select count(*) from (select 1 / id x from num) where x = 1 / 3", [1]),
        ("select 1 from (select a / 3 x from num where id = 3) having sum(x) * 3 = 10", UNSUPPORTED),
        ("select avg(sal) from emp having avg(sal) = 2700.1", [2700.1]),
        ("select id from emp where sal - (select avg(sal) from emp where id = 5) = 0 order by id", [4, 5]),
        ("select id from num where power(a, 2) = 1.21", UNSUPPORTED),
    ],
)
def test_numbers_of_binary_arithmetic_are_told_apart_by_known_digits(
    oracle: LocalSession, sql: str, expected: Any
) -> None:
    assert answer(oracle, sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "with r(n, x) as (select 1, 1 from dual union all select n + 1, x / 2 from r where n < 4)"
            " select x from r",
            [1, 0.5, 0.25, 0.125],
        ),
        (
            "with r(n, x) as (select 1, 0.5 from dual union all select n + 1, x * 0.5 from r where n < 4)"
            " select x from r",
            [0.5, 0.25, 0.125, 0.0625],
        ),
        (
            "with r(x) as (select 1 from dual union all select x / 2 from r where x > 0.2) select x from r",
            [1, 0.5, 0.25, 0.125],
        ),
        (
            "with r(n, x) as (select 1, 1 from dual union all select n + 1, x + 0.25 from r where n < 3)"
            " search depth first by x set place select x, place from r order by place",
            [(1, 1), (1.25, 2), (1.5, 3)],
        ),
        (
            "with r(n, x) as (select 1, null from dual union all select n + 1, 0.25 from r where n < 2)"
            " select x from r",
            [None, 0.25],
        ),
        (
            "with r(n, x) as (select 1, 1 from dual union all select n + 1, 'a' from r where n < 2)"
            " select x from r",
            "ORA-01790",
        ),
        (
            "with r(n, f) as (select 1, 1 from dual union all select n + 1, f * (n + 1) from r where n < 15)"
            " select max(f), sum(n) from r",
            [(1307674368000, 120)],
        ),
    ],
)
def test_rows_of_a_recursion_hold_what_comes_later(oracle: LocalSession, sql: str, expected: Any) -> None:
    assert answer(oracle, sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select nvl(id, 1 / 0) from emp", "ORA-01476"),
        ("select nvl(id, 'x') from emp", "ORA-01722"),
        ("select nvl2(mgr, 1 / (id - 1), 0) from emp", "ORA-01476"),
        ("select nvl2(mgr, 1 / id, 0) from emp where id < 3 order by id", [0, 0.5]),
        ("select nvl(mgr, 1 / id) from emp where id < 3 order by id", [1, 1]),
        ("select coalesce(id, 1 / 0), decode(id, 1, 5, 1 / 0) from emp where id = 1", [(1, 5)]),
        ("select coalesce(id, 1 / (id - 1)), coalesce(sal, 1 / (id - 1)) from emp where id = 1", [(1, 5000)]),
        (
            "select case when id > 1 then 1 / (id - 1) end, coalesce(id, 1 / (id - 1)) from emp where id = 1",
            [(None, 1)],
        ),
        (
            "select case when id > 1 and 1 / (id - 1) > 0 then 1 end, case when id > 1 then 1 / (id - 1) end"
            " from emp where id = 1",
            [(None, None)],
        ),
        (
            "select decode(id, 1, 1, 1 / (id - 1)), decode(id, 1, 2, 1 / (id - 1)) from emp where id = 1",
            [(1, 2)],
        ),
        ("select case when id = 3 then 0 else 12 / (id - 3) end from emp order by id", [-6, -12, 0, 12, 6]),
        ("select id from emp where id <> 3 and 12 / (id - 3) > 0 order by id", [4, 5]),
        ("select x from (select 12 / (id - 3) x, id from emp where id <> 3) where x > 6", [12]),
        ("select replace(name, 'K', (select 'R' from dual)) from emp where id = 1", ["Ring"]),
    ],
)
def test_an_error_comes_where_oracle_asks_for_the_value(
    oracle: LocalSession, sql: str, expected: Any
) -> None:
    assert answer(oracle, sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select rank() over (order by a / b) from num order by 1", [1, 2, 3]),
        ("select row_number() over (partition by d + 1 order by d + 1 / 2) from emp where id = 1", [1]),
        ("select rank() over (order by a / (id - 1)) from num", "ORA-01476"),
        (
            "select dept from emp group by dept order by rank() over (order by sum(sal) / count(*) desc)",
            ["A  ", "B  ", None],
        ),
    ],
)
def test_windows_go_in_the_order_of_quotients_and_of_dates(
    oracle: LocalSession, sql: str, expected: Any
) -> None:
    assert answer(oracle, sql) == expected


def test_an_error_is_told_in_its_words_alone(oracle: LocalSession) -> None:
    for sql, words in (
        ("select id / 0 from emp", "ORA-01476: divisor is equal to zero"),
        ("select d + 3000000 from emp", "ORA-01841: the year 10233 is out of range"),
    ):
        with pytest.raises(DialectError) as refused:
            oracle.query(sql)
        assert str(refused.value) == words


def test_sysdate_has_whole_seconds() -> None:
    with duckdb.connect() as connection:
        session = LocalSession(connection, "oracle", now=datetime(2025, 1, 15, 10, 30, 5, 250000))
        assert session.query("select sysdate from dual")[1] == [(datetime(2025, 1, 15, 10, 30, 5),)]
