"""`glue bank load`: the bank's databases, as files of the home or on a server, D′, and their landing rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from glue.bank.ddl import own_name
from glue.bank.documentation import documented
from glue.bank.files import write_duckdb, write_instance, write_sqlite
from glue.bank.manifest import (
    DIALECT_OF,
    ENGINES,
    FILE_SUFFIXES,
    BankKey,
    BankQuestion,
    BankTable,
    Manifest,
)
from glue.bank.reading import read_manifest
from glue.errors import GlueError, nearest
from glue.home import Home

if TYPE_CHECKING:
    from glue.bank.loading_servers import ServerChoice
    from glue.importers.common import ImportBatch, ImportReport
    from glue.importers.introspection import DatabaseFacts, TableFacts

BASE_INSTANCE = "D"
ALL_INSTANCES = "D'"
_ALSO_ALL = "D′"
FIRST_PASS = "first_pass"
"""Edition of the golds as they were before the blind comparison."""

_N_SAMPLES = 3  # sample values of a column that no value domain lists


def load_bank(
    home: Home,
    engine: str,
    command: str,
    instances: Sequence[str] = (),
    server: ServerChoice | None = None,
    documented_share: float | None = None,
) -> ImportReport:
    """Write the bank's databases, under bank/<engine>/ of the home or on a server, and land their benchmark.

    SQLite is benchmark `enterprise`, DuckDB `enterprise_duckdb`, and so on. With `instances` (`D'` for all,
    or ids of questions) it is the supplementary instances, one database per question, under
    bank/<engine>/instances/ and as benchmark `enterprise_supplementary`, `enterprise_supplementary_duckdb`;
    `D` is the base data again. Loading the same bank again changes nothing (`is_new` is false then); a newer
    one takes the place of the old. GlueError for an unknown engine or instance, a manifest that does not hold
    together, a server that cannot be loaded, or another import under way.
    """
    from glue.importers.common import land

    batch = bank_batch(home, engine, instances, server, documented_share)
    return land(home, batch, replace=True, command=command)


def bank_batch(
    home: Home,
    engine: str,
    instances: Sequence[str] = (),
    server: ServerChoice | None = None,
    documented_share: float | None = None,
) -> ImportBatch:
    """Write the bank for an engine and give what is to be landed of it."""
    if engine not in ENGINES:
        close = nearest(engine, list(ENGINES))
        hint = f"did you mean {close!r}?" if close else f"engines: {', '.join(ENGINES)}"
        raise GlueError(f"the bank is not written for {engine!r}", hint)
    manifest = documented(read_manifest(), documented_share)
    folder = home.root / "bank" / engine
    chosen = _chosen(manifest, instances, engine)
    if engine not in FILE_SUFFIXES:
        if chosen is not None:
            raise GlueError("supplementary instances are files", f"engines: {', '.join(FILE_SUFFIXES)}")
        return _server_batch(home, manifest, engine, server)
    if server is not None:
        raise GlueError(f"the databases of {engine} are files", "leave --connection out")
    if chosen is None:
        return _base_batch(manifest, engine, folder)
    return _supplementary_batch(manifest, engine, folder, chosen)


def _chosen(manifest: Manifest, instances: Sequence[str], engine: str) -> list[BankQuestion] | None:
    """The questions whose instances are asked for, in the manifest's order; None for the base data."""
    names = {ALL_INSTANCES if name == _ALSO_ALL else name for name in instances} or {BASE_INSTANCE}
    available = [
        question
        for question in manifest.questions
        if question.question_id in manifest.instances and _is_asked_in(question, engine)
    ]
    ids = [question.question_id for question in available]
    for name in sorted(names):
        if name not in (BASE_INSTANCE, ALL_INSTANCES, *ids):
            close = nearest(name, [BASE_INSTANCE, ALL_INSTANCES, *ids])
            hint = f"did you mean {close!r}?" if close else "D, D' for all of D′, or the id of a question"
            raise GlueError(f"the bank has no instance {name!r}", hint)
    if BASE_INSTANCE in names:
        if len(names) > 1:
            raise GlueError(
                "D and supplementary instances are two benchmarks", "load one, then the other: two commands"
            )
        return None
    if not ids:
        raise GlueError("no question of the bank has a supplementary instance", "leave --instance out")
    return available if ALL_INSTANCES in names else [q for q in available if q.question_id in names]


def _base_batch(manifest: Manifest, engine: str, folder: Path) -> ImportBatch:
    from glue.importers.introspection import introspect

    batch = _batch(manifest, engine, folder, ENGINES[engine])
    for db_id in manifest.databases:
        path, is_written = _base_file(manifest, engine, folder, db_id)
        batch.notes.append(f"{path} {'written' if is_written else 'is up to date'}")
        _add_database(batch, manifest, db_id, db_id, introspect(path, _N_SAMPLES))
    _add_questions(batch, manifest, engine)
    return batch


def _server_batch(home: Home, manifest: Manifest, engine: str, server: ServerChoice | None) -> ImportBatch:
    from glue.bank.loading_servers import load_databases

    if server is None:
        raise GlueError(
            f"the bank is loaded into {engine} through a connection",
            f"glue connect NAME URL, then glue bank load {engine} --connection NAME",
        )
    batch = _batch(manifest, engine, f"connection {server.connection}", ENGINES[engine])
    for loaded in load_databases(home, manifest, engine, server, _N_SAMPLES):
        said = "made" if loaded.is_made else "holds it already"
        batch.notes.append(f"{loaded.facts.snapshot_id.removeprefix('live:')} {said}")
        _add_database(batch, manifest, loaded.db_id, loaded.db_id, loaded.facts)
    _add_questions(batch, manifest, engine)
    return batch


def _supplementary_batch(
    manifest: Manifest, engine: str, folder: Path, chosen: Sequence[BankQuestion]
) -> ImportBatch:
    """Each question over a database of its own, called `<db_id>@<question_id>`, whose schema is the base's.

    Nobody is asked these questions: what is answered in the base benchmark is run here too.
    """
    from glue.importers.common import sha256_of

    base_benchmark = ENGINES[engine]
    benchmark = base_benchmark.replace("enterprise", "enterprise_supplementary")
    batch = _batch(manifest, engine, folder / "instances", benchmark)
    bases = {
        db_id: _base_file(manifest, engine, folder, db_id)[0]
        for db_id in dict.fromkeys(question.db_id for question in chosen)
    }
    n_written = 0
    for position, question in enumerate(manifest.questions):
        if question not in chosen:
            continue
        db_id = f"{question.db_id}@{question.question_id}"
        path = folder / "instances" / f"{question.question_id}.{FILE_SUFFIXES[engine]}"
        n_written += write_instance(manifest, question.question_id, engine, bases[question.db_id], path)
        place = _Place(engine, str(path.resolve()), sha256_of(path), path.stat().st_size)
        _add_place(batch, manifest, question.db_id, db_id, place)
        _add_question(batch, manifest, position, question, db_id, engine, base_benchmark)
    batch.notes.append(f"{folder / 'instances'}: {len(chosen)} files, {n_written} of them written anew")
    if len(chosen) < len(manifest.instances):
        batch.notes.append(f"{benchmark} now holds {len(chosen)} of {len(manifest.instances)} questions")
    return batch


def _batch(manifest: Manifest, engine: str, folder: Path | str, benchmark: str) -> ImportBatch:
    from glue.importers.common import ImportBatch, sha256_of

    options = {"engine": engine, "folder": str(folder)}
    batch = ImportBatch("bank", f"benchmark:{benchmark}:bank", benchmark, options=options)
    batch.files = {str(path): sha256_of(path) for path in sorted(manifest.folder.glob("**/*.csv"))}
    return batch


def _base_file(manifest: Manifest, engine: str, folder: Path, db_id: str) -> tuple[Path, bool]:
    """The file of a database's base data, and whether it had to be written."""
    path = folder / f"{db_id}.{FILE_SUFFIXES[engine]}"
    if engine == "sqlite":
        return path, write_sqlite(manifest, db_id, path)
    return path, write_duckdb(manifest, db_id, path, engine)


@dataclass(frozen=True)
class _Place:
    """Where a database is, and what its content is known by."""

    engine: str
    path: str | None
    snapshot_id: str
    n_bytes: int | None
    connection: str | None = None
    search_path: Sequence[str] | None = None


def _add_place(batch: ImportBatch, manifest: Manifest, schema: str, db_id: str, place: _Place) -> None:
    """Land that a database is there, and of which tier its schema is."""
    batch.files[place.path or f"connection {place.connection}, database {db_id}"] = place.snapshot_id
    about = manifest.about.get(schema)
    batch.add(
        "databases",
        benchmark=batch.benchmark,
        db_id=db_id,
        source="bank",
        engine=place.engine,
        path=place.path,
        snapshot_id=place.snapshot_id,
        n_bytes=place.n_bytes,
        connection=place.connection,
        search_path=place.search_path,
        schema_id=None if about is None else about.schema_id,
        tier=None if about is None else about.tier,
    )


def _add_database(
    batch: ImportBatch, manifest: Manifest, schema: str, db_id: str, facts: DatabaseFacts
) -> None:
    """Land a database as the manifest has its schema, with row counts and stored types from its file."""
    path = None if facts.path is None else str(facts.path)
    place = _Place(facts.engine, path, facts.snapshot_id, facts.n_bytes, facts.connection, facts.search_path)
    _add_place(batch, manifest, schema, db_id, place)
    of_database = {"benchmark": batch.benchmark, "db_id": db_id, "source": "bank"}
    for number, hint in enumerate(manifest.hints.get(schema, ()), 1):
        batch.add("schema_notes", benchmark=batch.benchmark, db_id=db_id, note_number=number, note_text=hint)
    found = {table.name: table for table in facts.tables}
    for table in manifest.databases[schema]:
        name = own_name(table.name, facts.engine)
        batch.add(
            "tables",
            **of_database,
            table_name=name,
            table_position=table.position,
            natural_name=table.name.replace("_", " "),
            description=table.description,
            n_rows=found[name].n_rows,
        )
        _add_columns(batch, manifest, table, found[name], of_database, facts.engine)
        for key in table.foreign_keys:
            _add_foreign_key(batch, table, key, of_database, facts.engine)


def _add_columns(
    batch: ImportBatch,
    manifest: Manifest,
    table: BankTable,
    facts: TableFacts,
    of_database: dict[str, str],
    engine: str,
) -> None:
    found = {column.name: column for column in facts.columns}
    for column in table.columns:
        name = own_name(column.name, engine)
        values = manifest.domains[column.value_domain] if column.value_domain else ()
        batch.add(
            "columns",
            **of_database,
            table_name=facts.name,
            column_name=name,
            column_position=column.position,
            data_type=found[name].data_type,
            natural_name=column.name.replace("_", " "),
            description=column.description,
            value_description="; ".join(f"{v.value}: {v.meaning}" for v in values) or None,
            sample_values=[v.value for v in values] or found[name].sample_values,
            is_primary_key=column.is_primary_key,
            is_nullable=column.is_nullable,
            storage_classes=found[name].storage_classes,
        )


def _add_foreign_key(
    batch: ImportBatch, table: BankTable, key: BankKey, of_database: dict[str, str], engine: str
) -> None:
    for position, (name, referenced) in enumerate(zip(key.columns, key.referenced_columns, strict=True), 1):
        batch.add(
            "foreign_keys",
            **of_database,
            key_name=key.name,
            key_position=position,
            table_name=own_name(table.name, engine),
            column_name=own_name(name, engine),
            referenced_table=own_name(key.referenced_table, engine),
            referenced_column=own_name(referenced, engine),
            is_inferred=not key.is_enforced,
        )


def _add_questions(batch: ImportBatch, manifest: Manifest, engine: str) -> None:
    """Land the questions; what has no gold in the dialect, and no reason why, is left out and said."""
    left_out = []
    for position, question in enumerate(manifest.questions):
        if _is_asked_in(question, engine):
            _add_question(batch, manifest, position, question, question.db_id, engine)
        else:
            left_out.append(question.question_id)
    if left_out:
        few = ", ".join(left_out[:3]) + (", …" if len(left_out) > 3 else "")
        batch.notes.append(f"{len(left_out)} questions have no gold for {engine} yet: {few}")


def _is_asked_in(question: BankQuestion, engine: str) -> bool:
    dialect = DIALECT_OF[engine]
    is_excused = any(exception.dialect == dialect for exception in question.dialect_exceptions)
    return question.sql("gold", dialect) is not None or is_excused


def _add_question(
    batch: ImportBatch,
    manifest: Manifest,
    position: int,
    question: BankQuestion,
    db_id: str,
    engine: str,
    base_benchmark: str | None = None,
) -> None:
    """Land a question with its gold and its other statements, in both editions where there are second golds.

    The first pass is what was compared before anything was revised: the final text where nothing was.
    """
    from glue.importers.questions import BENCHMARK_EDITION

    batch.add(
        "questions",
        benchmark=batch.benchmark,
        question_id=question.question_id,
        question_position=position,
        # The same question in every dialect: what a model answers in two can be compared in pairs.
        source_question_id=question.question_id if base_benchmark is None else None,
        db_id=db_id,
        question=question.question,
        evidence=question.evidence,
        difficulty=question.difficulty,
        dialect=DIALECT_OF[engine],
        is_ordered=question.is_ordered,
        intent=question.intent,
        language="en",
        category_group=question.category_group,
        category=question.category,
        is_sd_probe=question.is_sd_probe,
        base_benchmark=base_benchmark,
    )
    if base_benchmark is None:
        _add_demands(batch, manifest, question)
    else:
        _add_result_columns(batch, question)
    editions = {BENCHMARK_EDITION: "final"} | ({FIRST_PASS: FIRST_PASS} if manifest.has_second_golds else {})
    for gold_edition, edition in editions.items():
        _add_statements(batch, question, engine, gold_edition, edition)


def _add_demands(batch: ImportBatch, manifest: Manifest, question: BankQuestion) -> None:
    """Land what the question's answer must hold to: constraints, constructs, the columns of its result."""
    of_question = {"benchmark": batch.benchmark, "question_id": question.question_id}
    for constraint in question.constraints:
        batch.add(
            "question_constraints",
            **of_question,
            constraint_number=constraint.number,
            kind=constraint.kind,
            is_activated=constraint.is_activated and question.question_id in manifest.instances,
            constraint_text=constraint.text,
        )
    for construct in question.constructs:
        batch.add("question_constructs", **of_question, construct=construct)
    for exception in question.dialect_exceptions:
        batch.add(
            "dialect_exceptions",
            **of_question,
            dialect=exception.dialect,
            kind=exception.kind,
            reason=exception.reason,
        )
    _add_result_columns(batch, question)


def _add_result_columns(batch: ImportBatch, question: BankQuestion) -> None:
    for column in question.result_columns:
        batch.add(
            "question_result_columns",
            benchmark=batch.benchmark,
            question_id=question.question_id,
            column_position=column.position,
            column_name=column.name,
            value_type=column.value_type,
            n_decimals=column.n_decimals,
        )


def _add_statements(
    batch: ImportBatch, question: BankQuestion, engine: str, gold_edition: str, edition: str
) -> None:
    of_question = {
        "benchmark": batch.benchmark,
        "question_id": question.question_id,
        "gold_edition": gold_edition,
        "dialect": DIALECT_OF[engine],
    }
    gold = question.sql("gold", DIALECT_OF[engine], edition)
    if gold is None:
        raise GlueError(f"{question.question_id} has no gold for {engine}", "add it to statements.csv")
    batch.add("golds", **of_question, gold_number=1, gold_sql=gold)
    for role in ("distractor", "second_gold"):
        sql = question.sql(role, DIALECT_OF[engine], edition)
        if sql is not None:
            batch.add("question_statements", **of_question, role=role, sql=sql)
