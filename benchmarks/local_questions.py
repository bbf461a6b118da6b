"""Questions in the dialects of oracle-local and mssql-local, and the same written by hand for DuckDB."""

from __future__ import annotations

from dataclasses import dataclass

_TABLES = {
    "oracle": (
        "CREATE TABLE people (id NUMBER(9), name VARCHAR2(20), boss NUMBER(9), pay NUMBER(9,2))",
        "CREATE TABLE sales (id NUMBER(9), person NUMBER(9), region VARCHAR2(1), amount NUMBER(9,2),"
        " sold DATE, note VARCHAR2(20))",
    ),
    "tsql": (
        "CREATE TABLE people (id INT, name VARCHAR(20), boss INT, pay DECIMAL(9,2))",
        "CREATE TABLE sales (id INT, person INT, region VARCHAR(1), amount DECIMAL(9,2), sold DATETIME2,"
        " note VARCHAR(20))",
    ),
}


@dataclass(frozen=True)
class Question:
    """A question: its texts by dialect, and DuckDB's."""

    name: str
    texts: dict[str, str]
    duckdb: str


def tables_of(dialect: str) -> tuple[str, ...]:
    """The statements that make the tables."""
    return _TABLES[dialect]


QUESTIONS = [
    Question(
        "a sum by group",
        {
            "oracle": "SELECT region, SUM(amount), COUNT(*) FROM sales GROUP BY region",
            "tsql": "SELECT region, SUM(amount), COUNT(*) FROM sales GROUP BY region",
        },
        "select region, sum(amount), count(*) from sales group by region",
    ),
    Question(
        "a share of the whole",
        {
            "oracle": "SELECT region, ROUND(100 * SUM(amount) / SUM(SUM(amount)) OVER (), 2) FROM sales"
            " GROUP BY region",
            "tsql": "SELECT region, ROUND(100 * CAST(SUM(amount) AS FLOAT) / SUM(SUM(amount)) OVER (), 2)"
            " FROM sales GROUP BY region",
        },
        "select region, round(100 * sum(amount)::double / sum(sum(amount)) over (), 2) from sales"
        " group by region",
    ),
    Question(
        "months of dates",
        {
            "oracle": "SELECT TO_CHAR(sold, 'YYYY-MM'), COUNT(*) FROM sales"
            " GROUP BY TO_CHAR(sold, 'YYYY-MM')",
            "tsql": "SELECT CONVERT(VARCHAR(7), sold, 120), COUNT(*) FROM sales"
            " GROUP BY CONVERT(VARCHAR(7), sold, 120)",
        },
        "select strftime(sold, '%Y-%m'), count(*) from sales group by 1",
    ),
    Question(
        "days since a date",
        {
            "oracle": "SELECT MAX(SYSDATE - sold), COUNT(*) FROM sales"
            " WHERE sold >= ADD_MONTHS(SYSDATE, -24)",
            "tsql": "SELECT MAX(DATEDIFF(minute, sold, GETDATE())) / 1440.0, COUNT(*) FROM sales"
            " WHERE sold >= DATEADD(month, -24, GETDATE())",
        },
        "select max(epoch(timestamp '2025-01-15 10:30' - sold)) / 86400, count(*) from sales"
        " where sold >= timestamp '2023-01-15 10:30'",
    ),
    Question(
        "a join and the first ten",
        {
            "oracle": "SELECT p.name, SUM(s.amount) AS total FROM sales s, people p WHERE s.person = p.id"
            " GROUP BY p.name ORDER BY total DESC, p.name FETCH FIRST 10 ROWS ONLY",
            "tsql": "SELECT TOP 10 p.name, SUM(s.amount) AS total FROM sales s"
            " JOIN people p ON s.person = p.id GROUP BY p.name ORDER BY total DESC, p.name",
        },
        "select p.name, sum(s.amount) as total from sales s join people p on s.person = p.id"
        " group by p.name order by total desc, p.name limit 10",
    ),
    Question(
        "the greatest of each group",
        {
            "oracle": "SELECT id, amount FROM (SELECT id, amount, ROW_NUMBER() OVER (PARTITION BY person"
            " ORDER BY amount DESC, id) AS place FROM sales) WHERE place = 1",
            "tsql": "SELECT id, amount FROM (SELECT id, amount, ROW_NUMBER() OVER (PARTITION BY person"
            " ORDER BY amount DESC, id) AS place FROM sales) AS ranked WHERE place = 1",
        },
        "select id, amount from sales"
        " qualify row_number() over (partition by person order by amount desc, id) = 1",
    ),
    Question(
        "texts put together",
        {
            "oracle": "SELECT COUNT(DISTINCT region || '-' || NVL(note, 'none')) FROM sales",
            "tsql": "SELECT COUNT(DISTINCT region + '-' + ISNULL(note, 'none')) FROM sales",
        },
        "select count(distinct region || '-' || coalesce(note, 'none')) from sales",
    ),
    Question(
        "rows without a partner",
        {
            "oracle": "SELECT COUNT(*) FROM people p, sales s WHERE p.id = s.person(+) AND s.id IS NULL",
            "tsql": "SELECT COUNT(*) FROM people p LEFT JOIN sales s ON p.id = s.person WHERE s.id IS NULL",
        },
        "select count(*) from people p left join sales s on p.id = s.person where s.id is null",
    ),
    Question(
        "a tree",
        {
            "oracle": "SELECT id, LEVEL AS lvl FROM people"
            " START WITH boss IS NULL CONNECT BY PRIOR id = boss",
            "tsql": "WITH tree AS (SELECT id, 1 AS lvl FROM people WHERE boss IS NULL UNION ALL"
            " SELECT p.id, t.lvl + 1 FROM people p JOIN tree t ON p.boss = t.id) SELECT id, lvl FROM tree",
        },
        "with recursive tree as (select id, 1 as lvl from people where boss is null union all"
        " select p.id, t.lvl + 1 from people p join tree t on p.boss = t.id) select id, lvl from tree",
    ),
    Question(
        "those above their group's average",
        {
            "oracle": "SELECT COUNT(*) FROM sales s WHERE amount >"
            " (SELECT AVG(amount) FROM sales t WHERE t.region = s.region)",
            "tsql": "SELECT COUNT(*) FROM sales s WHERE amount >"
            " (SELECT AVG(amount) FROM sales t WHERE t.region = s.region)",
        },
        "select count(*) from sales s where amount >"
        " (select avg(amount) from sales t where t.region = s.region)",
    ),
]
