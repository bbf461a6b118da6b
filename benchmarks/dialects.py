"""What is a system worth in each dialect? Published predictions on SQLite, PostgreSQL and MariaDB.

    python -m benchmarks.dialects ../shared/data
    python -m benchmarks.dialects ../shared/data --home FOLDER

Nine systems answered mini-dev's 500 questions in the SQL of SQLite, MySQL and PostgreSQL: 27 files in BIRD's
dictionary form, `{"0": "SQL\\t----- bird -----\\tdb_id"}`, keyed by the question's position in
mini_dev_sqlite.json. (Four more, TA_output…, are for SQLite alone.) The databases at hand have 190 of the
questions.

They go the way of anyone's: `glue import`, `glue execute`, `glue build`, and two reports, `leaderboard` and
`dialect_contrasts`. A dialect is a benchmark; a question has one `source_question_id` in all three, a system
one name. Then a plain loop (benchmarks/dialect_loop.py) asks the same servers, and every verdict `ex_set` is
held against it. The warehouse is thrown away unless it has a `--home`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.dialect_loop import LIMIT_S, verdicts
from glue.engines.base import Limits, Session, engine_named
from glue.extraction import extract_sql
from tests.commands import glue, rows_of
from tests.engines.dialect_data import (
    BIRD_DATABASES,
    FoldingMariaDB,
    bird_schemas_in_mariadb,
    bird_schemas_in_postgresql,
    mini_dev_questions,
)
from tests.engines.servers import PostgreSQLServer, Server

DIALECTS = {"sqlite": "sqlite", "postgresql": "postgres", "mariadb": "mysql"}
"""The dialect of each engine, in which its benchmark is named."""

VALUES = """
    select prediction_set as system, {columns}
    from leaderboard
    where protocol = 'evalhouse' and metric = '{metric}'
    group by prediction_set
    order by max(value) desc, system
"""
VALUE = """
    max(numerator::int || ' of ' || denominator || ', ' || format('{{:.3f}} to {{:.3f}}', ci_low, ci_high))
        filter (where benchmark = 'mini_dev/{dialect}') as {dialect}"""
CONTRASTS = """
    select
        prediction_set as system, dialect_a as a, dialect_b as b, n_questions, n_both_right as both,
        n_only_a as only_a, n_only_b as only_b, round(contrasts.difference, 3) as difference,
        format('{{:.3f}} to {{:.3f}}', ci_low, ci_high) as interval,
        format('{{:.3g}}', p_mcnemar) as p, format('{{:.3g}}', p_holm) as p_holm
    from dialect_contrasts as contrasts
    where contrast_family = '{family}'
    order by a, b, contrasts.difference, system
"""
VERDICTS = """
    select prediction_set, split_part(benchmark, '/', 2) as dialect, question_id, ex_set, outcome, reason
    from execution_match
"""

_FILE = re.compile(r"sql_output_kg__predict_mini_dev_(.+)_(sqlite|mysql|postgresql)(?:json)?\.json")


@dataclass(frozen=True)
class PublishedFile:
    """One system's predictions in one dialect."""

    system: str
    engine: str
    path: Path

    def statements(self) -> list[str | None]:
        """What `glue import predictions` makes of the entries, by the question's position; None is no SQL."""
        entries = json.loads(self.path.read_text())
        return [extract_sql(entries[str(position)]).sql for position in range(len(entries))]


def published_files(data: Path) -> Iterator[PublishedFile]:
    """The 27 files, by system and engine."""
    engines = {"sqlite": "sqlite", "mysql": "mariadb", "postgresql": "postgresql"}
    for path in sorted((data / "bird" / "predictions" / "mini_dev_official").iterdir()):
        found = _FILE.fullmatch(path.name)
        if found:
            yield PublishedFile(found[1], engines[found[2]], path)


def own_questions(data: Path, engine: str) -> list[dict[str, Any]]:
    """The questions of mini-dev as one's own, with golds in the engine's dialect: see docs/formats.md."""
    dialect = {"postgresql": "postgresql", "mariadb": "mysql", "sqlite": "sqlite"}[engine]
    return [
        {
            "question_id": question["question_id"],
            "source_question_id": f"mini_dev/{question['question_id']}",
            "db_id": question["db_id"],
            "question": question["question"],
            "evidence": question["evidence"],
            "difficulty": question["difficulty"],
            "golds": [question["SQL"]] if question["SQL"] else [],
            "dialect": DIALECTS[engine],
        }
        for question in mini_dev_questions(data, dialect)
    ]


@contextmanager
def loaded(data: Path, db_ids: Sequence[str] = BIRD_DATABASES) -> Iterator[dict[str, Server]]:
    """The two servers with mini-dev's databases, each a schema of its name; dropped after."""
    mariadb = FoldingMariaDB()
    try:
        servers = {"postgresql": PostgreSQLServer(), "mariadb": mariadb.database()}
        try:
            bird_schemas_in_postgresql(servers["postgresql"], data, db_ids)
            bird_schemas_in_mariadb(servers["mariadb"], data, db_ids)
            yield servers
        finally:
            servers["postgresql"].drop()
    finally:
        mariadb.stop()


def scored(home: Path, data: Path, servers: dict[str, Server], files: Sequence[PublishedFile]) -> None:
    """Import three benchmarks and the files, execute and build, by the commands that anyone would give."""
    for engine, dialect in DIALECTS.items():
        questions = home / f"{dialect}.jsonl"
        questions.write_text("\n".join(map(json.dumps, own_questions(data, engine))))
        where: list[object] = ["--databases", data / "bird" / "databases"]
        if engine in servers:
            server = servers[engine]
            os.environ[f"EVALHOUSE_{engine.upper()}_PASSWORD"] = server.password
            glue(home, "connect", engine, f"{engine}://{server.name}@127.0.0.1:{server.port}/{server.name}")
            where = ["--connection", engine, "--snapshot", "loaded"]
        glue(home, "import", "jsonl", "--name", f"mini_dev/{dialect}", "--questions", questions, *where)
    for file in files:
        benchmark = f"mini_dev/{DIALECTS[file.engine]}"
        glue(home, "import", "predictions", file.path, "--benchmark", benchmark, "--name", file.system)
    for where in (["--engine", "sqlite"], ["--connection", "postgresql"], ["--connection", "mariadb"]):
        print(glue(home, "execute", *where, "--timeout", LIMIT_S).stdout, end="")
    print(glue(home, "build").stdout, end="")


def loop_verdicts(
    data: Path,
    servers: dict[str, Server],
    files: Sequence[PublishedFile],
    db_ids: Sequence[str] = BIRD_DATABASES,
) -> dict[tuple[str, str, str], str]:
    """What a plain loop over the same databases says, by system, dialect and question."""
    found = {}
    for engine, dialect in DIALECTS.items():
        questions = own_questions(data, engine)
        for db_id in db_ids:
            asked = {i: question for i, question in enumerate(questions) if question["db_id"] == db_id}
            golds = {str(question["question_id"]): question["golds"][0] for question in asked.values()}
            predictions = {
                (file.system, str(question["question_id"])): statements[i]
                for file in files
                if file.engine == engine
                for statements in [file.statements()]
                for i, question in asked.items()
            }
            said = verdicts(_opening(data, db_id, servers.get(engine)), golds, predictions)
            found.update({(system, dialect, key): verdict for (system, key), verdict in said.items()})
    return found


def _opening(data: Path, db_id: str, server: Server | None) -> Callable[[], Session]:
    limits = Limits(1 << 30)
    if server is None:
        path = data / "bird" / "databases" / db_id / f"{db_id}.sqlite"
        return lambda: engine_named("sqlite").open(path, limits)
    address = replace(server.address, search_path=(db_id,))
    return lambda: server.glue_engine.open_server(address, limits)


def disagreements(home: Path, looped: dict[tuple[str, str, str], str]) -> list[tuple[str, ...]]:
    """Where the warehouse and the loop differ in `ex_set`, and what each of them says."""
    stored = {
        (row["prediction_set"], row["dialect"], row["question_id"]): row for row in rows_of(home, VERDICTS)
    }
    differing = []
    for key, said in looped.items():
        row = stored[key]
        if row["ex_set"] is not (said == "right"):
            differing.append((*key, f"{row['outcome']}, {row['reason']}", said))
    return sorted(differing)


def print_rows(home: Path, title: str, sql: str) -> None:
    """A query's rows as Markdown."""
    rows = rows_of(home, sql)
    print(f"\n{title}\n\n| {' | '.join(rows[0])} |\n|{'---|' * len(rows[0])}")
    for row in rows:
        print(f"| {' | '.join(str(value) for value in row.values())} |")


def main() -> None:
    """Import, execute, build; print the reports and what the loop says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--home", type=Path, help="an empty folder for the warehouse, which is kept")
    asked = parser.parse_args()
    data = asked.data.resolve()
    with tempfile.TemporaryDirectory() as folder, loaded(data) as servers:
        home = (asked.home or Path(folder)).resolve()
        home.mkdir(exist_ok=True)
        files = list(published_files(data))
        scored(home, data, servers, files)
        started_s = time.monotonic()
        looped = loop_verdicts(data, servers, files)
        print(f"the loop: {len(looped):,} verdicts in {time.monotonic() - started_s:.1f} s")
        for metric, family in (("ex", "dialect"), ("ex_set", "dialect_set")):
            columns = ",".join(VALUE.format(dialect=dialect) for dialect in DIALECTS.values())
            print_rows(home, metric, VALUES.format(columns=columns, metric=metric))
            print_rows(home, f"{metric}, in pairs", CONTRASTS.format(family=family))
        differing = disagreements(home, looped)
        counts = Counter(f"{warehouse}; {loop}" for *_, warehouse, loop in differing)
        print(f"\nex_set and the loop differ in {len(differing)} of {len(looped):,} verdicts:")
        for line in [f"{n} times {what}" for what, n in counts.most_common()] + [*map(" | ".join, differing)]:
            print(f"* {line}")


if __name__ == "__main__":
    main()
