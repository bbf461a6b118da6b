"""What is a system worth in each dialect? Published predictions on SQLite, PostgreSQL and MariaDB.

    python -m benchmarks.dialects ../shared/data

Nine systems answered mini-dev's 500 questions in the SQL of SQLite, MySQL and PostgreSQL: 27 files in BIRD's
dictionary form, `{"0": "SQL\\t----- bird -----\\tdb_id"}`, keyed by the question's position in
mini_dev_sqlite.json. (Four more, TA_output…, are for SQLite alone.) The databases at hand have 190 of the
questions.

An answer is right where it is the same set of rows as its dialect's gold on the same engine. This is a plain
loop over sessions, to be held against what `glue execute` says of the same files: it knows no verdict but
equality of sets, and no limits but LIMIT_S and MAX_ROWS. A system's dialects are compared in pairs, question
by question (McNemar's exact test, Holm's correction over all pairs).
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from math import comb
from pathlib import Path
from typing import Any

from glue.cells import Cells, cells_of_rows
from glue.engines.base import Failure, Limits, Row, Session, engine_named
from glue.extraction import extract_sql
from tests.engines.dialect_data import (
    BIRD_DATABASES,
    FoldingMariaDB,
    bird_in_mariadb,
    bird_in_postgresql,
    mini_dev_questions,
)
from tests.engines.servers import PostgreSQLServer

ENGINES = {"sqlite": "sqlite", "postgresql": "postgres", "mariadb": "mysql"}
"""The dialect of each engine."""

LIMIT_S = 5.0
MAX_ROWS = 200_000

_FILE = re.compile(r"sql_output_kg__predict_mini_dev_(.+)_(sqlite|mysql|postgresql)(?:json)?\.json")
_FETCHED_AT_ONCE = 1_000

Answer = frozenset[Cells] | Failure


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
            "db_id": question["db_id"],
            "question": question["question"],
            "evidence": question["evidence"],
            "difficulty": question["difficulty"],
            "golds": [question["SQL"]] if question["SQL"] else [],
            "dialect": ENGINES[engine],
        }
        for question in mini_dev_questions(data, dialect)
    ]


def answered(session: Session, sql: str) -> Answer:
    """A statement's rows as a set, or why it has none; it may take LIMIT_S and give MAX_ROWS."""
    rows: list[Row] = []
    session.limit_time(LIMIT_S)
    is_over = threading.Event()

    def interrupt() -> None:
        is_over.set()
        session.interrupt()

    watch = threading.Timer(LIMIT_S, interrupt)
    watch.start()
    try:
        session.execute(sql)
        while some := session.fetch(_FETCHED_AT_ONCE):
            rows += some
            if len(rows) > MAX_ROWS:
                message = f"more than {MAX_ROWS:,} rows"
                return Failure("failed", "resource", None, message, is_session_lost=True)
        return frozenset(cells_of_rows(rows))
    except Exception as error:
        found = session.failure(error)
        if is_over.is_set():
            return replace(found, outcome="timed_out", error_class="interrupted", is_session_lost=True)
        return found
    finally:
        watch.cancel()
        watch.join()
        session.finish()


class Loop:
    """Asks one database of one engine; a session that was lost is opened again."""

    def __init__(self, opened: Callable[[], Session]) -> None:
        self._opened = opened
        self._session: Session = opened()
        self._known: dict[str, Answer] = {}

    def answer(self, sql: str) -> Answer:
        """A statement's answer, asked once."""
        if sql not in self._known:
            found = self._asked(sql)
            if isinstance(found, Failure) and found.error_class == "connection":
                found = self._asked(sql)  # the one before was interrupted just as it ended
            self._known[sql] = found
        return self._known[sql]

    def _asked(self, sql: str) -> Answer:
        found = answered(self._session, sql)
        if isinstance(found, Failure) and found.is_session_lost:
            self._session.close()
            self._session = self._opened()
        return found

    def close(self) -> None:
        """Close the session."""
        self._session.close()


Verdicts = dict[tuple[str, str], dict[int, str]]
"""By system and engine, for each question: right, wrong, or outcome and class of the failure."""


def verdicts_of(data: Path, mariadb: FoldingMariaDB, db_ids: Sequence[str] = BIRD_DATABASES) -> Verdicts:
    """The verdicts of every published file on the questions of some databases."""
    found: Verdicts = {}
    files = list(published_files(data))
    statements = {file: file.statements() for file in files}
    for db_id in db_ids:
        for engine in ENGINES:
            dropped = PostgreSQLServer() if engine == "postgresql" else None
            if dropped is not None:
                bird_in_postgresql(dropped, data, db_id)
            loop = Loop(_opening(data, db_id, dropped or (mariadb if engine == "mariadb" else None)))
            questions = own_questions(data, engine)
            with closing(loop):
                for file in files:
                    if file.engine != engine:
                        continue
                    verdicts = found.setdefault((file.system, engine), {})
                    for question, sql in zip(questions, statements[file], strict=True):
                        if question["db_id"] == db_id:
                            gold = loop.answer(question["golds"][0])
                            verdicts[question["question_id"]] = verdict(gold, sql and loop.answer(sql))
            if dropped is not None:
                dropped.drop()
    return found


def verdict(gold: Answer, answer: Answer | str | None) -> str:
    """Right, wrong, or why there is no answer."""
    if not isinstance(answer, Failure | frozenset):
        return "failed no_sql"
    if isinstance(answer, Failure):
        return f"{answer.outcome} {answer.error_class}"
    return "right" if answer == gold else "wrong"


def _opening(
    data: Path, db_id: str, server: PostgreSQLServer | FoldingMariaDB | None
) -> Callable[[], Session]:
    limits = Limits(1 << 30)
    if server is None:
        path = data / "bird" / "databases" / db_id / f"{db_id}.sqlite"
        return lambda: engine_named("sqlite").open(path, limits)
    if isinstance(server, PostgreSQLServer):
        return lambda: server.open(limits)
    database = server.database()
    bird_in_mariadb(database, data, db_id)
    return lambda: database.open(limits)


# --- Contrasts ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Contrast:
    """One system in two dialects, over the same questions."""

    system: str
    engine_a: str
    engine_b: str
    n_both: int
    n_only_a: int
    n_only_b: int
    p_mcnemar: float


def contrasts(verdicts: Verdicts) -> list[Contrast]:
    """Every system's three pairs of dialects."""
    found = []
    for system in sorted({system for system, _ in verdicts}):
        for engine_a, engine_b in itertools.combinations(ENGINES, 2):
            of_a, of_b = verdicts[system, engine_a], verdicts[system, engine_b]
            pairs = Counter((of_a[key] == "right", of_b[key] == "right") for key in of_a)
            only_a, only_b = pairs[True, False], pairs[False, True]
            found.append(
                Contrast(
                    system, engine_a, engine_b, pairs[True, True], only_a, only_b, p_mcnemar(only_a, only_b)
                )
            )
    return found


def p_mcnemar(n_only_a: int, n_only_b: int) -> float:
    """Exact and two-sided, as macro mcnemar_p_value has it."""
    n = n_only_a + n_only_b
    tail = sum(comb(n, k) for k in range(min(n_only_a, n_only_b) + 1))
    return float(min(1.0, 2 * tail / 2**n))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's corrected p values, in the order given."""
    corrected = [0.0] * len(p_values)
    largest = 0.0
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, p_values[place] * (len(p_values) - rank)))
        corrected[place] = largest
    return corrected


def main() -> None:
    """Print the systems' table and that of the pairs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path)
    mariadb = FoldingMariaDB()
    try:
        verdicts = verdicts_of(parser.parse_args().data, mariadb)
    finally:
        mariadb.stop()
    print(
        "| system | engine | questions | right | wrong | failed | timed out |\n|---|---|---|---|---|---|---|"
    )
    for (system, engine), found in sorted(verdicts.items()):
        n = Counter(verdict.split()[0] for verdict in found.values())
        n_failed = n["failed"] + n["refused"] + n["crashed"]
        told = (system, engine, len(found), n["right"], n["wrong"], n_failed, n["timed_out"])
        print(f"| {' | '.join(map(str, told))} |")
    print("\n| system | a | b | both right | only a | only b | p | p (Holm) |")
    print("|---|---|---|---|---|---|---|---|")
    pairs = contrasts(verdicts)
    for pair, p_holm in zip(pairs, holm([pair.p_mcnemar for pair in pairs]), strict=True):
        print(
            f"| {pair.system} | {pair.engine_a} | {pair.engine_b} | {pair.n_both} | {pair.n_only_a}"
            f" | {pair.n_only_b} | {pair.p_mcnemar:.3g} | {p_holm:.3g} |"
        )


if __name__ == "__main__":
    main()
