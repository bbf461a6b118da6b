"""SQL Server's functions of moments in DuckDB's SQL.

By Date and time data types and functions (Transact-SQL). DATEFIRST is 7: weeks begin on Sunday.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from glue.dialects import nodes
from glue.dialects.errors import UnsupportedError
from glue.dialects.tsql.conversions import implicit
from glue.dialects.tsql.types import (
    BIGINT,
    COUNTED_DATES,
    DATE,
    DATES,
    DATETIME,
    DATETIME2,
    INT,
    MOMENTS,
    NUMBERS,
    TEXTS,
    Type,
    text_type,
    type_of,
    typed,
)
from glue.dialects.tsql_errors import TSQLError
from glue.dialects.values import Sql

_PARTS_WORDS = """
    year yy yyyy, quarter qq q, month mm m, dayofyear dy y, day dd d, week wk ww, weekday dw w, hour hh,
    minute mi n, second ss s, millisecond ms, microsecond mcs, nanosecond ns, tzoffset tz,
    iso_week isowk isoww
"""
_PARTS = {
    word.upper(): names.split()[0].upper() for names in _PARTS_WORDS.split(",") for word in names.split()
}
"""Parts of a date by all their names."""
_CLOCK_PARTS = frozenset({"HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND", "NANOSECOND"})
_SPANS = {
    "YEAR": "to_months(12 * {n})",
    "QUARTER": "to_months(3 * {n})",
    "MONTH": "to_months({n})",
    "DAYOFYEAR": "to_days({n})",
    "DAY": "to_days({n})",
    "WEEKDAY": "to_days({n})",
    "WEEK": "to_days(7 * {n})",
    "HOUR": "to_hours({n})",
    "MINUTE": "to_minutes({n})",
    "SECOND": "to_seconds({n})",
    "MILLISECOND": "to_milliseconds({n})",
    "MICROSECOND": "to_microseconds({n})",
}
_NUMBERS_OF = {
    "YEAR": "year({d})",
    "QUARTER": "quarter({d})",
    "MONTH": "month({d})",
    "DAYOFYEAR": "dayofyear({d})",
    "DAY": "day({d})",
    "WEEK": "((dayofyear({d}) - 1 + dayofweek(date_trunc('year', {d}))) // 7 + 1)",
    "WEEKDAY": "(dayofweek({d}) + 1)",
    "ISO_WEEK": "weekofyear({d})",
    "HOUR": "hour({d})",
    "MINUTE": "minute({d})",
    "SECOND": "second({d})",
    "MILLISECOND": "(millisecond({d}) % 1000)",
    "MICROSECOND": "(microsecond({d}) % 1000000)",
    "NANOSECOND": "(microsecond({d}) % 1000000 * 1000)",
}
_DIFFERENCES = {
    "YEAR": "(year({b}) - year({a}))",
    "QUARTER": "((year({b}) * 4 + quarter({b})) - (year({a}) * 4 + quarter({a})))",
    "MONTH": "((year({b}) * 12 + month({b})) - (year({a}) * 12 + month({a})))",
    "WEEK": "tsql_weeks({a}, {b})",
    **dict.fromkeys(("DAY", "DAYOFYEAR", "WEEKDAY"), "date_diff('day', {a}, {b})"),
    **{
        part: f"date_diff('{part.lower()}', {{a}}, {{b}})"
        for part in ("HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND")
    },
    "NANOSECOND": "(date_diff('microsecond', {a}, {b}) * 1000)",
}
_TRUNCATED = {
    **dict.fromkeys(("DAYOFYEAR", "DAY"), "date_trunc('day', {d})"),
    **{
        part: f"date_trunc('{part.lower()}', {{d}})"
        for part in ("YEAR", "QUARTER", "MONTH", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND")
    },
    "WEEK": "(date_trunc('day', {d}) - to_days(dayofweek({d})::integer))",
    "ISO_WEEK": "date_trunc('week', {d})",
}
_NAME_WIDTH = 30
_MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
_MICROSECONDS = {
    "WEEK": 7 * 86_400_000_000,
    "DAY": 86_400_000_000,
    "HOUR": 3_600_000_000,
    "MINUTE": 60_000_000,
    "SECOND": 1_000_000,
}


def part_of(node: nodes.Value) -> str:
    """The part of a date that is written. Raises 155 and 1023."""
    if not isinstance(node, nodes.Name) or len(node.parts) != 1 or node.parts[0].is_quoted:
        raise TSQLError("1023", "the part of a date is a bare word")
    part = _PARTS.get(node.parts[0].text.upper())
    if part is None:
        raise TSQLError("155", f"{node.parts[0].text} is no part of a date")
    if part == "TZOFFSET":
        raise UnsupportedError("the part TZOFFSET")
    return part


def _moment(value: Sql, name: str, of_text: Type = DATETIME2) -> Sql:
    """An argument that is a moment: a text is read as one, a number counts the days since 1900."""
    if value.kind in TEXTS:
        return implicit(value, of_text)
    if value.kind in NUMBERS or value.kind == "null":
        return implicit(value, DATETIME)
    if value.kind not in MOMENTS or value.kind == "datetimeoffset":
        raise UnsupportedError(f"{name} of {value.kind}")
    return value


def _check_part(part: str, value: Sql, name: str) -> None:
    """Raises 9810 where the type has no such part."""
    is_clock = part in _CLOCK_PARTS
    if (value.kind == "date" and is_clock) or (value.kind == "time" and not is_clock):
        raise TSQLError("9810", f"{name} of {value.kind} knows no {part}")


def _as_timestamp(value: Sql) -> str:
    if value.kind == "time":
        return f"(date '1900-01-01' + {value.text})"
    return f"({value.text})::timestamp" if value.kind == "date" else value.text


def dateadd(part: str, arguments: list[Sql]) -> Sql:
    """DATEADD: the answer is of the moment's type; a text is a DATETIME."""
    number, value = arguments
    moment = _moment(value, "DATEADD", DATETIME)
    _check_part(part, moment, "DATEADD")
    if part == "ISO_WEEK":
        raise TSQLError("9806", "DATEADD knows no ISO_WEEK")
    if part == "NANOSECOND":
        raise UnsupportedError("DATEADD of nanoseconds")
    count = implicit(number, INT)
    target = type_of(moment)
    if moment.kind == "time":
        span = _SPANS[part].format(n=count.text)
        return typed(f"({moment.text} + {span})", target, count, moment)
    unit = _SPANS[part].format(n="given.n")
    first = {"datetime": "1753-01-01", "smalldatetime": "1900-01-01"}.get(moment.kind, "0001-01-01")
    last = "2079-06-06 23:59:59" if moment.kind == "smalldatetime" else "9999-12-31 23:59:59.999999"
    text = (
        f"list_transform([struct_pack(d := {_as_timestamp(moment)}, n := {count.text})],"
        f" lambda given: tsql_within(given.d + {unit}, timestamp '{first}', timestamp '{last}'))[1]"
    )
    if moment.kind == "smalldatetime":
        text = f"tsql_to_minute({text}, false)"
    elif moment.kind == "datetime" and part in ("MILLISECOND", "MICROSECOND"):
        text = f"tsql_to_ticks({text}, false)"
    elif moment.kind == "date":
        text = f"({text})::date"
    return typed(text, target, count, moment, may_fail=True)


def datediff(part: str, arguments: list[Sql], is_big: bool = False) -> Sql:
    """DATEDIFF: how many boundaries of the part lie between two moments."""
    a, b = (_moment(one, "DATEDIFF") for one in arguments)
    if part == "ISO_WEEK":
        raise TSQLError("9806", "DATEDIFF knows no ISO_WEEK")
    text = _DIFFERENCES[part].format(a=_as_timestamp(a), b=_as_timestamp(b))
    if is_big:
        return typed(f"({text})::bigint", BIGINT, a, b)
    least, most = INT.range
    if part in _CLOCK_PARTS:
        text = f"tsql_narrow({text}, {least}, {most}, '535', false)"
    return typed(f"({text})::integer", INT, a, b, may_fail=part in _CLOCK_PARTS)


def datepart(part: str, arguments: list[Sql]) -> Sql:
    """DATEPART, and YEAR, MONTH and DAY."""
    value = _moment(arguments[0], "DATEPART")
    if arguments[0].kind not in TEXTS:
        _check_part(part, value, "DATEPART")
    return typed(f"({_NUMBERS_OF[part].format(d=_as_timestamp(value))})::integer", INT, value)


def datename(part: str, arguments: list[Sql]) -> Sql:
    """DATENAME: the names of months and days, and the numbers of other parts as texts."""
    target = text_type("nvarchar", _NAME_WIDTH)
    if part in ("MONTH", "WEEKDAY"):
        value = _moment(arguments[0], "DATENAME")
        _check_part(part, value, "DATENAME")
        return typed(f"{part.lower().replace('weekday', 'day')}name({_as_timestamp(value)})", target, value)
    found = datepart(part, arguments)
    return typed(f"({found.text})::varchar", target, found)


def datetrunc(part: str, arguments: list[Sql]) -> Sql:
    """DATETRUNC: the answer is of the moment's type; a text is a DATETIME2."""
    value = arguments[0]
    if value.kind in NUMBERS or value.kind == "null":
        raise TSQLError("8116", f"{value.kind} is no argument 2 of DATETRUNC")
    moment = _moment(value, "DATETRUNC")
    if part in ("WEEKDAY", "NANOSECOND"):
        raise TSQLError("9810", f"DATETRUNC knows no {part}")
    _check_part(part, moment, "DATETRUNC")
    if part in ("MILLISECOND", "MICROSECOND") and moment.kind in COUNTED_DATES:
        raise UnsupportedError(f"DATETRUNC of {moment.kind} to {part}")
    target = type_of(moment)
    text = _TRUNCATED[part].format(d=_as_timestamp(moment))
    return typed(f"({text})::{target.stored}", target, moment)


def date_bucket(part: str, arguments: list[Sql]) -> Sql:
    """DATE_BUCKET: where the span begins that holds the moment; the first begins with 1900, or as is said."""
    moment = _moment(arguments[1], "DATE_BUCKET")
    _check_part(part, moment, "DATE_BUCKET")
    size = implicit(arguments[0], INT).constant
    if moment.kind == "time" or not isinstance(size, Decimal) or size < 1:
        raise UnsupportedError("DATE_BUCKET of a time, or of spans whose length is no positive literal")
    origin = "timestamp '1900-01-01'"
    if len(arguments) > 2:
        if part in _MONTHS:
            raise UnsupportedError(f"DATE_BUCKET of {part} from another day than 1 January 1900")
        origin = _as_timestamp(implicit(arguments[2], type_of(moment)))
    target, start = type_of(moment), _as_timestamp(moment)
    if part in _MONTHS:
        text = f"tsql_month_bucket({start}, {_MONTHS[part] * int(size)})"
    elif part in _MICROSECONDS:
        text = f"tsql_bucket({start}, {origin}, {_MICROSECONDS[part] * int(size)})"
    else:
        raise UnsupportedError(f"DATE_BUCKET of {part}")
    return typed(f"({text})::{target.stored}", target, moment)


OF_PARTS: dict[str, Callable[[str, list[Sql]], Sql]] = {
    "DATEADD": dateadd,
    "DATEDIFF": datediff,
    "DATEDIFF_BIG": lambda part, arguments: datediff(part, arguments, is_big=True),
    "DATEPART": datepart,
    "DATENAME": datename,
    "DATETRUNC": datetrunc,
    "DATE_BUCKET": date_bucket,
}
"""Functions whose first argument is a part of a date."""


def _of_date(part: str) -> Callable[[list[Sql]], Sql]:
    return lambda arguments: datepart(part, arguments)


def _eomonth(arguments: list[Sql]) -> Sql:
    moment = _moment(arguments[0], "EOMONTH", DATE)
    if moment.kind not in DATES:
        raise TSQLError("8116", f"{moment.kind} is no argument 1 of EOMONTH")
    if len(arguments) < 2:
        return typed(f"last_day({moment.text})", DATE, moment)
    count = implicit(arguments[1], INT)
    if arguments[1].kind == "null":
        count = typed("0", INT)
    return typed(f"tsql_eomonth({_as_timestamp(moment)}, {count.text})", DATE, moment, count, may_fail=True)


def _from_parts(macro: str, target: Type, n_parts: int) -> Callable[[list[Sql]], Sql]:
    def made(arguments: list[Sql]) -> Sql:
        values = [implicit(value, INT) for value in arguments]
        own = target
        if len(values) > n_parts:
            scale = values[-1].constant
            if not isinstance(scale, Decimal) or not 0 <= scale <= 7:
                raise TSQLError("10760", "the scale is NULL or no literal between 0 and 7")
            own = Type(target.kind, 0, int(scale))
        text = f"{macro}({', '.join(value.text for value in values)})"
        return typed(text, own, *values, may_fail=True)

    return made


def _isdate(arguments: list[Sql]) -> Sql:
    value = arguments[0]
    if value.kind in COUNTED_DATES:
        return typed(f"({value.text} is not null)::integer", INT, value)
    if value.kind in MOMENTS:
        raise TSQLError("8116", f"{value.kind} is no argument 1 of ISDATE")
    if value.kind not in TEXTS:
        raise UnsupportedError(f"ISDATE of {value.kind}")
    read = f"tsql_moment({value.text}, 'datetime', 0, true)"
    return typed(f"({value.text} <> '' and {read} is not null)::integer", INT, value)


def _now(target: Type) -> Callable[[list[Sql]], Sql]:
    return lambda _arguments: now(target)


def now(target: Type) -> Sql:
    """What the server's clock says, in that type."""
    text = "tsql_to_ticks(tsql_now(), false)" if target.kind == "datetime" else "tsql_now()"
    return typed(text, target)


DATE_CALLS: dict[str, Callable[[list[Sql]], Sql]] = {
    "YEAR": _of_date("YEAR"),
    "MONTH": _of_date("MONTH"),
    "DAY": _of_date("DAY"),
    "EOMONTH": _eomonth,
    "DATEFROMPARTS": _from_parts("tsql_date_of_parts", DATE, 3),
    "TIMEFROMPARTS": _from_parts("tsql_time_of_parts", Type("time", 0, 7), 4),
    "DATETIMEFROMPARTS": _from_parts("tsql_datetime_of_parts", DATETIME, 7),
    "DATETIME2FROMPARTS": _from_parts("tsql_datetime2_of_parts", DATETIME2, 7),
    "SMALLDATETIMEFROMPARTS": _from_parts("tsql_smalldatetime_of_parts", Type("smalldatetime"), 5),
    "ISDATE": _isdate,
    "GETDATE": _now(DATETIME),
    "GETUTCDATE": _now(DATETIME),
    "SYSDATETIME": _now(DATETIME2),
    "SYSUTCDATETIME": _now(DATETIME2),
}
