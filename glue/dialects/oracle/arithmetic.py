"""Oracle's operators and literals in DuckDB's SQL: numbers, texts, moments and spans of time."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Context, Decimal, DivisionByZero, InvalidOperation, Overflow

from glue.dialects import nodes
from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle.conditions import Conditions
from glue.dialects.oracle.kinds import (
    MAX_TEXT,
    MOMENTS,
    NUMBERS,
    SPANS,
    TEXTS,
    UNBOUNDED,
    as_number,
    as_text,
    converted,
    inconsistent,
    moment_constant,
    text_constant,
)
from glue.dialects.oracle_dates import moment_of
from glue.dialects.oracle_errors import OracleError
from glue.dialects.oracle_moments import days_later
from glue.dialects.oracle_numbers import number_of_text
from glue.dialects.values import MAX_DIGITS, Sql, any_may_fail, constant_number, for_long_product

_DIGITS = Context(prec=40, traps=[DivisionByZero, InvalidOperation, Overflow])
"""A NUMBER keeps 38 digits, most often 40."""
_DATE = re.compile(r"\s*-?\d+-\d+-\d+\s*")
_SECONDS = {"DAY": 86_400, "HOUR": 3_600, "MINUTE": 60, "SECOND": 1}
_UNITS = ["DAY", "HOUR", "MINUTE", "SECOND"]
_SEPARATORS = {"DAY": r"\s+", "HOUR": ":", "MINUTE": ":"}
_OF_QUOTIENTS = {"+": "ora_sum", "-": "ora_difference", "*": "ora_product", "/": "ora_quotient"}
_MOST_DECIMALS = 20
"""Of exact numbers with many digits: where 18 before the point are not enough, DuckDB refuses."""
_PRECISION = 2
"""Digits of an interval's first field where none are given."""


class Arithmetic(Conditions):
    """A translation as far as it knows operators and literals."""

    def number_literal(self, node: nodes.Number) -> Sql:
        """A number as it is written; f and d make it binary."""
        text = node.text.lower()
        if text[-1] in "fd":
            return Sql(f"{float(text[:-1])!r}::double", "double")
        return constant_number(number_of_text(text))

    def text_literal(self, node: nodes.Text) -> Sql:
        """A text; '' is NULL."""
        return text_constant(node.text)

    def typed_literal(self, node: nodes.Typed) -> Sql:
        """DATE '…' and TIMESTAMP '…'."""
        if node.word == "DATE":
            if not _DATE.fullmatch(node.text):
                raise OracleError("ORA-01861", f"{node.text!r} is no date literal")
            model, kind = "YYYY-MM-DD", "date"
        else:
            model, kind = "YYYY-MM-DD HH24:MI:SS.FF", "timestamp"
            if ":" not in node.text:
                model = "YYYY-MM-DD"
            elif "." not in node.text:
                model = "YYYY-MM-DD HH24:MI:SS"
        moment = moment_of(node.text, model, self.settings.now, of_timestamp=kind == "timestamp")
        return moment_constant(moment, kind)

    def interval_literal(self, node: nodes.Interval) -> Sql:
        """INTERVAL '…' of years and months, or of days to seconds."""
        text = node.text.strip()
        negative = text.startswith("-")
        text = text.lstrip("+-")
        if node.first in ("YEAR", "MONTH"):
            n_months = _months(text, node)
            return Sql(f"to_months({-n_months if negative else n_months})", "months")
        n_microseconds = _microseconds(text, node)
        return Sql(f"ora_span({-n_microseconds if negative else n_microseconds})", "days")

    def prefixed(self, node: nodes.Prefixed) -> Sql:
        """A sign before a value."""
        operand = self.value(node.operand)
        if operand.kind in SPANS:
            return Sql(f"(-{operand.text})" if node.sign == "-" else operand.text, operand.kind)
        operand = as_number(operand)
        if node.sign == "+":
            return operand
        if isinstance(operand.constant, Decimal):
            return constant_number(-operand.constant)
        return Sql(
            f"(-{operand.text})", operand.kind, operand.precision, operand.scale, may_fail=operand.may_fail
        )

    def operation(self, node: nodes.Operation) -> Sql:
        """+ - * / and ||."""
        left, right = self.value(node.left), self.value(node.right)
        if node.sign == "||":
            return joined_texts(left, right)
        if left.kind in MOMENTS | SPANS or right.kind in MOMENTS | SPANS:
            return self._of_time(node.sign, left, right)
        return _of_numbers(node.sign, as_number(left), as_number(right))

    def _of_time(self, sign: str, left: Sql, right: Sql) -> Sql:
        if sign in "*/":
            return _scaled_span(sign, left, right)
        if sign == "+" and left.kind not in MOMENTS and right.kind in MOMENTS:
            left, right = right, left
        if left.kind in MOMENTS and right.kind in MOMENTS | TEXTS and sign == "-":
            return _difference(left, right)
        if left.kind in MOMENTS and right.kind in MOMENTS:
            raise OracleError("ORA-00975", "date + date not allowed")
        if left.kind in MOMENTS:
            return _moved(sign, left, right)
        if "null" in (left.kind, right.kind):
            return Sql("null::timestamp", right.kind if left.kind == "null" else left.kind)
        if left.kind in TEXTS and right.kind in MOMENTS:
            return _difference(converted(left, right.kind), right)
        if left.kind == right.kind and left.kind in SPANS:
            return Sql(f"({left.text} {sign} {right.text})", left.kind)
        raise inconsistent(left.kind, right.kind)


def joined_texts(left: Sql, right: Sql) -> Sql:
    """left || right: NULL is nothing, and nothing is NULL."""
    left, right = as_text(left), as_text(right)
    if isinstance(left.constant, str) and isinstance(right.constant, str):
        return text_constant(left.constant + right.constant)
    text = f"concat({left.text}, {right.text})"
    if not (left.constant or right.constant):
        text = f"ora_text({text})"
    if UNBOUNDED in (left.precision, right.precision):
        return Sql(text, "text", UNBOUNDED, may_fail=any_may_fail([left, right]))
    most = (left.precision or MAX_TEXT) + (right.precision or MAX_TEXT)
    if most > MAX_TEXT:
        text = f"ora_bounded_text({text})"
    kind = "char" if left.kind == right.kind == "char" else "text"
    return Sql(text, kind, min(most, MAX_TEXT), may_fail=any_may_fail([left, right]))


def _of_numbers(sign: str, left: Sql, right: Sql) -> Sql:
    if isinstance(left.constant, Decimal) and isinstance(right.constant, Decimal):
        folded = _folded(sign, left.constant, right.constant)
        if folded is not None:
            return folded
    may_fail = left.may_fail or right.may_fail
    if "double" in (left.kind, right.kind):
        text = f"{_OF_QUOTIENTS[sign]}({left.text}, {right.text})"
        return Sql(text, "rounded", may_fail=may_fail or sign == "/")
    if sign == "/":
        is_safe = isinstance(right.constant, Decimal) and right.constant != 0
        text = (
            f"(({left.text})::double / {right.text})" if is_safe else f"ora_divide({left.text}, {right.text})"
        )
        kind = "double" if left.kind == right.kind == "number" else "rounded"
        return Sql(text, kind, may_fail=may_fail or not is_safe)
    if "rounded" in (left.kind, right.kind):
        return Sql(f"({left.text} {sign} {right.text})", "rounded", may_fail=may_fail)
    if sign == "*":
        precision, scale = left.precision + right.precision, left.scale + right.scale
        factor = for_long_product(left.text, (left.precision, left.scale), right.precision)
    else:
        scale = max(left.scale, right.scale)
        precision = max(left.precision - left.scale, right.precision - right.scale) + scale + 1
        factor = left.text
    if precision > MAX_DIGITS and scale > _MOST_DECIMALS:
        return Sql(f"(({left.text})::double {sign} {right.text})", "rounded", may_fail=may_fail)
    precision = min(precision, MAX_DIGITS)
    return Sql(f"({factor} {sign} {right.text})", "number", precision, scale, may_fail=may_fail)


def _folded(sign: str, left: Decimal, right: Decimal) -> Sql | None:
    """What two literals give, to the digits of a NUMBER; None for what is left to fail when asked for."""
    try:
        result = {
            "+": _DIGITS.add,
            "-": _DIGITS.subtract,
            "*": _DIGITS.multiply,
            "/": _DIGITS.divide,
        }[sign](left, right)
    except (DivisionByZero, InvalidOperation, Overflow):
        return None
    return constant_number(result)


def _scaled_span(sign: str, left: Sql, right: Sql) -> Sql:
    if sign == "*" and left.kind not in SPANS:
        left, right = right, left
    if left.kind not in SPANS or right.kind not in NUMBERS | TEXTS:
        raise inconsistent("number", right.kind if left.kind in SPANS else left.kind)
    if left.kind == "months":
        raise UnsupportedError("an INTERVAL of months that is multiplied or divided")
    factor = as_number(right)
    scaled = (
        f"ora_divide(ora_span_microseconds({left.text}), {factor.text})"
        if sign == "/"
        else (f"(ora_span_microseconds({left.text}) * ({factor.text})::double)")
    )
    return Sql(f"ora_span(({scaled})::bigint)", "days", may_fail=sign == "/" or factor.may_fail)


def _difference(left: Sql, right: Sql) -> Sql:
    if left.kind == "timestamp" or right.kind == "timestamp":
        right = converted(right, "timestamp")
        span = f"ora_span(epoch_us({left.text}) - epoch_us({right.text}))"
        return Sql(span, "days", may_fail=any_may_fail([left, right]))
    right = converted(right, "date")
    return Sql(f"ora_days_between({left.text}, {right.text})", "double", may_fail=any_may_fail([left, right]))


def _moved(sign: str, moment: Sql, span: Sql) -> Sql:
    may_fail = any_may_fail([moment, span])
    if span.kind == "days":
        return Sql(f"ora_in_reach({moment.text} {sign} {span.text})", moment.kind, may_fail=may_fail)
    if span.kind == "months":
        text = span.text if sign == "+" else f"(-{span.text})"
        return Sql(f"ora_move_months({moment.text}, {text})", moment.kind, may_fail=True)
    days = as_number(span)
    if moment.kind == "timestamp":
        moment = converted(moment, "date")
    if isinstance(moment.constant, datetime) and isinstance(days.constant, Decimal):
        found = days_later(moment.constant, days.constant if sign == "+" else -days.constant)
        if found is not None:
            return moment_constant(found, "date")
    text = days.text if sign == "+" else f"-({days.text})"
    if days.kind == "number" and days.scale == 0:
        return Sql(f"ora_in_reach({moment.text} + to_days(({text})::integer))", "date", may_fail=may_fail)
    return Sql(f"ora_move_days({moment.text}, {text})", "date", may_fail=may_fail)


def _months(text: str, node: nodes.Interval) -> int:
    match = re.fullmatch(r"(\d+)(?:-(\d+))?", text)
    if match is None or bool(match[2]) != (node.last == "MONTH" and node.first == "YEAR"):
        raise OracleError("ORA-01867", f"{node.text!r} is no interval of {node.first}")
    _check_precision(match[1], node)
    if match[2] and int(match[2]) > 11:
        raise OracleError("ORA-01843", f"{match[2]} is no number of months beside years")
    if node.first == "MONTH":
        return int(match[1])
    return int(match[1]) * 12 + int(match[2] or 0)


def _microseconds(text: str, node: nodes.Interval) -> int:
    last = node.last or node.first
    units = _UNITS[_UNITS.index(node.first) : _UNITS.index(last) + 1]
    pattern = ""
    for unit in units:
        pattern += r"(\d+)" + (r"(?:\.(\d+))?" if unit == "SECOND" else "")
        pattern += _SEPARATORS[unit] if unit != last else ""
    match = re.fullmatch(pattern, text)
    if match is None:
        raise OracleError("ORA-01867", f"{node.text!r} is no interval from {node.first} to {last}")
    _check_precision(match[1], node)
    fields = [int(match[place]) for place in range(1, len(units) + 1)]
    most = {"HOUR": 23, "MINUTE": 59, "SECOND": 59}
    for unit, worth in list(zip(units, fields, strict=True))[1:]:
        if worth > most[unit]:
            raise OracleError({"HOUR": "ORA-01850", "MINUTE": "ORA-01851"}.get(unit, "ORA-01852"), f"{worth}")
    total = sum(_SECONDS[unit] * worth for unit, worth in zip(units, fields, strict=True)) * 1_000_000
    fraction = match[len(units) + 1] if last == "SECOND" else None
    return total + int(f"{fraction:0<6.6}" if fraction else 0)


def _check_precision(digits: str, node: nodes.Interval) -> None:
    precision = _PRECISION if node.first_precision is None else node.first_precision
    if len(digits.lstrip("0")) > precision:
        raise OracleError("ORA-01873", f"the leading precision of the interval {node.text!r} is too small")
