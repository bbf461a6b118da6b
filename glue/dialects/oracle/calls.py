"""Oracle's functions of one row in DuckDB's SQL: the macros of oracle_macros.py, and what is none."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable
from datetime import datetime
from decimal import Decimal
from typing import ClassVar

from glue.dialects import nodes
from glue.dialects.catalog import quoted_text
from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle.arithmetic import Arithmetic, joined_texts
from glue.dialects.oracle.conditions import condition
from glue.dialects.oracle.functions import AGGREGATES, FUNCTIONS, WINDOW_FUNCTIONS
from glue.dialects.oracle.kinds import (
    DOUBLES,
    MOMENTS,
    NUMBERS,
    SPANS,
    TEXTS,
    UNBOUNDED,
    as_number,
    as_text,
    converted,
    for_comparison,
    inconsistent,
    joined_value,
    moment_constant,
    number_kind,
    of_one_kind,
)
from glue.dialects.oracle_dates import moment_of
from glue.dialects.oracle_errors import OracleError
from glue.dialects.oracle_macros import MACROS, Macro, macro_of
from glue.dialects.oracle_moments import last_day, months_later, truncated
from glue.dialects.oracle_words import is_spelling
from glue.dialects.values import Sql, any_may_fail, listed, number

_MAY_FAIL = frozenset(
    """
    ADD_MONTHS ASCII CHR LN LOG LPAD NEXT_DAY NUMTODSINTERVAL NUMTOYMINTERVAL POWER REGEXP_COUNT REGEXP_INSTR
    REGEXP_LIKE REGEXP_REPLACE REGEXP_SUBSTR REMAINDER REVERSE RPAD SQRT TO_DATE TO_NUMBER TO_TIMESTAMP
    WIDTH_BUCKET
    """.split()  # noqa: SIM905 - a text is easier to read
)
"""Functions that refuse some of their arguments."""
_KEEP_PADDED = frozenset({"INITCAP", "LOWER", "UPPER"})
"""Functions of which a CHAR makes a CHAR."""
_ROUNDED = frozenset({"EXP", "LN", "LOG", "MONTHS_BETWEEN", "POWER", "SQRT"})
"""Functions whose double is not the nearest to what Oracle has."""
_KEEP_NOISE = frozenset({"ABS", "NANVL"})
"""Functions that round nothing."""
_DOUBLES = frozenset({"ACOS", "ASIN", "ATAN", "COS", "SIN", "TAN", "COSH", "SINH", "TANH"})
_SIMPLE_MODEL = re.compile(r"(?:YYYY|MM|DD|HH24|MI|SS|[-/., :;])+")
_SIMPLE_PART = re.compile(r"YYYY|MM|DD|HH24|MI|SS|[-/., :;]")
_STRFTIME = {"YYYY": "%Y", "MM": "%m", "DD": "%d", "HH24": "%H", "MI": "%M", "SS": "%S"}
_SPANS_OF_MACROS = {"NUMTODSINTERVAL": "days", "NUMTOYMINTERVAL": "months"}


class Calls(Arithmetic):
    """A translation as far as it knows functions of one row, CASE and CAST."""

    @abstractmethod
    def aggregate(self, node: nodes.Call) -> Sql:
        """A function of many rows, without a window."""

    @abstractmethod
    def windowed(self, node: nodes.Call) -> Sql:
        """A function with a window."""

    @abstractmethod
    def path(self, node: nodes.Call) -> Sql:
        """SYS_CONNECT_BY_PATH."""

    def call(self, node: nodes.Call) -> Sql:
        """A call of any function. Raises ORA-00904 where there is none of that name."""
        if len(node.parts) > 1:
            raise UnsupportedError(f"a function of a package or schema: {node.name}")
        name = node.name
        if name not in FUNCTIONS or node.parts[0].is_quoted:
            raise OracleError("ORA-00904", f'"{name}": invalid identifier')
        if node.over is not None:
            return self.windowed(node)
        if name in AGGREGATES:
            return self.aggregate(node)
        if name in WINDOW_FUNCTIONS:
            raise OracleError("ORA-30484", f"{name} needs a window: OVER is missing")
        if name == "SYS_CONNECT_BY_PATH":
            return self.path(node)
        if node.is_distinct or node.within is not None or node.keep:
            raise OracleError("ORA-30482", f"DISTINCT and the like do not go with {name}")
        if name == "LNNVL":
            check_count(name, len(node.arguments), 1, 1)
            operand = self.value(node.arguments[0])
            return condition(f"({operand.text} is not true)", operand)
        if node.default is not None:
            return self._with_default(node)
        if name == "TO_CHAR" and _spells_number(node):
            return self._spelled(node)
        arguments = [self.value(argument) for argument in node.arguments]
        special = self._SPECIAL.get(name)
        if special is not None:
            least, most, translate = special
            check_count(name, len(arguments), least, most)
            return translate(self, arguments)
        if name in MACROS:
            return self.macro(name, arguments)
        if name in _DOUBLES:
            check_count(name, len(arguments), 1, 1)
            return Sql(f"{name.lower()}({as_number(arguments[0]).text})", "rounded", may_fail=True)
        raise UnsupportedError(name)

    def _with_default(self, node: nodes.Call) -> Sql:
        """DEFAULT value ON CONVERSION ERROR: the value where the text cannot be read; NULL stays NULL."""
        if node.default is None or node.name not in ("TO_NUMBER", "TO_DATE", "TO_TIMESTAMP"):
            raise UnsupportedError(f"{node.name} with DEFAULT … ON CONVERSION ERROR")
        plain = nodes.Call(node.parts, node.arguments, place=node.place)
        given, made = self.value(node.arguments[0]), self.call(plain)
        default = self.call(nodes.Call(node.parts, [node.default, *node.arguments[1:]], place=node.place))
        text = f"case when {given.text} is not null then coalesce(try({made.text}), {default.text}) end"
        return Sql(text, made.kind, made.precision, made.scale, may_fail=default.may_fail)

    def _spelled(self, node: nodes.Call) -> Sql:
        """TO_CHAR(TO_DATE(number, 'J'), 'JSP'), by which numbers are spelled: most are no dates here."""
        inner = node.arguments[0]
        if not isinstance(inner, nodes.Call) or not isinstance(node.arguments[1], nodes.Text):
            raise AssertionError("no spelling")
        number = as_number(self.value(inner.arguments[0]))
        model = quoted_text(node.arguments[1].text)
        return Sql(f"ora_spelled(({number.text})::bigint, {model})", "text", may_fail=True)

    def macro(self, name: str, arguments: list[Sql]) -> Sql:
        """A function that is a macro, with its arguments as it takes them."""
        known = _known_moment(name, arguments)
        if known is not None:
            return moment_constant(known, "date")
        kinds = [_macro_kind(argument) for argument in arguments]
        found = macro_of(name, kinds)
        if found is None:
            found, arguments = _with_converted(name, arguments)
        result = found.result
        if result == "interval":
            result = _SPANS_OF_MACROS[name]
        if result == "double" or name not in ("MOD", "ROUND", "TRUNC", "ABS", "FLOOR", "CEIL", "REMAINDER"):
            kept = (28, 10) if name == "TO_NUMBER" else (18, 0)
        else:
            kept = _digits(name, arguments)
        if result == "double" and (
            name in _ROUNDED or (name in _KEEP_NOISE and "rounded" in _kinds(arguments))
        ):
            result = "rounded"
        text = f"{found.name}({listed(arguments)})"
        if name == "TO_NUMBER":
            text = f"{text}::decimal(28, 10)"
        may_fail = name in _MAY_FAIL or any_may_fail(arguments)
        if result == "condition":
            return condition(f"({text})", *arguments)
        if name in _KEEP_PADDED and arguments[0].kind == "char":
            return Sql(text, "char", arguments[0].precision, may_fail=may_fail)
        precision, scale = kept if result == "number" else (0, 0)
        return Sql(text, result, precision, scale, may_fail=may_fail)

    def case(self, node: nodes.Case) -> Sql:
        """CASE with an operand or without."""
        tests: list[Sql] = []
        if node.operand is None:
            tests = [self.value(test) for test, _ in node.branches]
        else:
            operand = self.value(node.operand)
            for test, _ in node.branches:
                compared = self.value(test)
                if operand.kind in NUMBERS and compared.kind in TEXTS:
                    raise inconsistent("number", "char")
                tests.append(self.compared("=", operand, compared))
        answers = [self.value(answer) for _, answer in node.branches]
        if node.default is not None:
            answers.append(self.value(node.default))
        kind, answers = of_one_kind(answers, "")
        branches = "".join(
            f" when {test.text} then {answer.text}" for test, answer in zip(tests, answers, strict=False)
        )
        rest = f" else {answers[-1].text}" if node.default is not None else ""
        value = joined_value(f"case{branches}{rest} end", kind, answers)
        value.may_fail = value.may_fail or any_may_fail(tests)
        return value

    def extract(self, node: nodes.Extract) -> Sql:
        """EXTRACT(unit FROM value)."""
        operand = self.value(node.operand)
        if node.unit not in ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"):
            raise UnsupportedError(f"EXTRACT of {node.unit}")
        is_time = node.unit in ("HOUR", "MINUTE", "SECOND")
        fits = operand.kind in MOMENTS and not (operand.kind == "date" and is_time)
        if operand.kind in SPANS:
            fits = (operand.kind == "days") == (is_time or node.unit == "DAY")
        if not fits and operand.kind != "null":
            raise OracleError("ORA-30076", f"a {operand.kind} has no {node.unit} to be extracted")
        value = self.macro(f"EXTRACT {node.unit}", [operand])
        if node.unit == "SECOND":
            return Sql(value.text, "number", 18, 6, may_fail=value.may_fail)
        return value

    def trim(self, node: nodes.Trim) -> Sql:
        """TRIM."""
        name = "TRIM" if node.side in (None, "BOTH") else f"TRIM {node.side}"
        operand = self.value(node.operand)
        letters = [] if node.letters is None else [self.value(node.letters)]
        return self.macro(name, [as_text(operand), *map(as_text, letters)])

    # Functions that take and give what their arguments are

    def _nvl(self, arguments: list[Sql]) -> Sql:
        first, second = arguments
        if first.kind == "null":
            return second
        if first.kind in TEXTS and second.kind in NUMBERS | MOMENTS:
            second = as_text(second)
        kind = "text" if first.kind in TEXTS else first.kind
        second = converted(second, kind)
        if first.kind == "date" and second.kind == "timestamp":
            second = converted(second, "date")
        if first.kind in NUMBERS:
            kind = number_kind(_kinds(arguments))
        text = f"coalesce({first.text}, {second.text})"
        if second.may_fail:
            text = f"ora_nvl({first.text}, {second.text})"
        return joined_value(text, kind, [first, second])

    def _nvl2(self, arguments: list[Sql]) -> Sql:
        tested, there, missing = arguments
        if there.kind != "null":
            missing = converted(missing, "text" if there.kind in TEXTS else there.kind)
        kind, answers = of_one_kind([there, missing], "")
        text = f"case when {tested.text} is not null then {answers[0].text} else {answers[1].text} end"
        if any_may_fail(answers):
            text = f"ora_nvl2({tested.text}, {answers[0].text}, {answers[1].text})"
        return joined_value(text, "text" if kind == "char" else kind, answers)

    def _coalesce(self, arguments: list[Sql]) -> Sql:
        kind, values = of_one_kind(arguments, "")
        text = f"coalesce({listed(values)})"
        if any_may_fail(values[1:]):  # of which DuckDB asks early where they stand elsewhere too
            tests = "".join(f" when {one.text} is not null then {one.text}" for one in values[:-1])
            text = f"case{tests} else {values[-1].text} end"
        return joined_value(text, "text" if kind == "char" else kind, values)

    def _nullif(self, arguments: list[Sql]) -> Sql:
        first, second = arguments
        if first.kind == "null":
            raise inconsistent("-", "char")
        if not _same_family(first, second):
            raise inconsistent(first.kind, second.kind)
        equal = self.compared("=", first, second)
        text = f"case when {equal.text} then null else {first.text} end"
        return joined_value(text, first.kind, [first])

    def _decode(self, arguments: list[Sql]) -> Sql:
        tested, rest = arguments[0], arguments[1:]
        searched = rest[0].kind if rest[0].kind != "null" else "text"
        if searched == "char":
            searched = "text"
        answers = [*rest[1::2], *(rest[-1:] if len(rest) % 2 else [])]
        kind = answers[0].kind if answers[0].kind not in ("null", "char") else "text"
        if kind in NUMBERS:
            kind = number_kind(_kinds(answers))
        answers = [converted(answer, kind) for answer in answers]
        branches = ""
        searches = rest[0 : len(rest) - len(rest) % 2 : 2]
        for search, answer in zip(searches, answers, strict=False):
            same = f"{tested.text} is null"
            if search.kind != "null" and search.text != "null::varchar":
                one, other = for_comparison(converted(tested, searched), converted(search, searched))
                same = f"{one.text} is not distinct from {other.text}"
                if "rounded" in (one.kind, other.kind):
                    same = f"{self.compared('=', one, other).text} is true"
                tested_may_fail = one.may_fail or other.may_fail
                tested = Sql(tested.text, tested.kind, may_fail=tested.may_fail or tested_may_fail)
            branches += f" when {same} then {answer.text}"
        default = f" else {answers[-1].text}" if len(rest) % 2 else ""
        value = joined_value(f"case{branches}{default} end", kind, answers)
        value.may_fail = value.may_fail or tested.may_fail
        return value

    def _extreme(self, arguments: list[Sql], function: str) -> Sql:
        kind = arguments[0].kind
        if kind == "null":
            raise UnsupportedError(f"{function} of NULL first")
        if kind in NUMBERS:
            kind = number_kind(_kinds(arguments))
        kind = "text" if kind in TEXTS else kind
        values = [converted(argument, kind) for argument in arguments]
        text = values[0].text
        for value in values[1:]:
            text = f"{function}({text}, {value.text})"
        return joined_value(text, kind, values)

    def _greatest(self, arguments: list[Sql]) -> Sql:
        return self._extreme(arguments, "ora_greatest")

    def _least(self, arguments: list[Sql]) -> Sql:
        return self._extreme(arguments, "ora_least")

    def _concat(self, arguments: list[Sql]) -> Sql:
        return joined_texts(*arguments)

    def _to_char(self, arguments: list[Sql]) -> Sql:
        value, *model = arguments
        if value.kind in TEXTS and model:
            value = as_number(value)
        if value.kind in SPANS:
            raise UnsupportedError("TO_CHAR of an INTERVAL")
        if len(model) > 1:
            raise UnsupportedError("TO_CHAR with a language")
        if not model:
            return as_text(value)
        written = model[0].constant
        if value.kind in MOMENTS and isinstance(written, str) and _SIMPLE_MODEL.fullmatch(written.upper()):
            return _by_strftime(value, written.upper())
        return self.macro("TO_CHAR", [value, as_text(model[0])])

    def _to_moment(self, arguments: list[Sql], name: str) -> Sql:
        if len(arguments) > 2:
            raise UnsupportedError(f"{name} with a language")
        value, *model = arguments
        if value.kind in MOMENTS:
            value = as_text(value)
        if model and isinstance(value.constant, str) and isinstance(model[0].constant, str):
            read = self._read_moment(value.constant, model[0].constant, name)
            if read is not None:
                kind = "date" if name == "TO_DATE" else "timestamp"
                return moment_constant(read, kind)
        return self.macro(name, [as_text(value), *map(as_text, model)])

    def _read_moment(self, text: str, model: str, name: str) -> datetime | None:
        """What two literals say; None for what is left to fail when it is asked for."""
        try:
            return moment_of(text, model, self.settings.now, of_timestamp=name == "TO_TIMESTAMP")
        except OracleError:
            return None

    def _to_date(self, arguments: list[Sql]) -> Sql:
        return self._to_moment(arguments, "TO_DATE")

    def _to_timestamp(self, arguments: list[Sql]) -> Sql:
        return self._to_moment(arguments, "TO_TIMESTAMP")

    def _to_number(self, arguments: list[Sql]) -> Sql:
        if len(arguments) > 2:
            raise UnsupportedError("TO_NUMBER with a language")
        if len(arguments) == 1:
            return as_number(arguments[0])
        return self.macro("TO_NUMBER", [as_text(argument) for argument in arguments])

    def _to_clob(self, arguments: list[Sql]) -> Sql:
        return _as_clob(arguments[0])

    def _to_double(self, arguments: list[Sql]) -> Sql:
        value = as_number(arguments[0])
        kind = "rounded" if value.kind == "rounded" else "double"
        return Sql(f"({value.text})::double", kind, may_fail=value.may_fail)

    def _atan2(self, arguments: list[Sql]) -> Sql:
        return Sql(f"atan2({listed([as_number(argument) for argument in arguments])})", "rounded")

    def _to_span(self, arguments: list[Sql], first: str, last: str) -> Sql:
        text = arguments[0].constant
        if not isinstance(text, str):
            raise UnsupportedError("an INTERVAL of a text that is no literal")
        return self.interval_literal(nodes.Interval(text, first, 9, last))

    def _to_days(self, arguments: list[Sql]) -> Sql:
        return self._to_span(arguments, "DAY", "SECOND")

    def _to_months(self, arguments: list[Sql]) -> Sql:
        return self._to_span(arguments, "YEAR", "MONTH")

    def _guid(self, _arguments: list[Sql]) -> Sql:
        return Sql("uuid()::varchar", "text")

    _SPECIAL: ClassVar[dict[str, tuple[int, int, Callable[[Calls, list[Sql]], Sql]]]] = {
        "NVL": (2, 2, _nvl),
        "NVL2": (3, 3, _nvl2),
        "COALESCE": (2, 1000, _coalesce),
        "NULLIF": (2, 2, _nullif),
        "DECODE": (3, 255, _decode),
        "GREATEST": (1, 1000, _greatest),
        "LEAST": (1, 1000, _least),
        "CONCAT": (2, 2, _concat),
        "TO_CHAR": (1, 3, _to_char),
        "TO_NCHAR": (1, 3, _to_char),
        "TO_DATE": (1, 3, _to_date),
        "TO_TIMESTAMP": (1, 3, _to_timestamp),
        "TO_NUMBER": (1, 3, _to_number),
        "TO_CLOB": (1, 1, _to_clob),
        "TO_BINARY_DOUBLE": (1, 1, _to_double),
        "ATAN2": (2, 2, _atan2),
        "SYS_GUID": (0, 0, _guid),
        "TO_DSINTERVAL": (1, 1, _to_days),
        "TO_YMINTERVAL": (1, 1, _to_months),
    }
    """How many arguments they take, and what makes DuckDB's SQL of them."""

    # CAST

    def cast(self, node: nodes.Cast) -> Sql:
        """CAST to the types of Oracle, and VALIDATE_CONVERSION."""
        operand = self.value(node.operand)
        if node.word == "VALIDATE_CONVERSION":
            made = self._cast_by_model(node, operand)
            text = f"case when {operand.text} is null or try({made.text}) is not null then 1 else 0 end"
            return Sql(text, "number", 1)
        if node.default is not None:
            made = self._cast_by_model(node, operand)
            default = self._cast_by_model(node, self.value(node.default))
            text = f"case when {operand.text} is not null then coalesce(try({made.text}), {default.text}) end"
            return Sql(text, made.kind, made.precision, made.scale, may_fail=default.may_fail)
        return self._cast(node, operand)

    def _cast_by_model(self, node: nodes.Cast, operand: Sql) -> Sql:
        """A cast, of a text by the model that stands behind the type."""
        word = node.type.words[0]
        if node.style is None or operand.kind not in TEXTS or word not in ("DATE", "TIMESTAMP", "NUMBER"):
            if node.style is not None and operand.kind in TEXTS:
                raise UnsupportedError(f"{node.word} AS {word} by a model")
            return self._cast(node, operand)
        made = self.macro(f"TO_{word}", [operand, as_text(self.value(node.style))])
        return _cast_number(made, word, node.type.arguments) if word == "NUMBER" else made

    def _cast(self, node: nodes.Cast, operand: Sql) -> Sql:
        word = node.type.words[0]
        if len(node.type.words) > 1 and node.type.words != ("DOUBLE", "PRECISION"):
            raise UnsupportedError(f"CAST AS {' '.join(node.type.words)}")
        if word in ("NUMBER", "NUMERIC", "DECIMAL", "DEC", "INTEGER", "INT", "SMALLINT"):
            return _cast_number(as_number(operand), word, node.type.arguments)
        if word in ("FLOAT", "REAL", "DOUBLE"):
            if node.type.arguments not in ((), ("126",)):
                raise UnsupportedError(f"CAST to {word} of so many binary digits")
            return as_number(operand)
        if word in ("BINARY_DOUBLE", "BINARY_FLOAT"):
            value = as_number(operand)
            kind = "rounded" if value.kind == "rounded" else "double"
            return Sql(f"({value.text})::double", kind, may_fail=value.may_fail)
        if word in ("VARCHAR2", "VARCHAR", "NVARCHAR2", "CHAR", "NCHAR", "CHARACTER"):
            return _cast_text(operand, word, node.type.arguments)
        if word in ("CLOB", "NCLOB"):
            return _as_clob(operand)
        if word in ("DATE", "TIMESTAMP"):
            digits = _whole_numbers(word, node.type.arguments or ("6",), 1)[0]
            if digits < 6 and operand.kind not in ("date", "null"):
                raise UnsupportedError(f"CAST to a TIMESTAMP of {digits} decimals")
            return converted(operand, word.lower())
        raise UnsupportedError(f"CAST AS {word}")


def _known_moment(name: str, arguments: list[Sql]) -> datetime | None:
    """What a function makes of a DATE that is known, where that is known here too."""
    moment = arguments[0].constant if arguments else None
    if not isinstance(moment, datetime) or arguments[0].kind != "date":
        return None
    second = arguments[1].constant if len(arguments) == 2 else None
    if name == "ADD_MONTHS" and isinstance(second, Decimal):
        return months_later(moment, second)
    if name == "LAST_DAY" and len(arguments) == 1:
        return last_day(moment)
    if name == "TRUNC" and (isinstance(second, str) or len(arguments) == 1):
        return truncated(moment, second if isinstance(second, str) else None)
    return None


def _spells_number(node: nodes.Call) -> bool:
    inner = node.arguments[0] if len(node.arguments) == 2 else None
    model = node.arguments[-1] if node.arguments else None
    return (
        isinstance(inner, nodes.Call)
        and inner.name == "TO_DATE"
        and len(inner.arguments) == 2
        and isinstance(inner.arguments[1], nodes.Text)
        and inner.arguments[1].text.upper() == "J"
        and isinstance(model, nodes.Text)
        and is_spelling(model.text)
    )


def _as_clob(value: Sql) -> Sql:
    text = as_text(value)
    return Sql(text.text, "text", UNBOUNDED, may_fail=text.may_fail)


def check_count(name: str, count: int, least: int, most: int) -> None:
    """Refuse a call with fewer or more arguments than the function takes."""
    if least == most and count != least:
        raise OracleError("ORA-00909", f"invalid number of arguments for {name}")
    if count < least:
        raise OracleError("ORA-00938", f"not enough arguments for {name}")
    if count > most:
        raise OracleError("ORA-00939", f"too many arguments for {name}")


def _kinds(values: Iterable[Sql]) -> list[str]:
    return [value.kind for value in values]


def _macro_kind(value: Sql) -> str:
    if value.kind == "char":
        return "text"
    if value.kind == "rounded":
        return "double"
    return "interval" if value.kind in SPANS else value.kind


def _with_converted(name: str, arguments: list[Sql]) -> tuple[Macro, list[Sql]]:
    """The first macro that takes the arguments once they are converted as Oracle does it unasked."""
    sizes = [len(macro.kinds) for macro in MACROS[name]]
    if len(arguments) not in sizes:
        check_count(name, len(arguments), min(sizes), max(sizes))
    refused: OracleError | None = None
    for macro in MACROS[name]:
        if len(macro.kinds) != len(arguments):
            continue
        try:
            return macro, [
                _for_macro(argument, kind) for argument, kind in zip(arguments, macro.kinds, strict=True)
            ]
        except OracleError as error:
            refused = refused or error
    raise refused or OracleError("ORA-00909", f"invalid number of arguments for {name}")


def _for_macro(argument: Sql, kind: str) -> Sql:
    if kind == "interval":
        raise inconsistent("interval", argument.kind)
    return converted(argument, kind)


def _digits(name: str, arguments: list[Sql]) -> tuple[int, int]:
    """Precision and scale of a function that gives the kind of number that it gets."""
    first = arguments[0]
    if name in ("MOD", "REMAINDER"):
        second = arguments[1]
        return max(first.precision, second.precision), max(first.scale, second.scale)
    return max(first.precision, 1) + 1, first.scale


def _same_family(first: Sql, second: Sql) -> bool:
    if second.kind == "null" or first.kind == second.kind:
        return True
    return any({first.kind, second.kind} <= family for family in (TEXTS, NUMBERS, MOMENTS))


def _by_strftime(value: Sql, model: str) -> Sql:
    """TO_CHAR by a model that DuckDB's own function writes the same, and many times faster."""
    parts = [_STRFTIME.get(part, part) for part in _SIMPLE_PART.findall(model)]
    return Sql(f"strftime({value.text}, {quoted_text(''.join(parts))})", "text", may_fail=value.may_fail)


def _cast_number(value: Sql, word: str, arguments: tuple[str, ...]) -> Sql:
    if not arguments:
        if word in ("NUMBER",):
            return value
        precision, scale = 38, 0
    else:
        precision, scale = _whole_numbers(word, ("38" if one == "*" else one for one in arguments), 2)
        if not 1 <= precision <= 38:
            raise OracleError("ORA-01727", "numeric precision specifier is out of range (1 to 38)")
        if not -84 <= scale <= 38:
            raise UnsupportedError(f"CAST to a number with the scale {scale}")
    macro = "ora_cast_double" if value.kind in DOUBLES else "ora_cast_number"
    whole = precision - scale
    kept = max(scale, 0)
    held = min(max(whole, 0) + kept or 1, 38)
    bound = f"1e{whole}" if whole < 38 else "1e39"
    text = f"({macro}({value.text}, {scale}, {bound}))::decimal({held}, {kept})"
    return number(text, held, kept, may_fail=True)


def _whole_numbers(word: str, arguments: Iterable[str], count: int) -> list[int]:
    """What stands in the brackets of a type, as so many numbers: 0 for what is not there."""
    given = list(arguments)
    if len(given) > count or not all(re.fullmatch(r"-?[0-9]+", one) for one in given):
        raise UnsupportedError(f"{word}({', '.join(given)})")
    return [*map(int, given), *[0] * (count - len(given))]


def _cast_text(value: Sql, word: str, arguments: tuple[str, ...]) -> Sql:
    if not arguments and word.startswith("VARCHAR"):
        raise OracleError("ORA-00906", "a length is missing")
    size = _whole_numbers(word, (one.partition(" ")[0] for one in arguments), 1)[0] if arguments else 1
    text = as_text(value)
    if value.kind in TEXTS:
        written = f"substr({text.text}, 1, {size})"
    else:
        written = f"ora_cast_written({text.text}, {size})"
    if "CHAR" in word and not word.startswith(("VARCHAR", "NVARCHAR")):
        return Sql(f"rpad({written}, {size}, ' ')", "char", size * 4, may_fail=text.may_fail)
    return Sql(written, "text", may_fail=value.kind not in TEXTS or text.may_fail)
