"""Random SQLite queries that make names hard to resolve, and the tables they are over.

Columns share names across tables; names are written with and without qualifiers, in every kind of quotes and
in any case; CTEs and derived tables are called as tables, aliases as columns. Some are wrong, as meant.
"""

from __future__ import annotations

import random
import sqlite3

TABLES = {
    "film": ["id", "title", "year", "studio"],
    "studio": ["id", "name", "city", "year"],
    "cast": ["film_id", "person", "order", "a b"],
}
_SCHEMA = """
    CREATE TABLE film (id INTEGER, title TEXT, year INTEGER, studio INTEGER);
    CREATE TABLE studio (id INTEGER, name TEXT, city TEXT, year INTEGER);
    CREATE TABLE "cast" (film_id INTEGER, person TEXT, "order" INTEGER, "a b" TEXT);
"""


def database() -> sqlite3.Connection:
    """The tables, empty: statements are only prepared."""
    connection = sqlite3.connect(":memory:", cached_statements=0)
    connection.executescript(_SCHEMA)
    return connection


class Queries:
    """Draws queries; the same seed draws the same ones."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.ctes: dict[str, list[str]] = {}
        self.n_aliases = 0

    def query(self) -> str:
        """One query, mostly valid, with CTEs before it now and then."""
        self.ctes = {}
        self.n_aliases = 0
        return self.with_clause() + self.body(2, self.draw.randint(1, 3), [])

    def chance(self, share: float) -> bool:
        """True in this share of draws."""
        return self.draw.random() < share

    def with_clause(self) -> str:
        """Up to two CTEs, some with names for their columns, some recursive, some called as a table."""
        made = []
        is_recursive = False
        for _ in range(self.draw.choice([0, 0, 0, 1, 1, 2])):
            name = self.draw.choice(["few", "many", "many", "few", "studio"])
            if name in self.ctes:
                continue
            columns = [self.draw.choice(["id", "k", "year"]), "v"]
            if self.chance(0.2):
                is_recursive = True
                first = self.select(1, 2, [], aliases=columns, is_plain=True)
                body = f"{first} UNION ALL SELECT {columns[0]} + 1, v FROM {name} WHERE {columns[0]} < 9"
                made.append(f"{name} AS ({body})")
            elif self.chance(0.4):
                made.append(f"{name} ({', '.join(columns)}) AS ({self.body(1, 2, [])})")
            else:
                made.append(f"{name} AS ({self.select(1, 2, [], aliases=columns)})")
            self.ctes[name] = columns
        if not made:
            return ""
        return f"WITH {'RECURSIVE ' if is_recursive else ''}{', '.join(made)} "

    def body(self, depth: int, width: int, outer: list[str]) -> str:
        """A SELECT, or a set operation of two."""
        if self.chance(0.15):
            operator = self.draw.choice(["UNION", "UNION ALL", "EXCEPT", "INTERSECT"])
            tail = self.draw.choice(["", " ORDER BY 1", " ORDER BY q0"])
            aliases = [f"q{i}" for i in range(width)]
            left = self.select(depth - 1, width, outer, aliases=aliases, is_plain=True)
            return f"{left} {operator} {self.select(depth - 1, width, outer, is_plain=True)}{tail}"
        return self.select(depth, width, outer)

    def written(self, name: str) -> str:
        """A name as somebody may write it."""
        if not name.isidentifier() or name == "order":
            return self.draw.choice([f'"{name}"', f"`{name}`", f"[{name}]"])
        return self.draw.choice([name, name, name, name.upper(), f'"{name}"', f"`{name}`"])

    def source(self, depth: int) -> tuple[str, str, list[str]]:
        """Something in FROM, the alias it is known by, and its columns."""
        alias = f"s{self.n_aliases}"
        self.n_aliases += 1
        if depth > 0 and self.chance(0.2):
            columns = [self.draw.choice(["id", "year", "m"]), "w"]
            return f"({self.select(depth - 1, 2, [], aliases=columns)}) AS {alias}", alias, columns
        tables = {**TABLES, **self.ctes}
        name = self.draw.choice(list(tables))
        if name != "cast" and self.chance(0.3):
            return self.written(name), name, tables[name]
        quoted = '"cast"' if name == "cast" else self.written(name)
        return f"{quoted} {self.draw.choice(['', 'AS '])}{alias}", alias, tables[name]

    def select(
        self,
        depth: int,
        width: int,
        outer: list[str],
        aliases: list[str] | None = None,
        is_plain: bool = False,
    ) -> str:
        """A SELECT of `width` columns; `outer` are the columns that a correlated one may use."""
        text, alias, columns = self.source(depth)
        names = [f"{alias}.{self.written(column)}" for column in columns]
        seen = list(columns)
        for _ in range(self.draw.choice([0, 0, 1, 2])):
            other, other_alias, other_columns = self.source(depth)
            shared = [column for column in other_columns if column in columns]
            qualified = [f"{other_alias}.{self.written(column)}" for column in other_columns]
            kind = self.draw.random()
            if kind < 0.25 and shared:
                text += f" {self.draw.choice(['', 'LEFT '])}JOIN {other} USING ({self.written(shared[0])})"
            elif kind < 0.35:
                text += f" NATURAL JOIN {other}"
            elif kind < 0.8:
                text += f" JOIN {other} ON {self.draw.choice(names)} = {self.draw.choice(qualified)}"
            else:
                text += f", {other}"
            names += qualified
            seen += other_columns
        names += [self.written(column) for column in seen if seen.count(column) == 1 or self.chance(0.1)]
        visible = names + outer
        star = self.draw.choice(["*", f"{alias}.*"])
        if width > 1 and not aliases and not is_plain and self.chance(0.15):
            items = [star]
        else:
            items = [self.expression(visible, depth) for _ in range(width)]
            if aliases:
                items = [f"{item} AS {name}" for item, name in zip(items, aliases, strict=True)]
            elif self.chance(0.4):
                items[0] += " AS " + self.draw.choice(["z", "year", '"a b"'])
        sql = f"SELECT {'DISTINCT ' if self.chance(0.1) else ''}{', '.join(items)} FROM {text}"
        if self.chance(0.5):
            sql += f" WHERE {self.condition(visible, depth)}"
        if self.chance(0.2):
            sql += f" GROUP BY {self.draw.choice([*names, '1', 'z'])}"
            if self.chance(0.4):
                sql += f" HAVING COUNT({self.draw.choice(names)}) > 1"
        if not is_plain and self.chance(0.3):
            sql += f" ORDER BY {self.draw.choice([*names, '1', 'z', 'year', 'year + 1'])}"
        return sql

    def expression(self, names: list[str], depth: int) -> str:
        """A value of one row or of several."""
        name = self.draw.choice(names)
        kind = self.draw.random()
        if kind < 0.6:
            return name
        if kind < 0.7:
            return self.draw.choice(
                [f"MAX({name})", f"COUNT(DISTINCT {name})", "COUNT(*)", f"MIN({name}, 1)"]
            )
        if kind < 0.76:
            return f"CASE WHEN {name} > 1 THEN {self.draw.choice(names)} END"
        if kind < 0.8:
            return f"RANK() OVER (PARTITION BY {name} ORDER BY {self.draw.choice(names)})"
        if kind < 0.84:
            return self.draw.choice(["rowid", "oid", '"nothing like it"', "'text'", "nobody"])
        if kind < 0.92 and depth > 0:
            return f"({self.body(depth - 1, 1, names)})"
        return f"{name} || {self.draw.choice(names)}"

    def condition(self, names: list[str], depth: int) -> str:
        """A condition on one row."""
        name = self.draw.choice(names)
        kind = self.draw.random()
        if kind < 0.4 or depth == 0:
            return self.draw.choice(
                [f"{name} = 1", f'{name} = "nowhere"', f"{name} = {self.draw.choice(names)}"]
            )
        if kind < 0.55:
            return f"{name} IN ({self.body(depth - 1, 1, names)})"
        if kind < 0.7:
            return f"NOT EXISTS ({self.body(depth - 1, 2, names)})"
        if kind < 0.8:
            return f"{name} > ({self.body(depth - 1, 1, names)})"
        return f"({self.condition(names, depth)} {self.draw.choice(['AND', 'OR'])} {name} IS NOT NULL)"
