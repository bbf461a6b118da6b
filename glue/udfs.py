"""The Python functions that dbt's SQL calls: SQL parses, extraction from answers, column matchings, tokens.

None of them raises and none returns NULL: an exception is the value `parse_outcome = 'failed'` or
`outcome = 'undecided'`, so that no prediction can make the warehouse unbuildable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa  # DuckDB evaluates the annotations below

if TYPE_CHECKING:
    import duckdb

Rows = list[list[str | None]]

ANALYSIS_COLUMNS = {
    "parse_outcome": "VARCHAR",
    "parse_error": "VARCHAR",
    "n_statements": "INTEGER",
    "is_read": "BOOLEAN",
    "normal_form": "VARCHAR",
    "normal_form_lower": "VARCHAR",
    "is_ordered": "BOOLEAN",
    "has_limit": "BOOLEAN",
    "limit_rows": "BIGINT",
    "offset_rows": "BIGINT",
    "order_probe_sql": "VARCHAR",
    "order_probe_problem": "VARCHAR",
    "plan_sensitivity": "VARCHAR[]",
    "whole_if_integer": "VARCHAR[]",
    "tables": "VARCHAR[]",
    "n_joins": "INTEGER",
    "findings": "STRUCT(code VARCHAR, detail VARCHAR)[]",
}
ANALYSIS_TYPE = "STRUCT(" + ", ".join(f"{name} {kind}" for name, kind in ANALYSIS_COLUMNS.items()) + ")"
LABELS_TYPE = (
    "STRUCT(parse_outcome VARCHAR, reason VARCHAR, detail VARCHAR, tables VARCHAR[], "
    "columns STRUCT(table_key VARCHAR, column_key VARCHAR, role VARCHAR)[])"
)
COMPONENTS_TYPE = (
    "STRUCT(parse_outcome VARCHAR, reason VARCHAR, detail VARCHAR, "
    "components STRUCT(component_number INTEGER, clause VARCHAR, knowledge_type VARCHAR, "
    "sql_substring VARCHAR, published_skeleton VARCHAR, skeleton VARCHAR)[], full_skeleton VARCHAR, "
    "n_functions INTEGER, n_subqueries INTEGER, join_length INTEGER, nesting_depth INTEGER)"
)
SHAPE_TYPE = (
    "STRUCT(parse_outcome VARCHAR, reason VARCHAR, detail VARCHAR, n_lines INTEGER, n_joined_tables INTEGER, "
    "longest_join_chain INTEGER, tables VARCHAR[], joins STRUCT(pair VARCHAR, mode VARCHAR)[], "
    "functions VARCHAR[], windows VARCHAR[], cases STRUCT(condition VARCHAR, result VARCHAR)[], "
    "connected STRUCT(connective VARCHAR, first VARCHAR, second VARCHAR)[], "
    "aggregates STRUCT(name VARCHAR, argument VARCHAR, is_distinct BOOLEAN)[], "
    "conditions STRUCT(skeleton VARCHAR, condition_values VARCHAR)[], unlimited_orders VARCHAR[], "
    "unused_joins VARCHAR[], unused_ctes VARCHAR[])"
)
KEY_TYPE = "STRUCT(outcome VARCHAR, knowledge_type VARCHAR, skeleton VARCHAR, error VARCHAR)"
PLACES_TYPE = (
    "STRUCT(outcome VARCHAR, error VARCHAR, names VARCHAR[], places STRUCT(table_key VARCHAR, kind VARCHAR, "
    "first_character BIGINT, own_character BIGINT, last_character BIGINT)[])"
)
VALIDITY_TYPE = "STRUCT(valid_in VARCHAR[], oracle_versions INTEGER[])"
FIT_TYPE = (
    "STRUCT(outcome VARCHAR, intercept DOUBLE, coefficients DOUBLE[], standard_errors DOUBLE[], "
    "problems VARCHAR[], is_separated BOOLEAN, accuracy DOUBLE, cv_accuracy DOUBLE, "
    "group_cv_accuracy DOUBLE, n_rows BIGINT, n_positive BIGINT, n_groups BIGINT, t_quantile DOUBLE)"
)
MATCH_TYPE = "STRUCT(outcome VARCHAR, mapping INTEGER[], n_trials BIGINT)"
EXTRACTION_TYPE = "STRUCT(sql VARCHAR, steps VARCHAR[], cut_away VARCHAR)"
TOLERANT_TYPE = "STRUCT(outcome VARCHAR, n_trials BIGINT)"
ROWS_TYPE = "VARCHAR[][]"
GROUPS_TYPE = "BIGINT[]"


def register(connection: duckdb.DuckDBPyConnection) -> None:
    """Give a DuckDB connection, and every cursor of it, the functions of this module."""
    import duckdb

    untyped: Any = connection  # its stubs know neither STRUCT types nor functions over them
    declared: list[tuple[str, Callable[..., Any], list[str], str, str]] = [
        ("sql_analysis", _analyse_batch, ["VARCHAR", "VARCHAR"], ANALYSIS_TYPE, "arrow"),
        ("sql_labels", _label_batch, ["VARCHAR", "VARCHAR", "VARCHAR"], LABELS_TYPE, "arrow"),
        ("sql_components", _components_batch, ["VARCHAR", "VARCHAR", "VARCHAR"], COMPONENTS_TYPE, "arrow"),
        ("sql_task_shape", _shape_batch, ["VARCHAR", "VARCHAR", "VARCHAR"], SHAPE_TYPE, "arrow"),
        ("knowledge_key", _knowledge_key_batch, ["VARCHAR", "VARCHAR", "VARCHAR"], KEY_TYPE, "arrow"),
        ("sql_table_places", _table_places, ["VARCHAR", "VARCHAR"], PLACES_TYPE, "native"),
        ("sql_analysis_version", _version, [], "VARCHAR", "native"),
        ("sql_validity", _validity, ["VARCHAR", "VARCHAR"], VALIDITY_TYPE, "native"),
        ("sql_validity_version", _validity_version, [], "VARCHAR", "native"),
        (
            "logistic_fit",
            _logistic_fit,
            ["DOUBLE[][]", "BOOLEAN[]", "VARCHAR[]", "BOOLEAN"],
            FIT_TYPE,
            "native",
        ),
        ("spider_hardness", _hardness, ["VARCHAR", "VARCHAR"], "VARCHAR", "native"),
        ("sql_in_dialect", _in_dialect, ["VARCHAR", "VARCHAR", "VARCHAR"], "VARCHAR", "native"),
        ("extract_sql", _extract_sql, ["VARCHAR"], EXTRACTION_TYPE, "native"),
        ("n_tokens", _count_tokens_batch, ["VARCHAR", "VARCHAR"], "BIGINT", "arrow"),
        ("tokens_counted_with", _tokens_counted_with, ["VARCHAR"], "VARCHAR", "native"),
        (
            "match_columns",
            _match_columns,
            [ROWS_TYPE, ROWS_TYPE, GROUPS_TYPE, GROUPS_TYPE, "VARCHAR"],
            MATCH_TYPE,
            "native",
        ),
        (
            "match_tolerant",
            _match_tolerant,
            [ROWS_TYPE, ROWS_TYPE, GROUPS_TYPE, GROUPS_TYPE],
            TOLERANT_TYPE,
            "native",
        ),
    ]
    for name, function, parameters, result, kind in declared:
        try:
            untyped.create_function(name, function, parameters, result, type=kind, null_handling="special")
        except duckdb.Error as error:
            if "already" not in str(error):  # this connection has it, or another one of the same instance
                raise


def analysis_row(sql: str | None, dialect: str | None) -> dict[str, Any]:
    """One analysis with exactly the fields of ANALYSIS_COLUMNS; what goes wrong is in its `parse_outcome`."""
    try:
        from glue.sql.analysis import sql_analysis

        found = sql_analysis(sql or "", dialect or "")
        return {name: _storable(found.get(name)) for name in ANALYSIS_COLUMNS}
    except Exception as error:
        return _failed_analysis(error)


def _failed_analysis(error: BaseException) -> dict[str, Any]:
    message = f"{type(error).__name__}: {error}".encode("utf-8", "replace").decode()
    return {
        **dict.fromkeys(ANALYSIS_COLUMNS),
        "parse_outcome": "failed",
        "parse_error": message[:2000],
        "plan_sensitivity": ["unparsed"],
        "whole_if_integer": [],
        "tables": [],
        "findings": [],
    }


def _storable(value: Any) -> Any:
    """The value, or None for a whole number that no BIGINT holds (LIMIT 99999999999999999999)."""
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return None
    return value


def _analyse_batch(sqls: pa.Array, dialects: pa.Array) -> pa.Array:
    """A vector of analyses, in order: the Arrow form of `analysis_row`."""
    rows = [
        analysis_row(sql, dialect)
        for sql, dialect in zip(sqls.to_pylist(), dialects.to_pylist(), strict=True)
    ]
    kind = _analysis_arrow_type()
    try:
        return pa.array(rows, type=kind)
    except Exception:  # one row that Arrow cannot hold (a lone surrogate) must not lose its neighbours
        return pa.array([_arrow_row(row, kind) for row in rows], type=kind)


def _arrow_row(row: dict[str, Any], kind: pa.DataType) -> dict[str, Any]:
    try:
        pa.array([row], type=kind)
    except Exception as error:
        return _failed_analysis(error)
    return row


def _analysis_arrow_type() -> pa.DataType:
    finding = pa.struct([("code", pa.string()), ("detail", pa.string())])
    kinds = {
        "VARCHAR": pa.string(),
        "INTEGER": pa.int32(),
        "BIGINT": pa.int64(),
        "BOOLEAN": pa.bool_(),
        "VARCHAR[]": pa.list_(pa.string()),
        "STRUCT(code VARCHAR, detail VARCHAR)[]": pa.list_(finding),
    }
    return pa.struct([(name, kinds[kind]) for name, kind in ANALYSIS_COLUMNS.items()])


def label_row(sql: str | None, dialect: str | None, outline: str | None) -> dict[str, Any]:
    """The labels of one text over the catalog of its database; what goes wrong is in their `reason`."""
    try:
        from glue.sql.labels import sql_labels

        return sql_labels(sql or "", dialect or "", outline or "")
    except Exception as error:
        return _failed_labels(error)


def _failed_labels(error: BaseException) -> dict[str, Any]:
    message = f"{type(error).__name__}: {error}".encode("utf-8", "replace").decode()
    return {
        "parse_outcome": "failed",
        "reason": "reader_failed",
        "detail": message[:500],
        "tables": [],
        "columns": [],
    }


def _label_batch(sqls: pa.Array, dialects: pa.Array, outlines: pa.Array) -> pa.Array:
    """A vector of labels, in order: the Arrow form of `label_row`."""
    given = zip(sqls.to_pylist(), dialects.to_pylist(), outlines.to_pylist(), strict=True)
    rows = [label_row(*each) for each in given]
    text = pa.string()
    column = pa.struct([("table_key", text), ("column_key", text), ("role", text)])
    kind = pa.struct(
        [
            *((name, text) for name in ("parse_outcome", "reason", "detail")),
            ("tables", pa.list_(text)),
            ("columns", pa.list_(column)),
        ]
    )
    try:
        return pa.array(rows, type=kind)
    except Exception:  # one row that Arrow cannot hold (a lone surrogate) must not lose its neighbours
        return pa.array([_storable_labels(row, kind) for row in rows], type=kind)


def _storable_labels(row: dict[str, Any], kind: pa.DataType) -> dict[str, Any]:
    try:
        pa.array([row], type=kind)
    except Exception as error:
        return _failed_labels(error)
    return row


def component_row(sql: str | None, dialect: str | None, outline: str | None) -> dict[str, Any]:
    """The components of one text over the catalog of its database; what goes wrong is in their `reason`."""
    try:
        from glue.sql.components import sql_components

        return sql_components(sql or "", dialect or "", outline or "")
    except Exception as error:
        return _failed_components(error)


def _failed_components(error: BaseException) -> dict[str, Any]:
    return {
        **dict.fromkeys(
            ("full_skeleton", "n_functions", "n_subqueries", "join_length", "nesting_depth"),
        ),
        "parse_outcome": "failed",
        "reason": "reader_failed",
        "detail": _message(error),
        "components": [],
    }


def _components_batch(sqls: pa.Array, dialects: pa.Array, outlines: pa.Array) -> pa.Array:
    """A vector of components, in order: the Arrow form of `component_row`."""
    text, number = pa.string(), pa.int32()
    component = pa.struct(
        [
            ("component_number", number),
            *(
                (name, text)
                for name in ("clause", "knowledge_type", "sql_substring", "published_skeleton", "skeleton")
            ),
        ]
    )
    kind = pa.struct(
        [
            *((name, text) for name in ("parse_outcome", "reason", "detail")),
            ("components", pa.list_(component)),
            ("full_skeleton", text),
            *((name, number) for name in ("n_functions", "n_subqueries", "join_length", "nesting_depth")),
        ]
    )
    return _structs(component_row, (sqls, dialects, outlines), kind, _failed_components)


def shape_row(sql: str | None, dialect: str | None, outline: str | None) -> dict[str, Any]:
    """What the rules of construction ask of one text; what goes wrong is in its `reason`."""
    try:
        from glue.sql.task_shape import task_shape

        return task_shape(sql or "", dialect or "", outline or "")
    except Exception as error:
        return _failed_shape(error)


def _failed_shape(error: BaseException) -> dict[str, Any]:
    from glue.sql.task_shape import unread

    return unread("failed", "reader_failed", _message(error))


def _shape_batch(sqls: pa.Array, dialects: pa.Array, outlines: pa.Array) -> pa.Array:
    """A vector of shapes, in order: the Arrow form of `shape_row`."""
    text, number = pa.string(), pa.int32()
    texts = pa.list_(text)

    def structs(*names: str, **others: pa.DataType) -> pa.DataType:
        return pa.list_(pa.struct([*((name, text) for name in names), *others.items()]))

    kind = pa.struct(
        [
            *((name, text) for name in ("parse_outcome", "reason", "detail")),
            *((name, number) for name in ("n_lines", "n_joined_tables", "longest_join_chain")),
            ("tables", texts),
            ("joins", structs("pair", "mode")),
            ("functions", texts),
            ("windows", texts),
            ("cases", structs("condition", "result")),
            ("connected", structs("connective", "first", "second")),
            ("aggregates", structs("name", "argument", is_distinct=pa.bool_())),
            ("conditions", structs("skeleton", "condition_values")),
            *((name, texts) for name in ("unlimited_orders", "unused_joins", "unused_ctes")),
        ]
    )
    return _structs(shape_row, (sqls, dialects, outlines), kind, _failed_shape)


def knowledge_key_row(key: str | None, dialect: str | None, outline: str | None) -> dict[str, Any]:
    """The type and skeleton of one published key; what goes wrong is in its `error`."""
    try:
        from glue.sql.knowledge_keys import knowledge_key

        return knowledge_key(key or "", dialect or "", outline or "")
    except Exception as error:
        return _failed_key(error)


def _failed_key(error: BaseException) -> dict[str, Any]:
    return {"outcome": "unread", "knowledge_type": None, "skeleton": None, "error": _message(error)}


def _knowledge_key_batch(keys: pa.Array, dialects: pa.Array, outlines: pa.Array) -> pa.Array:
    """A vector of keys, in order: the Arrow form of `knowledge_key_row`."""
    kind = pa.struct([(name, pa.string()) for name in ("outcome", "knowledge_type", "skeleton", "error")])
    return _structs(knowledge_key_row, (keys, dialects, outlines), kind, _failed_key)


def _structs(
    row: Callable[..., dict[str, Any]],
    arrays: tuple[pa.Array, ...],
    kind: pa.DataType,
    failed: Callable[[BaseException], dict[str, Any]],
) -> pa.Array:
    """A row of each tuple of values. One that Arrow cannot hold (a lone surrogate) loses no neighbour."""
    rows = [row(*values) for values in zip(*(array.to_pylist() for array in arrays), strict=True)]
    try:
        return pa.array(rows, type=kind)
    except Exception:
        return pa.array([_holdable(each, kind, failed) for each in rows], type=kind)


def _holdable(
    row: dict[str, Any], kind: pa.DataType, failed: Callable[[BaseException], dict[str, Any]]
) -> dict[str, Any]:
    try:
        pa.array([row], type=kind)
    except Exception as error:
        return failed(error)
    return row


def _message(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".encode("utf-8", "replace").decode()[:500]


def _table_places(sql: str | None, dialect: str | None) -> dict[str, Any]:
    """The stored tables that a text names, and where."""
    try:
        from glue.sql.namespaces import table_places

        return table_places(sql or "", dialect or "")
    except Exception as error:
        return {"outcome": "failed", "error": type(error).__name__, "names": [], "places": []}


def _version() -> str:
    from glue.sql.analysis import analysis_version

    return analysis_version()


def _validity(sql: str | None, dialect: str | None) -> dict[str, Any]:
    """The dialects that take a text, and the versions of Oracle that do."""
    try:
        from glue.dialects.validity import sql_validity

        return sql_validity(sql or "", dialect or "")
    except Exception:
        return {"valid_in": [], "oracle_versions": []}


def _validity_version() -> str:
    from glue.dialects.validity import validity_version

    return validity_version()


def _logistic_fit(
    rows: list[list[float]] | None,
    outcomes: list[bool] | None,
    groups: list[str] | None,
    is_penalised: bool | None,
) -> dict[str, Any]:
    """A logistic regression as one row; `outcome` is fitted, or failed with nothing else."""
    try:
        from glue.logistic import fit_row

        found = fit_row(rows or [], outcomes or [], groups or [], bool(is_penalised))
        return {"outcome": "fitted", **found}
    except Exception:
        names = (
            "intercept coefficients standard_errors problems is_separated accuracy cv_accuracy "
            "group_cv_accuracy n_rows n_positive n_groups t_quantile"
        )
        return {"outcome": "failed", **dict.fromkeys(names.split())}


def _hardness(sql: str | None, dialect: str | None) -> str | None:
    """Spider's easy, medium, hard or extra; NULL for a text it cannot grade."""
    try:
        from glue.sql.hardness import spider_hardness

        return spider_hardness(sql or "", dialect or "")
    except Exception:
        return None


def _in_dialect(sql: str | None, dialect: str | None, target: str | None) -> str | None:
    """A text in another dialect; NULL where that cannot say it."""
    try:
        from glue.sql.translation import sql_in_dialect

        return sql_in_dialect(sql or "", dialect or "", target or "")
    except Exception:
        return None


def _extract_sql(text: str | None) -> dict[str, Any]:
    """The SQL in a model's answer, what was done to get it, and what was cut away."""
    try:
        from glue.extraction import extract_sql

        found = extract_sql(text or "")
        return {"sql": found.sql, "steps": found.steps, "cut_away": found.cut_away}
    except Exception as error:
        return {"sql": None, "steps": [f"failed: {type(error).__name__}"], "cut_away": None}


def _count_tokens_batch(texts: pa.Array, encodings: pa.Array) -> pa.Array:
    """The number of tokens of each text in its encoding; NULL of NULL."""
    from glue.tokens import count_tokens

    given, names = texts.to_pylist(), encodings.to_pylist()
    counts: list[int | None] = [None] * len(given)
    for name in dict.fromkeys(names):
        places = [place for place, found in enumerate(names) if found == name]
        counted = count_tokens([given[place] for place in places], name or "")
        for place, count in zip(places, counted, strict=True):
            counts[place] = count
    return pa.array(counts, type=pa.int64())


def _tokens_counted_with(encoding: str | None) -> str:
    """What `n_tokens` counts with, for people."""
    from glue.tokens import counted_with

    return counted_with(encoding or "")


def _match_columns(
    gold_rows: Rows | None,
    predicted_rows: Rows | None,
    gold_groups: list[int] | None,
    predicted_groups: list[int] | None,
    kind: str | None,
) -> dict[str, Any]:
    try:
        from glue.match_columns import match_columns

        found = match_columns(gold_rows, predicted_rows, gold_groups, predicted_groups, kind)  # type: ignore[arg-type]
        return {"outcome": found["outcome"], "mapping": found["mapping"], "n_trials": found["n_trials"]}
    except Exception:
        return {"outcome": "undecided", "mapping": None, "n_trials": None}


def _match_tolerant(
    gold_rows: Rows | None,
    predicted_rows: Rows | None,
    gold_groups: list[int] | None,
    predicted_groups: list[int] | None,
) -> dict[str, Any]:
    try:
        from glue.match_numbers import match_tolerant

        found = match_tolerant(gold_rows, predicted_rows, gold_groups, predicted_groups)  # type: ignore[arg-type]
        return {"outcome": found["outcome"], "n_trials": found["n_trials"]}
    except Exception:
        return {"outcome": "undecided", "n_trials": None}
