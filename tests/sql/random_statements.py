"""Random SQLite statements over two small tables full of ties, and the same rows stored in other orders."""

from __future__ import annotations

import random
import sqlite3

COLUMNS = {"t": ["a", "b", "c", "d", "e"], "u": ["a", "f", "g"]}
_SCHEMA = (
    "CREATE TABLE t (a INTEGER, b INTEGER, c TEXT, d REAL, e); CREATE TABLE u (a INTEGER, f TEXT, g REAL);"
)


def databases(n_rows: int = 14) -> list[sqlite3.Connection]:
    """The same rows three times: as made, reversed under indexes, shuffled and scanned backwards."""
    draw = random.Random(5)
    rows_of_t = [
        (
            draw.choice([1, 2, 3, None]),
            draw.randint(0, 2),
            draw.choice(["x", "y", "X", None]),
            draw.choice([0.1, 0.2, 0.3, 1e14, 3.0, None]),
            draw.choice([1, 2, 2.5]),
        )
        for _ in range(n_rows)
    ]
    rows_of_u = [
        (draw.choice([1, 2, 3]), draw.choice(["p", "q"]), draw.choice([0.7, 0.1, 1e13]))
        for _ in range(n_rows // 2)
    ]
    made = []
    for order in ("as made", "reversed", "shuffled"):
        connection = sqlite3.connect(":memory:")
        connection.executescript(_SCHEMA)
        for table, rows in (("t", list(rows_of_t)), ("u", list(rows_of_u))):
            if order == "reversed":
                rows.reverse()
            elif order == "shuffled":
                random.Random(9).shuffle(rows)
            marks = ", ".join("?" * len(COLUMNS[table]))
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
            for column in COLUMNS[table] if order == "reversed" else ():
                connection.execute(f"CREATE INDEX {table}_{column} ON {table} ({column})")
        if order == "reversed":
            connection.execute("ANALYZE")
        if order == "shuffled":
            connection.execute("PRAGMA reverse_unordered_selects = ON")
        made.append(connection)
    return made


class Statements:
    """Draws statements; the same seed draws the same ones."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def statement(self) -> str:
        """One statement, mostly valid."""
        kind = self.draw.random()
        if kind < 0.12:
            operator = self.draw.choice(["UNION", "UNION ALL", "EXCEPT", "INTERSECT"])
            body = f"{self.select(1, 1, False)} {operator} {self.select(1, 1, False)}"
            return body + self.choice(0.5, " ORDER BY 1") + self.choice(0.4, self.limit())
        if kind < 0.24:
            name = self.draw.choice(["w", "t"])
            body = self.select(1, 2, True, ["k", "l"])
            return f"WITH {name} AS ({body}) SELECT {self.outer(name)} FROM {name}" + self.tail(["k", "l"])
        if kind < 0.36:
            return f"SELECT {self.outer('s')} FROM ({self.select(1, 2, True, ['k', 'l'])}) AS s" + self.tail(
                ["k", "l"]
            )
        return self.select(0, self.draw.randint(1, 3), True)

    def choice(self, chance: float, text: str) -> str:
        """The text, or nothing."""
        return text if self.draw.random() < chance else ""

    def outer(self, name: str) -> str:
        """A SELECT list over a derived table with the columns k and l."""
        return self.draw.choice(
            [
                "k, l",
                "*",
                "k",
                f"SUM({name}.k)",
                "COUNT(*), MAX(l)",
                "l, COUNT(*)",
                "AVG(k), MIN(l)",
                "DISTINCT l",
            ]
        )

    def tail(self, names: list[str]) -> str:
        """GROUP BY, ORDER BY and LIMIT over named columns."""
        name = self.draw.choice(names)
        return (
            self.choice(0.2, f" GROUP BY {self.draw.choice(names)}")
            + self.choice(0.4, f" ORDER BY {self.draw.choice([name, ', '.join(names), '1', name + ' DESC'])}")
            + self.choice(0.3, self.limit())
        )

    def limit(self) -> str:
        """LIMIT, sometimes with OFFSET."""
        return f" LIMIT {self.draw.choice([1, 1, 2, 5, -1])}" + self.choice(0.2, " OFFSET 1")

    def select(self, depth: int, n_items: int, may_limit: bool, names: list[str] | None = None) -> str:
        """A SELECT of `n_items` columns, aliased with the names."""
        has_join = self.draw.random() < 0.3
        columns = ["t.a", "t.b", "t.c", "t.d", "u.f", "u.g"] if has_join else ["a", "b", "c", "d", "e"]
        source = (
            self.draw.choice(["t JOIN u ON t.a = u.a", "t LEFT JOIN u ON t.a = u.a", "t, u"])
            if has_join
            else "t"
        )
        if not has_join and self.draw.random() < 0.1:
            source = "t AS x"
            columns = [f"x.{column}" for column in columns]
        grouped = self.draw.random() < 0.35
        group = [self.expression(columns, 1, 0) for _ in range(self.draw.randint(1, 2))] if grouped else []
        is_strict = self.draw.random() < 0.85  # no bare columns
        aggregated = not grouped and self.draw.random() < 0.25
        items = []
        for place in range(n_items):
            kind = self.draw.random()
            if grouped and kind < (0.5 if is_strict else 0.3):
                item = self.draw.choice(group)
            elif aggregated or (grouped and (is_strict or kind < 0.6)):
                item = self.aggregate(columns)
            elif kind < 0.62 and depth < 2:
                item = self.window(columns)
            else:
                item = self.expression(columns, 1, depth)
            items.append(item + (f" AS {names[place]}" if names else self.choice(0.3, f" AS z{place}")))
        text = f"SELECT {self.choice(0.15, 'DISTINCT ')}{', '.join(items)} FROM {source}"
        text += self.choice(0.4, f" WHERE {self.condition(columns, depth)}")
        if grouped:
            terms = [str(self.draw.randint(1, n_items))] if self.draw.random() < 0.15 else group
            text += f" GROUP BY {', '.join(terms)}"
            text += self.choice(0.2, f" HAVING {self.aggregate(columns)} > {self.draw.choice([0, 1, 2])}")
        if may_limit:
            plain = [item.split(" AS ")[0] for item in items]
            others = [] if (grouped or aggregated) and is_strict else columns
            keys = [
                *plain,
                *plain,
                *others,
                "1",
                *(item.split(" AS ")[-1] for item in items if " AS z" in item),
            ]
            n_keys = self.draw.randint(1, 3)
            order = ", ".join(
                self.draw.choice(keys) + self.choice(0.1, " COLLATE NOCASE") + self.choice(0.3, " DESC")
                for _ in range(n_keys)
            )
            text += self.choice(0.45, f" ORDER BY {order}") + self.choice(0.3, self.limit())
        return text

    def expression(self, columns: list[str], level: int, depth: int) -> str:
        """A value of one row."""
        column = self.draw.choice(columns)
        kind = self.draw.random()
        if kind < 0.6 or level > 2:
            return column
        if kind < 0.7:
            operator = self.draw.choice(["+", "*", "-", "/", "%"])
            return f"{column} {operator} {self.draw.choice(['1', '2.0', *columns])}"
        if kind < 0.78:
            condition = self.condition(columns, 2)
            return f"CASE WHEN {condition} THEN {self.expression(columns, level + 1, depth)} ELSE 0 END"
        if kind < 0.84:
            return self.draw.choice(
                [f"COALESCE({column}, 0)", f"ABS({column})", f"CAST({column} AS INTEGER)"]
            )
        if kind < 0.88:
            return self.draw.choice(["1", "'x'", "NULL", "2.5"])
        if depth < 1:
            return f"({self.select(depth + 1, 1, True)})"
        return f"ROUND({column}, 1)"

    def condition(self, columns: list[str], depth: int) -> str:
        """A condition on one row."""
        column = self.draw.choice(columns)
        kind = self.draw.random()
        if kind < 0.5 or depth >= 1:
            return self.draw.choice(
                [f"{column} = 1", f"{column} > 1", f"{column} = 'x'", f"{column} IS NULL"]
            )
        if kind < 0.65:
            return f"{column} IN ({self.select(depth + 1, 1, True)})"
        if kind < 0.8:
            return f"EXISTS ({self.select(depth + 1, 1, True)})"
        if kind < 0.9:
            return f"{column} = ({self.select(depth + 1, 1, True)})"
        return f"{column} = 1 AND {self.condition(columns, depth)}"

    def aggregate(self, columns: list[str]) -> str:
        """A call of an aggregate."""
        inner = self.expression(columns, 2, 2)
        name = self.draw.choice(["COUNT", "MIN", "MAX", "SUM", "AVG", "TOTAL", "GROUP_CONCAT"])
        call = f"{name}({self.choice(0.15, 'DISTINCT ')}{inner})"
        return self.draw.choice([call, call, call, "COUNT(*)", f"{call} * 1.0 / COUNT(*)"])

    def window(self, columns: list[str]) -> str:
        """A call of a window function."""
        column = self.draw.choice(columns)
        without = ["ROW_NUMBER()", "RANK()", "DENSE_RANK()", "NTILE(2)"]
        over_column = ["SUM", "COUNT", "AVG", "LAG", "FIRST_VALUE", "LAST_VALUE"]
        function = self.draw.choice([*without, *(f"{name}({column})" for name in over_column)])
        order = f"ORDER BY {', '.join(self.draw.sample(columns, self.draw.randint(1, 3)))}"
        frame = self.choice(0.2, " ROWS UNBOUNDED PRECEDING")
        partition = self.choice(0.4, f"PARTITION BY {self.draw.choice(columns)} ")
        over = partition + self.choice(0.8, order + frame)
        return f"{function} OVER ({over})"
