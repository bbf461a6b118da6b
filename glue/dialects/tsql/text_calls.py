"""SQL Server's functions of texts in DuckDB's SQL. By String functions (Transact-SQL)."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from glue.dialects.catalog import quoted_text
from glue.dialects.errors import UnsupportedError
from glue.dialects.tsql.collations import one_collation
from glue.dialects.tsql.conversions import as_text, implicit
from glue.dialects.tsql.likeness import place_of_pattern
from glue.dialects.tsql.types import (
    BIGINT,
    BYTES,
    FLOAT,
    INT,
    MAX_LENGTH,
    MOMENTS,
    NATIONAL,
    NUMBERS,
    TEXTS,
    text_type,
    typed,
)
from glue.dialects.tsql_errors import TSQLError
from glue.dialects.tsql_patterns import quoted_letter
from glue.dialects.values import Sql

_LONGEST = 8000
_BYTES_OF = {
    "tinyint": 1, "smallint": 2, "int": 4, "bigint": 8, "bit": 1, "real": 4, "float": 8, "date": 3,
    "smalldatetime": 4, "datetime": 8, "smallmoney": 4, "money": 8, "uniqueidentifier": 16,
}  # fmt: skip
_DECIMAL_BYTES = ((9, 5), (19, 9), (28, 13), (38, 17))
_QUOTES = {"[": "[]", "]": "[]", "'": "''", '"': '""', "(": "()", ")": "()", "<": "<>", ">": "<>", "{": "{}",
           "}": "{}", "`": "``"}  # fmt: skip
_LONGEST_NAME = 128


def text_like(text: str, source: Sql, length: int, *of: Sql, may_fail: bool = False) -> Sql:
    """A text that is made of `source`: national where it is, and of its collation."""
    kind = "nvarchar" if source.kind in NATIONAL else "varchar"
    found = typed(text, text_type(kind, length), source, *of, may_fail=may_fail)
    found.collation = source.collation
    return found


def strict_text(value: Sql, name: str, place: int = 1) -> Sql:
    """A text, where the function takes nothing else. Raises 8116."""
    if value.kind not in TEXTS and value.kind != "null":
        raise TSQLError("8116", f"{value.kind} is no argument {place} of {name}")
    return as_text(value)


def whole(value: Sql) -> Sql:
    """An argument that is a whole number."""
    return implicit(value, INT if value.kind != "bigint" else BIGINT)


def knows_case(collation: str) -> bool:
    """Do capitals count?"""
    return collation in ("BIN", "CS_AS", "CS_AI")


def folded(value: Sql, collation: str) -> str:
    """The text with its capitals made small, where they do not count."""
    if collation.endswith("AI"):
        raise UnsupportedError("a function by a collation that knows no accents")
    if knows_case(collation):
        return value.text
    if isinstance(value.constant, str):
        return quoted_text(value.constant.lower())
    return f"lower({value.text})"


def _len(arguments: list[Sql]) -> Sql:
    value = as_text(arguments[0])
    target = BIGINT if value.precision == MAX_LENGTH else INT
    return typed(f"{_letters(value, is_trimmed=True)}::{target.stored}", target, value)


def _letters(value: Sql, is_trimmed: bool) -> str:
    """How many letters a text has; those beyond 16 bits count twice."""
    text = f"rtrim({value.text}, ' ')" if is_trimmed else value.text
    return f"tsql_units({text})" if value.kind in NATIONAL else f"length({text})"


def _datalength(arguments: list[Sql]) -> Sql:
    value = arguments[0]
    if value.kind in TEXTS:
        factor = " * 2" if value.kind in NATIONAL else ""
        target = BIGINT if value.precision == MAX_LENGTH else INT
        return typed(f"({_letters(value, is_trimmed=False)}{factor})::{target.stored}", target, value)
    if value.kind in BYTES:
        return typed(f"octet_length({value.text})::integer", INT, value)
    size = _BYTES_OF.get(value.kind)
    if value.kind == "decimal":
        size = next(n for most, n in _DECIMAL_BYTES if value.precision <= most)
    if size is None:
        raise UnsupportedError(f"DATALENGTH of {value.kind}")
    return typed(f"(case when {value.text} is not null then {size} end)", INT, value)


def _charindex(arguments: list[Sql]) -> Sql:
    needle, text = as_text(arguments[0]), as_text(arguments[1])
    collation = one_collation([needle, text])
    words = f"{folded(needle, collation)}, {folded(text, collation)}"
    if len(arguments) > 2:
        start = whole(arguments[2])
        return typed(f"tsql_charindex_from({words}, {start.text})::integer", INT, needle, text, start)
    return typed(f"tsql_charindex({words})::integer", INT, needle, text)


def _patindex(arguments: list[Sql]) -> Sql:
    pattern, text = as_text(arguments[0]), strict_text(arguments[1], "PATINDEX", 2)
    found = place_of_pattern(pattern, text, one_collation([pattern, text]))
    return typed(f"{found}::integer", INT, pattern, text)


def _substring(arguments: list[Sql]) -> Sql:
    text = strict_text(arguments[0], "SUBSTRING")
    start, length = whole(arguments[1]), whole(arguments[2])
    a, n = start.constant, length.constant
    if isinstance(n, Decimal) and n >= 0:
        kept = min(text.precision, int(n))
        if isinstance(a, Decimal) and a >= 1:
            return text_like(f"substr({text.text}, {a}, {n})", text, kept)
        made = f"tsql_substring({text.text}, {start.text}, {n})"
        return text_like(made, text, kept, start)
    made = f"tsql_substring({text.text}, {start.text}, tsql_length({length.text}, '537'))"
    return text_like(made, text, text.precision, start, may_fail=True)


def _end(function: str, code: str) -> Callable[[list[Sql]], Sql]:
    def end(arguments: list[Sql]) -> Sql:
        text, length = as_text(arguments[0]), whole(arguments[1])
        n = length.constant
        if isinstance(n, Decimal) and n >= 0:
            return text_like(f"{function}({text.text}, {n})", text, min(text.precision, int(n)))
        made = f"{function}({text.text}, tsql_length({length.text}, '{code}'))"
        return text_like(made, text, text.precision, may_fail=True)

    return end


def _stuff(arguments: list[Sql]) -> Sql:
    text, put = strict_text(arguments[0], "STUFF"), as_text(arguments[3])
    start, length = whole(arguments[1]), whole(arguments[2])
    made = f"tsql_stuff({text.text}, {start.text}, {length.text}, {put.text})"
    source = put if put.kind in NATIONAL else text
    return text_like(made, source, _sum_of(text, put), text, start, length, put)


def _sum_of(*texts: Sql) -> int:
    """How long a text of these may be."""
    lengths = [text.precision for text in texts]
    return MAX_LENGTH if MAX_LENGTH in lengths else sum(lengths)


def _bounded(text: str, source: Sql) -> str:
    """Cut off where VARCHAR ends."""
    most = _LONGEST // (2 if source.kind in NATIONAL else 1)
    return text if source.precision == MAX_LENGTH else f"left({text}, {most})"


def _replicate(arguments: list[Sql]) -> Sql:
    text, count = as_text(arguments[0]), whole(arguments[1])
    n = count.constant
    if text.precision == MAX_LENGTH:
        made = f"tsql_replicate_large({text.text}, {count.text})"
        return text_like(made, text, MAX_LENGTH, count, may_fail=True)
    length = _LONGEST
    made = f"tsql_replicate({text.text}, {count.text})"
    if isinstance(n, Decimal) and 0 <= n <= _LONGEST:
        length = min(int(n) * text.precision, _LONGEST)
        if int(n) * text.precision <= _LONGEST:
            made = f"repeat({text.text}, {n})"
    return text_like(_bounded(made, text), text, length, count)


def _space(arguments: list[Sql]) -> Sql:
    blank = Sql("' '", "varchar", 1)
    return _replicate([blank, arguments[0]])


def _replace(arguments: list[Sql]) -> Sql:
    text, old, new = (as_text(one) for one in arguments)
    collation = one_collation([text, old, new])
    if collation.endswith("AI"):
        raise UnsupportedError("REPLACE by a collation that knows no accents")
    constant = old.constant
    if knows_case(collation) or (isinstance(constant, str) and constant.lower() == constant.upper()):
        made = f"replace({text.text}, {old.text}, {new.text})"
    elif isinstance(constant, str):
        expression = quoted_text(f"(?i){''.join(map(quoted_letter, constant))}")
        made = f"regexp_replace({text.text}, {expression}, {_as_rewrite(new)}, 'g')"
    else:
        made = f"tsql_replace({text.text}, {old.text}, {new.text})"
    length = MAX_LENGTH if text.precision == MAX_LENGTH else _LONGEST
    source = next((one for one in (text, old, new) if one.kind in NATIONAL), text)
    return text_like(_bounded(made, text), source, length, text, old, new)


def _as_rewrite(new: Sql) -> str:
    """What is put in by a regular expression: a backslash is a letter."""
    if isinstance(new.constant, str):
        return quoted_text(new.constant.replace("\\", "\\\\"))
    return f"replace({new.text}, '\\', '\\\\')"


def _translate(arguments: list[Sql]) -> Sql:
    text, old, new = (as_text(one) for one in arguments)
    if not isinstance(old.constant, str) or not isinstance(new.constant, str):
        raise UnsupportedError("TRANSLATE of letters that are no literals")
    if len(old.constant) != len(new.constant):
        raise TSQLError("9828", "the letters of TRANSLATE and those for them differ in number")
    if len(set(old.constant.lower())) < len(old.constant):
        raise UnsupportedError("TRANSLATE of one letter twice")
    made = f"translate({text.text}, {old.text}, {new.text})"
    if not knows_case(one_collation([text, old, new])):
        made = _surely(made, text, old.constant)
    return text_like(made, new if new.kind in NATIONAL else text, text.precision, text, may_fail=True)


def _surely(made: str, text: Sql, letters: str) -> str:
    """What is made of a text by single letters: whether capitals count there the manual does not say."""
    others = "".join(letter.swapcase() for letter in letters if letter.swapcase() not in (letter, *letters))
    return f"tsql_without({text.text}, {quoted_text(others)}, {made})" if others else made


def trimmed(side: str | None, text: Sql, letters: Sql | None) -> Sql:
    """TRIM, LTRIM and RTRIM: blanks, or any of the letters."""
    function = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(side or "", "trim")
    text = as_text(text)
    if letters is None:
        return text_like(f"{function}({text.text}, ' ')", text, text.precision)
    letters = as_text(letters)
    if not isinstance(letters.constant, str):
        raise UnsupportedError(f"{function.upper()} of letters that are no literal")
    made = f"{function}({text.text}, {letters.text})"
    if not knows_case(one_collation([text, letters])):
        made = _surely(made, text, letters.constant)
    return text_like(made, text, text.precision, may_fail=True)


def _trim_side(side: str) -> Callable[[list[Sql]], Sql]:
    return lambda arguments: trimmed(side, arguments[0], arguments[1] if len(arguments) > 1 else None)


def _same_length(function: str) -> Callable[[list[Sql]], Sql]:
    def made(arguments: list[Sql]) -> Sql:
        text = as_text(arguments[0])
        return text_like(f"{function}({text.text})", text, text.precision)

    return made


def _concat(arguments: list[Sql]) -> Sql:
    texts = [as_text(one) for one in arguments]
    source = next((one for one in texts if one.kind in NATIONAL), texts[0])
    made = f"concat({', '.join(text.text for text in texts)})"
    found = text_like(_bounded_sum(made, source, texts), source, _sum_of(*texts), *texts)
    found.collation = one_collation(texts)
    return found


def _bounded_sum(made: str, source: Sql, texts: list[Sql]) -> str:
    most = _LONGEST // (2 if source.kind in NATIONAL else 1)
    return f"left({made}, {most})" if most < _sum_of(*texts) < MAX_LENGTH else made


def _concat_ws(arguments: list[Sql]) -> Sql:
    texts = [as_text(one) for one in arguments]
    source = next((one for one in texts if one.kind in NATIONAL), texts[0])
    rest = ", ".join(text.text for text in texts[1:])
    made = f"concat_ws(coalesce({texts[0].text}, ''), {rest})"
    length = _sum_of(*texts[1:], *[texts[0]] * (len(texts) - 2))
    found = text_like(made, source, length, *texts)
    found.collation = one_collation(texts)
    return found


def _quotename(arguments: list[Sql]) -> Sql:
    text = as_text(arguments[0])
    quote = as_text(arguments[1]).constant if len(arguments) > 1 else "["
    if not isinstance(quote, str):
        raise UnsupportedError("QUOTENAME with a quote that is no literal")
    target = text_type("nvarchar", 258)
    if len(quote) != 1 or quote not in _QUOTES:
        return typed("null::varchar", target, text)
    opening, closing = (quoted_text(one) for one in _QUOTES[quote])
    doubled = quoted_text(_QUOTES[quote][1] * 2)
    made = f"({opening} || replace({text.text}, {closing}, {doubled}) || {closing})"
    return typed(f"(case when length({text.text}) <= {_LONGEST_NAME} then {made} end)", target, text)


def _ascii(arguments: list[Sql]) -> Sql:
    text = as_text(arguments[0])
    return typed(f"tsql_ascii({text.text})", INT, text, may_fail=True)


def _unicode(arguments: list[Sql]) -> Sql:
    text = as_text(arguments[0])
    return typed(f"(case when {text.text} <> '' then unicode({text.text}) end)", INT, text)


def _char(arguments: list[Sql]) -> Sql:
    number = whole(arguments[0])
    return typed(f"tsql_char({number.text})", text_type("char", 1), number, may_fail=True)


def _nchar(arguments: list[Sql]) -> Sql:
    number = whole(arguments[0])
    made = f"(case when {number.text} between 1 and 65535 then chr(({number.text})::integer) end)"
    return typed(made, text_type("nchar", 1), number)


def _str(arguments: list[Sql]) -> Sql:
    number = implicit(arguments[0], FLOAT)
    length = whole(arguments[1]) if len(arguments) > 1 else Sql("10", "int", constant=Decimal(10))
    decimals = whole(arguments[2]) if len(arguments) > 2 else Sql("0", "int", constant=Decimal(0))
    size = int(length.constant) if isinstance(length.constant, Decimal) else _LONGEST
    made = f"tsql_str({number.text}, {length.text}, {decimals.text})"
    return typed(made, text_type("varchar", size), number, length, decimals)


def _isnumeric(arguments: list[Sql]) -> Sql:
    value = arguments[0]
    if value.kind in NUMBERS:
        return typed(f"({value.text} is not null)::integer", INT, value)
    if value.kind in MOMENTS:
        return typed("0::integer", INT, value)
    return typed(f"tsql_isnumeric({as_text(value).text})", INT, value)


def _soundex(arguments: list[Sql]) -> Sql:
    text = as_text(arguments[0])
    return typed(f"tsql_soundex({text.text})", text_type("varchar", 4), text, may_fail=True)


def _difference(arguments: list[Sql]) -> Sql:
    first, second = as_text(arguments[0]), as_text(arguments[1])
    return typed(f"tsql_difference({first.text}, {second.text})::integer", INT, may_fail=True)


TEXT_CALLS: dict[str, Callable[[list[Sql]], Sql]] = {
    "LEN": _len,
    "DATALENGTH": _datalength,
    "CHARINDEX": _charindex,
    "PATINDEX": _patindex,
    "SUBSTRING": _substring,
    "LEFT": _end("left", "537"),
    "RIGHT": _end("right", "536"),
    "STUFF": _stuff,
    "REPLICATE": _replicate,
    "SPACE": _space,
    "REPLACE": _replace,
    "TRANSLATE": _translate,
    "LTRIM": _trim_side("LEADING"),
    "RTRIM": _trim_side("TRAILING"),
    "UPPER": _same_length("upper"),
    "LOWER": _same_length("lower"),
    "REVERSE": _same_length("reverse"),
    "CONCAT": _concat,
    "CONCAT_WS": _concat_ws,
    "QUOTENAME": _quotename,
    "ASCII": _ascii,
    "UNICODE": _unicode,
    "CHAR": _char,
    "NCHAR": _nchar,
    "STR": _str,
    "SOUNDEX": _soundex,
    "DIFFERENCE": _difference,
    "ISNUMERIC": _isnumeric,
}
