"""Made-up pools of tables for tests of the rankings: landed as an import would, and built by dbt."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from glue.home import Home
from glue.landing import Writer
from tests.commands import run_dbt

BENCHMARK = "made_up"
_STEMS = (
    "order",
    "client",
    "sale",
    "id",
    "name",
    "date",
    "Total",
    "city",
    "2",
    "2020",
    "客户",
    "score",
    "Tax",
    "a",
)
_WORDS = (*(stem.lower() for stem in _STEMS), "the", "of", "how", "many", "which", "sales", "dated")


@dataclass
class Pool:
    """Tables as (database, table, columns), and questions as texts; ids are their places."""

    tables: list[tuple[str, str, list[str]]] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)

    def document(self, place: int) -> str:
        """The names of one table, as rankers read them."""
        database, table, columns = self.tables[place]
        return f"{database} {table}" + (f": {', '.join(columns)}" if columns else "")


def random_pool(seed: int, n_tables: int, n_questions: int) -> Pool:
    """Names with terms in common, in several styles; questions of which some share nothing with any name."""
    chance = random.Random(seed)
    pool = Pool()
    databases = [f"db{number}_{chance.choice(_STEMS)}{number}" for number in range(5)]
    for number in range(n_tables):
        names = [_name(chance) for _ in range(chance.randrange(12))]
        columns = list({name.lower(): name for name in names}.values())
        pool.tables.append((databases[number % 5], f"{_name(chance)}_{number}", columns))
    pool.questions = [
        " ".join(chance.choice(_WORDS) for _ in range(chance.randrange(1, 14)))
        for _ in range(n_questions - 1)
    ]
    pool.questions.append("zzz?")
    return pool


def _name(chance: random.Random) -> str:
    parts = [chance.choice(_STEMS) for _ in range(chance.randrange(1, 4))]
    style = chance.randrange(4)
    if style == 0:
        return "_".join(parts)
    if style == 1:
        return parts[0] + "".join(part.capitalize() for part in parts[1:])
    return " ".join(parts) if style == 2 else "".join(part.upper() for part in parts)


def land_pool(home: Home, pool: Pool) -> None:
    """Land the pool as a benchmark under study."""
    now = datetime.now(UTC)
    shared = {"import_id": "i", "benchmark": BENCHMARK}
    databases = sorted({database for database, _, _ in pool.tables})
    tables = [
        {
            **shared,
            "db_id": database,
            "source": "bird_tables",
            "table_name": table,
            "table_position": place + 1,
        }
        for place, (database, table, _) in enumerate(pool.tables)
    ]
    columns = [
        {**shared, "db_id": database, "source": "bird_tables", "table_name": table, "column_name": name}
        | {"column_position": position, "data_type": "text"}
        for database, table, names in pool.tables
        for position, name in enumerate(names, start=1)
    ]
    questions = [
        {
            **shared,
            "question_id": str(place),
            "question_position": place,
            "db_id": databases[0],
            "question": text,
        }
        for place, text in enumerate(pool.questions)
    ]
    study = {
        "study_id": "s",
        "study": "budget",
        "benchmark": BENCHMARK,
        "options": "{}",
        "registered_at": now,
    }
    with Writer(home, loop="import") as writer:
        writer.append("databases", [{**shared, "db_id": name, "source": "bird_tables"} for name in databases])
        writer.append("tables", tables)
        writer.append("columns", columns)
        writer.append("questions", questions)
        writer.append(
            "imports", [{**shared, "kind": "bird", "scope": f"benchmark:{BENCHMARK}", "imported_at": now}]
        )
        writer.append("studies", [study])


def build(home: Home, *models: str) -> Path:
    """Build models and what they stand on; gives the folder for `rows_of`."""
    run_dbt(home.root, *(f"+{model}" for model in models))
    return home.root


def place_of(pool: Pool) -> dict[tuple[str, str], int]:
    """The place of each table by database and key."""
    return {(database, table.lower()): place for place, (database, table, _) in enumerate(pool.tables)}


def scores_by_question(rows: Sequence[dict[str, object]], pool: Pool, n_questions: int) -> list[list[float]]:
    """A ranker's rows as scores by question and table, in the pool's order."""
    places = place_of(pool)
    found = [[float("nan")] * len(pool.tables) for _ in range(n_questions)]
    for row in rows:
        place = places[str(row["db_id"]), str(row["table_key"])]
        found[int(str(row["question_id"]))][place] = float(str(row["score"]))
    return found
