"""Oracle's functions in a session: installed beside read-only data, chosen by the kinds of arguments."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle_macros import MACROS, Macro, error_of, install, macro_of
from tests.dialects.macro_helpers import NOW, answer


def test_another_error_is_none_of_oracles() -> None:
    assert error_of("Conversion Error: Could not convert string 'a' to INT32") is None


def test_digits_from_a_column_are_unsupported(session: duckdb.DuckDBPyConnection) -> None:
    for function in ("round", "trunc", "round_double", "trunc_double"):
        with pytest.raises(duckdb.Error) as raised:
            session.execute(f"select ora_{function}(n, d) from (values (1.25, 1)) as numbers(n, d)")
        assert isinstance(error_of(str(raised.value)), UnsupportedError)


def test_rows_of_a_read_only_file_are_answered_one_by_one(tmp_path: Path) -> None:
    path = str(tmp_path / "data.duckdb")
    with duckdb.connect(path) as connection:
        connection.execute(
            "create table words as select * from (values ('ab', 2), ('', 1), (null, 1), ('c', 0)) t(w, n)"
        )
    configuration: Any = {"enable_external_access": "false", "lock_configuration": "true"}
    with duckdb.connect(path, read_only=True, config=configuration) as connection:
        install(connection, NOW)
        rows = connection.execute(
            "select ora_substr(w, n), ora_replace(w, 'b', n::varchar), ora_regexp_substr(w, '[a-z]', n + 1) "
            "from words"
        ).fetchall()
    assert rows == [("b", "a2", None), (None, None, None), (None, None, None), ("c", "c", "c")]


def test_a_cursor_has_a_moment_of_its_own(session: duckdb.DuckDBPyConnection) -> None:
    cursor = session.cursor()
    install(cursor, datetime(1999, 2, 3))
    assert answer(cursor, "ora_to_date('5', 'DD')") == datetime(1999, 2, 5)
    assert answer(session, "ora_to_date('5', 'DD')") == datetime(2024, 6, 5)
    assert answer(cursor, "ora_now()") == datetime(1999, 2, 3)


def test_a_refusal_waits_for_a_row_that_deserves_it(session: duckdb.DuckDBPyConnection) -> None:
    numbers = "from (values (4.0), (-1.0)) as numbers(n)"
    assert session.execute(f"select ora_sqrt(n) {numbers} where n > 0").fetchall() == [(2.0,)]
    assert session.execute(f"select case when n > 0 then ora_sqrt(n) end {numbers}").fetchall() == [
        (2.0,),
        (None,),
    ]


def test_calls_in_calls_do_not_grow(session: duckdb.DuckDBPyConnection) -> None:
    call = "w"
    for _ in range(25):
        call = f"ora_replace(ora_substr({call}, 1), 'x', 'x')"
    assert session.execute(f"select {call} from (values ('x1')) as words(w)").fetchall() == [("x1",)]


def test_exact_numbers_stay_exact(session: duckdb.DuckDBPyConnection) -> None:
    number = "12345678901234567890.125"
    assert answer(session, f"ora_round({number}, 2)") == Decimal("12345678901234567890.13")
    assert answer(session, f"ora_mod({number}, 1000)") == Decimal("890.125")
    assert answer(session, f"ora_trunc({number})") == Decimal("12345678901234567890")
    assert answer(session, f"ora_ceil({number})") == Decimal("12345678901234567891")
    assert answer(session, f"ora_floor(-{number})") == Decimal("-12345678901234567891")
    assert answer(session, "ora_ceil(9007199254740993)") == 9007199254740993


def test_every_macro_of_the_table_is_there_and_no_other(session: duckdb.DuckDBPyConnection) -> None:
    named = {macro.name for macros in MACROS.values() for macro in macros}
    scripts = "".join(path.read_text() for path in Path("glue/dialects").glob("oracle*_macros.sql"))
    made = set(re.findall(r"temp macro (\w+)", scripts))
    assert named <= made
    assert all(re.search(rf"{name}\(", scripts) for name in made - named)


@pytest.mark.parametrize("macro", [macro for macros in MACROS.values() for macro in macros], ids=str)
def test_null_in_every_place_is_answered(session: duckdb.DuckDBPyConnection, macro: Macro) -> None:
    types = {"text": "varchar", "number": "decimal(5, 2)", "date": "timestamp"}
    nulls = ", ".join(f"null::{types.get(kind, kind)}" for kind in macro.kinds)
    if macro.name != "ora_width_bucket":
        assert answer(session, f"{macro.name}({nulls})") is None


@pytest.mark.parametrize(
    ("function", "kinds", "name"),
    [
        ("TRUNC", ["number"], "ora_trunc"),
        ("TRUNC", ["double", "number"], "ora_trunc_double"),
        ("TRUNC", ["date", "text"], "ora_trunc_date"),
        ("TRUNC", ["timestamp"], "ora_trunc_date"),
        ("MOD", ["number", "number"], "ora_mod"),
        ("MOD", ["number", "double"], "ora_mod_double"),
        ("SQRT", ["double"], "ora_sqrt"),
        ("TO_CHAR", ["timestamp", "text"], "ora_to_char_timestamp"),
        ("TO_CHAR", ["date", "text"], "ora_to_char_date"),
        ("EXTRACT HOUR", ["date"], None),
        ("SUBSTR", ["text", "null"], "ora_substr"),
        ("SUBSTR", ["text"], None),
        ("SOUNDEX", ["text"], None),
    ],
)
def test_the_kinds_of_the_arguments_choose_the_macro(
    function: str, kinds: list[str], name: str | None
) -> None:
    macro = macro_of(function, kinds)
    assert (macro and macro.name) == name


@pytest.mark.parametrize("macro", [macro for macros in MACROS.values() for macro in macros], ids=str)
def test_the_kind_of_an_answer_is_known(session: duckdb.DuckDBPyConnection, macro: Macro) -> None:
    examples = {
        "text": "'SECOND'",
        "number": "1.5",
        "double": "1.5::double",
        "date": "timestamp '2024-06-15'",
        "timestamp": "timestamp '2024-06-15 01:02:03.4'",
        "interval": "interval '1' day",
    }
    call = f"{macro.name}({', '.join(examples[kind] for kind in macro.kinds)})"
    kind = {
        "VARCHAR": "text",
        "DOUBLE": "double",
        "TIMESTAMP": "timestamp",
        "INTERVAL": "interval",
        "BOOLEAN": "condition",
    }
    described = session.sql(f"select {call}").types[0]
    told = "timestamp" if macro.result == "date" else macro.result
    assert kind.get(str(described), "number") == told
