"""Golds and distractors in every dialect give what Oracle's give, on the base data and on D′."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest

from glue import bank
from glue.bank.instances import render_step
from glue.bank.manifest import DIALECT_OF, BankQuestion, ResultColumn
from glue.bank.servers import load_tables
from glue.cells import Cell, Cells, cells_of_rows
from glue.connections import address_of, connection_of_url
from glue.live import opened
from tests.bank.checks import BASE, SUPPLEMENTARY, Bench
from tests.bank.oracle_bench import OracleBench
from tests.engines.servers import LIVE, Server, Servers

ENGINE = "oracle-local"

Ask = Callable[[BankQuestion, str, str], list[Cells]]
"""What a statement gives on an instance."""


def typed(cell: Cell, column: ResultColumn) -> Cell:
    """A cell as its column is declared: what the macro typed_cell says."""
    if cell is None:
        return None
    if column.value_type == "date":
        return cell.replace("t:", "d:", 1)
    if column.value_type in ("integer", "number"):
        unit = Decimal(1).scaleb(-(column.n_decimals or 0))
        return f"{Decimal(cell.removeprefix('n:')).quantize(unit, ROUND_HALF_UP)}"
    return cell


def as_declared(rows: list[Cells], question: BankQuestion) -> list[Any]:
    declared = question.result_columns
    read = [tuple(typed(cell, one) for cell, one in zip(row, declared, strict=True)) for row in rows]
    return read if question.is_ordered else sorted(map(repr, read))


def test_results_have_the_declared_columns(translated: tuple[BankQuestion, ...], bench: Bench) -> None:
    kinds = {"VARCHAR": "text", "DATE": "date", "DOUBLE": "number"}
    for question in translated:
        connection = bench.connection(question, "duckdb", BASE)
        described = connection.execute(f"describe {question.sql('gold', 'duckdb')}").fetchall()
        found = []
        for name, kind, *_ in described:
            scale = kind.rstrip(")").rpartition(",")[2] if kind.startswith("DECIMAL") else ""
            found.append((name, "number" if scale else kinds.get(kind, "integer"), scale))
        declared = question.result_columns
        assert [(c.name, c.value_type) for c in declared] == [(n, k) for n, k, _ in found]
        for column, (_, _, scale) in zip(declared, found, strict=True):
            assert not scale or column.n_decimals == int(scale)


def test_every_dialect_has_a_gold_and_a_distractor_or_says_why_not(
    translated: tuple[BankQuestion, ...],
) -> None:
    for question in translated:
        cannot = {one.dialect for one in question.dialect_exceptions if one.kind == "inexpressible"}
        for dialect in ("oracle", "duckdb", "sqlite", "postgres", "mysql", "tsql"):
            has_gold = question.sql("gold", dialect) is not None
            assert has_gold != (dialect in cannot)
            assert question.sql("distractor", dialect) is not None or not has_gold


# --- The engines --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def oracle(oracle_bench: OracleBench) -> Ask:
    return oracle_bench.rows


@contextmanager
def on_server(server: Server, manifest: bank.Manifest, translated: tuple[BankQuestion, ...]) -> Iterator[Ask]:
    """The bank in schemas of their own, which D′ changes for one statement."""
    root = "postgres" if server.engine == "postgresql" else "root"
    owner = connection_of_url("owner", f"{server.engine}://{root}@127.0.0.1:{server.port}/{server.name}")[0]
    links: dict[str, Any] = {}
    db_ids = dict.fromkeys(question.db_id for question in translated)
    schemas = {db_id: f"{server.name}_{db_id}" for db_id in db_ids}
    try:
        for db_id, schema in schemas.items():
            with opened(owner, address_of(owner)) as database:
                assert load_tables(database, owner, bank.generate(manifest, db_id), schema, replace=False)
            links[db_id] = opened(owner, address_of(owner, (schema,))).writer()

        def ask(question: BankQuestion, instance: str, sql: str) -> list[Cells]:
            link = links[question.db_id]
            with closing(link.cursor()) as cursor:
                if instance == SUPPLEMENTARY:
                    for step in manifest.instances[question.question_id]:
                        table = manifest.table(question.db_id, step.table_name)
                        cursor.execute(render_step(step, table, "duckdb"))
                cursor.execute(sql)
                rows = list(cursor.fetchall())
            link.rollback()
            return cells_of_rows(rows)

        yield ask
    finally:
        for link in links.values():
            link.close()
        for schema in schemas.values():
            cascade = " cascade" if server.engine == "postgresql" else ""
            server.run(f"drop schema if exists {schema}{cascade}")


@contextmanager
def on_files(engine: str, bench: Bench) -> Iterator[Ask]:
    def ask(question: BankQuestion, instance: str, sql: str) -> list[Cells]:
        return cells_of_rows(bench.connection(question, engine, instance).execute(sql).fetchall())

    yield ask


@pytest.mark.parametrize("engine", ["sqlite", "duckdb", *LIVE])
def test_golds_and_distractors_give_what_oracles_give(
    engine: str,
    manifest: bank.Manifest,
    translated: tuple[BankQuestion, ...],
    bench: Bench,
    servers: Servers,
    oracle: Ask,
) -> None:
    dialect = DIALECT_OF[engine]
    asked = on_server(servers[engine], manifest, translated) if engine in LIVE else on_files(engine, bench)
    different = []
    with asked as ask:
        for question in translated:
            for instance in (BASE, SUPPLEMENTARY):
                for role in ("gold", "distractor"):
                    pair = [
                        as_declared(answer(question, instance, question.sql(role, name) or ""), question)
                        for answer, name in ((oracle, "oracle"), (ask, dialect))
                    ]
                    if role == "distractor":  # whose order may leave ties
                        pair = [sorted(map(repr, rows)) for rows in pair]
                    if pair[0] != pair[1]:
                        different.append((question.question_id, instance, role))
    assert different == []
