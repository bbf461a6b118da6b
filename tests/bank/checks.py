"""What every question of the bank is held to, as functions: tests use them, and authors while they write.

A `Bench` has the base data and each D′ of a manifest as open, read-only files of both engines, and remembers
results. `checks(bench, question)` gives findings: what was looked at, whether it holds, and the particulars.
"""

from __future__ import annotations

import math
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

import duckdb

from glue import bank
from glue.bank.manifest import BankQuestion, Manifest
from glue.bank.oracle import BASE, SUPPLEMENTARY
from glue.cells import cell
from glue.errors import GlueError
from glue.sql.mutations import Mutation, Schema

ENGINES = ("duckdb", "sqlite")
MAX_SECONDS = 10

Rows = list[tuple[str | None, ...]]


@dataclass(frozen=True)
class Finding:
    """`level` is ok, warn or fail."""

    level: str
    subject: str
    detail: str


class Failed(Exception):
    """A statement that does not run, with the engine's reason."""


@dataclass
class Bench:
    """The databases of a manifest, made in `folder` when they are first asked for."""

    manifest: Manifest
    folder: Path
    _open: dict[tuple[str, str, str], Any] = field(default_factory=dict)
    _results: dict[tuple[str, str, str, str], Rows | Failed] = field(default_factory=dict)
    _stack: ExitStack = field(default_factory=ExitStack)

    def close(self) -> None:
        self._stack.close()

    def has_instance(self, question: BankQuestion) -> bool:
        return question.question_id in self.manifest.instances

    def base_file(self, db_id: str, engine: str) -> Path:
        path = self.folder / f"{db_id}.{engine}"
        if not path.exists():
            (bank.write_sqlite if engine == "sqlite" else bank.write_duckdb)(self.manifest, db_id, path)
        return path

    def instance_file(self, question: BankQuestion, engine: str) -> Path:
        path = self.folder / "instances" / f"{question.question_id}.{engine}"
        base = self.base_file(question.db_id, engine)
        bank.write_instance(self.manifest, question.question_id, engine, base, path)
        return path

    def connection(self, question: BankQuestion, engine: str, instance: str) -> Any:
        """An open file: the base data of the question's database, or its D′. GlueError when a step fails."""
        name = question.db_id if instance == BASE else question.question_id
        place = (engine, instance, name)
        if place not in self._open:
            if instance == BASE:
                path = self.base_file(name, engine)
            else:
                path = self.instance_file(question, engine)
            opened = self._sqlite(path) if engine == "sqlite" else self._duckdb(path)
            self._open[place] = self._stack.enter_context(closing(opened))
        return self._open[place]

    @staticmethod
    def _sqlite(path: Path) -> sqlite3.Connection:
        return sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True, check_same_thread=False)

    @staticmethod
    def _duckdb(path: Path) -> duckdb.DuckDBPyConnection:
        connection = duckdb.connect(":memory:")
        connection.execute(f"attach '{path}' as bank (read_only)")
        connection.execute(_ORACLE_IN_DUCKDB)
        connection.execute("set search_path = 'bank,memory'")
        return connection

    def rows(self, question: BankQuestion, engine: str, instance: str, sql: str) -> Rows:
        """The result as canonical cells, dates as ISO texts. Failed when the statement does not run."""
        name = question.db_id if instance == BASE else question.question_id
        place = (engine, instance, name, sql)
        if place not in self._results:
            self._results[place] = self._run(self.connection(question, engine, instance), sql)
        found = self._results[place]
        if isinstance(found, Failed):
            raise found
        return found

    @staticmethod
    def _run(connection: Any, sql: str) -> Rows | Failed:
        timer = threading.Timer(MAX_SECONDS, connection.interrupt)
        timer.start()
        try:
            return [tuple(map(plain_cell, row)) for row in connection.execute(sql).fetchall()]
        except Exception as error:
            return Failed(" ".join(str(error).split())[:200])
        finally:
            timer.cancel()


_ORACLE_IN_DUCKDB = """
create macro months_between(later, earlier) as
    case
        when day(later) = day(earlier) or (later = last_day(later) and earlier = last_day(earlier))
            then 12 * (year(later) - year(earlier)) + month(later) - month(earlier)
        else 12 * (year(later) - year(earlier)) + month(later) - month(earlier)
            + (day(later) - day(earlier)) / 31
    end;
create macro oracle_add_months(day, n) as
    case
        when day = last_day(day) then last_day((day + to_months(n::integer))::date)
        else (day + to_months(n::integer))::date
    end;
create macro nvl2(value, full_, empty_) as case when value is null then empty_ else full_ end;
create table dual as select 'X' as dummy;
"""
"""What sqlglot leaves of Oracle's dialect and DuckDB does not know."""


def plain_cell(value: Any) -> str | None:
    """A canonical cell, a date as the ISO text that SQLite keeps for it."""
    if isinstance(value, datetime):
        value = value.isoformat(" ").removesuffix(" 00:00:00")
    elif isinstance(value, date):
        value = value.isoformat()
    return cell(value)


# --------------------------------------------------------------------------- comparing results


def is_equal(left: Rows, right: Rows, is_ordered: bool) -> bool:
    """As verdict `ex` for a result without ties: equal multisets, and equal order where it counts."""
    return left == right if is_ordered else Counter(left) == Counter(right)


def is_near(left: Rows, right: Rows, is_ordered: bool) -> bool:
    """As `is_equal`, with numbers equal to six digits or a millionth."""
    if not is_ordered:
        left, right = sorted(left, key=_near_key), sorted(right, key=_near_key)
    return len(left) == len(right) and all(
        len(a) == len(b) and all(map(_is_near_cell, a, b)) for a, b in zip(left, right, strict=True)
    )


def _is_near_cell(left: str | None, right: str | None) -> bool:
    if left is None or right is None or not (left.startswith("n:") and right.startswith("n:")):
        return left == right
    return math.isclose(float(left[2:]), float(right[2:]), rel_tol=1e-6, abs_tol=1e-6)


def _near_key(row: Sequence[str | None]) -> list[tuple[int, float, str]]:
    return [
        (0, 0.0, "")
        if value is None
        else (1, round(float(value[2:]), 4), "")
        if value.startswith("n:")
        else (2, 0.0, value)
        for value in row
    ]


def difference(gold: Rows, other: Rows, n: int = 2) -> str:
    """The first rows that only one of two results has, or that their order differs."""
    missing, extra = Counter(gold) - Counter(other), Counter(other) - Counter(gold)
    if not missing and not extra:
        return "same rows in another order"
    parts = [f"{len(gold)} rows against {len(other)}"]
    parts += [f"only gold: {list(rows)}" for rows in [list(missing)[:n]] if rows]
    parts += [f"only the other: {list(rows)}" for rows in [list(extra)[:n]] if rows]
    return "; ".join(parts)


# --------------------------------------------------------------------------- mutations


@dataclass(frozen=True)
class MutationOutcome:
    """`outcome` is base or D′ (where the change shows first), survives, or 'does not run'."""

    mutation: Mutation
    outcome: str
    reason: str | None = None


def schema_of(manifest: Manifest, db_id: str) -> Schema:
    """What the database forbids, for leaving out changes that no data can show."""
    tables = manifest.databases[db_id]
    not_null = {(t.name, c.name) for t in tables for c in t.columns if not c.is_nullable}
    keys = {
        (table.name, key.columns[0], key.referenced_table, key.referenced_columns[0])
        for table in tables
        for key in table.foreign_keys
        if key.is_enforced and len(key.columns) == 1
    }
    return Schema(frozenset(not_null), frozenset(keys))


def instances_of(bench: Bench, question: BankQuestion) -> list[str]:
    """Base, and D′ where the question has one."""
    return [BASE, SUPPLEMENTARY] if bench.has_instance(question) else [BASE]


def rate(outcomes: Sequence[MutationOutcome]) -> tuple[int, int]:
    """How many changes show, of how many that run."""
    ran = [outcome for outcome in outcomes if outcome.outcome != "does not run"]
    return sum(outcome.outcome != "survives" for outcome in ran), len(ran)


# --------------------------------------------------------------------------- findings of one question


def checks(bench: Bench, question: BankQuestion) -> Iterator[Finding]:
    """Everything a single question is held to, apart from mutations and skeletons."""
    from tests.bank.texts import text_findings

    yield from text_findings(bench.manifest, question)
    try:
        for engine in ENGINES:
            for instance in instances_of(bench, question):
                bench.connection(question, engine, instance)
    except GlueError as error:
        yield Finding("fail", "D′", f"{error} ({error.hint})")
        return
    yield from _gold_findings(bench, question)
    yield from _distractor_findings(bench, question)
    yield from _second_gold_findings(bench, question)
    for role in ("gold", "distractor"):
        yield from _oracle_findings(bench, question, role)


def _gold_findings(bench: Bench, question: BankQuestion) -> Iterator[Finding]:
    golds = {engine: question.sql("gold", engine) for engine in ENGINES}
    if None in golds.values():
        return
    for instance in instances_of(bench, question):
        try:
            results = [bench.rows(question, engine, instance, str(golds[engine])) for engine in ENGINES]
        except Failed as failure:
            yield Finding("fail", "gold", f"does not run on {instance}: {failure}")
            continue
        if is_equal(*results, question.is_ordered):
            yield Finding("ok", "gold", f"equal in both engines on {instance}: {len(results[0])} rows")
        elif is_near(*results, question.is_ordered):
            yield Finding("warn", "gold", f"equal on {instance} only after rounding: ROUND it in the gold")
        else:
            yield Finding("fail", "gold", f"DuckDB and SQLite differ on {instance}: {difference(*results)}")
        if instance == BASE:
            yield from _size_findings(results[0])
        if question.is_ordered:
            yield from _tie_findings(bench, question, instance)


def _size_findings(rows: Rows) -> Iterator[Finding]:
    if not 1 <= len(rows) <= 500:
        yield Finding("fail", "gold", f"{len(rows)} rows on base, not 1 to 500")
    elif len(rows) == 1 and all(value in (None, "n:0") for value in rows[0]):
        yield Finding("fail", "gold", f"trivial on base: {rows[0]}")


def _tie_findings(bench: Bench, question: BankQuestion, instance: str) -> Iterator[Finding]:
    """The keys of an ordered gold tell rows that differ apart, also at the edge of a limit."""
    from glue.sql.analysis import sql_analysis

    sql = str(question.sql("gold", "duckdb"))
    analysis = sql_analysis(sql, "duckdb")
    probe = analysis.get("order_probe_sql")
    if not probe:
        problem = analysis.get("order_probe_problem") or "no order"
        yield Finding("warn", "order", f"ties cannot be looked for: {problem}")
        return
    try:
        width = len(bench.rows(question, "duckdb", instance, sql)[0])
        shown = {(row[-1], row[:width]) for row in bench.rows(question, "duckdb", instance, probe)}
    except IndexError:
        return
    except Failed as failure:
        yield Finding("warn", "order", f"ties cannot be looked for: {failure}")
        return
    n_tied = sum(n for n in Counter(rank for rank, _ in shown).values() if n > 1)
    if n_tied:
        yield Finding("fail", "order", f"{n_tied} rows of gold are tied on {instance}: no total order")


def _distractor_findings(bench: Bench, question: BankQuestion) -> Iterator[Finding]:
    shown = {}
    for engine in ENGINES:
        gold, distractor = question.sql("gold", engine), question.sql("distractor", engine)
        if gold is None or distractor is None:
            return
        differs = []
        for instance in instances_of(bench, question):
            try:
                wrong = bench.rows(question, engine, instance, distractor)
                right = bench.rows(question, engine, instance, gold)
            except Failed as failure:
                yield Finding("fail", "distractor", f"{engine} on {instance}: {failure}")
                return
            if not is_equal(right, wrong, question.is_ordered):
                differs.append(instance)
        shown[engine] = differs
        if not differs:
            yield Finding("fail", "distractor", f"equals gold in {engine} on base and D′")
    if shown["duckdb"] != shown["sqlite"]:
        yield Finding("fail", "distractor", f"the engines do not agree on where it differs: {shown}")
    elif shown["duckdb"]:
        alone = " alone" if shown["duckdb"] == [SUPPLEMENTARY] else ""
        yield Finding("ok", "distractor", f"differs on {' and '.join(shown['duckdb'])}{alone}")


def separated_by(bench: Bench, question: BankQuestion, engine: str) -> list[str]:
    """The instances on which the distractor's result differs from gold's."""
    gold, distractor = str(question.sql("gold", engine)), str(question.sql("distractor", engine))
    return [
        instance
        for instance in instances_of(bench, question)
        if not is_equal(
            bench.rows(question, engine, instance, gold),
            bench.rows(question, engine, instance, distractor),
            question.is_ordered,
        )
    ]


def agrees(bench: Bench, question: BankQuestion, engine: str, instance: str, edition: str = "final") -> bool:
    """Whether the second gold gives the gold's result; it does not when one of them does not run."""
    gold = question.sql("gold", engine, edition)
    second = question.sql("second_gold", engine, edition)
    if gold is None or second is None:
        return False
    try:
        right = bench.rows(question, engine, instance, gold)
        other = bench.rows(question, engine, instance, second)
    except Failed:
        return False
    return is_equal(right, other, question.is_ordered)


def _second_gold_findings(bench: Bench, question: BankQuestion) -> Iterator[Finding]:
    for engine in ENGINES:
        if question.sql("second_gold", engine) is None:
            yield Finding("warn", "second gold", f"none yet for {engine}")
            continue
        for instance in instances_of(bench, question):
            if agrees(bench, question, engine, instance):
                yield Finding("ok", "second gold", f"agrees in {engine} on {instance}")
                continue
            try:
                rows = [
                    bench.rows(question, engine, instance, str(question.sql(role, engine)))
                    for role in ("gold", "second_gold")
                ]
                detail = difference(*rows)
            except Failed as failure:
                detail = str(failure)
            level = "fail" if instance == BASE else "warn"
            yield Finding(level, "second gold", f"{engine} on {instance}: {detail}")


def _oracle_findings(bench: Bench, question: BankQuestion, role: str) -> Iterator[Finding]:
    """The Oracle text, transpiled, gives what the DuckDB text gives."""
    from tests.bank.texts import as_duckdb

    oracle, own = question.sql(role, "oracle"), question.sql(role, "duckdb")
    if oracle is None or own is None:
        return
    text, excuse = as_duckdb(oracle)
    if text is None:
        yield Finding("warn", f"oracle {role}", f"cannot be tried on DuckDB: {excuse}")
        return
    for instance in instances_of(bench, question):
        try:
            expected = bench.rows(question, "duckdb", instance, own)
            found = bench.rows(question, "duckdb", instance, text)
        except Failed as failure:
            yield Finding(
                "warn", f"oracle {role}", f"transpiled text does not run on DuckDB: {failure}: {text}"
            )
            return
        if is_near(expected, found, question.is_ordered):
            yield Finding("ok", f"oracle {role}", f"transpiled, equal on {instance}")
        elif excuse:
            yield Finding("warn", f"oracle {role}", f"differs on {instance}, excused by {excuse}: look at it")
        else:
            detail = difference(expected, found)
            yield Finding("fail", f"oracle {role}", f"transpiled, differs on {instance}: {detail}: {text}")
