"""Oracle's TO_CHAR and TO_NUMBER of numbers, by a format model or without, under American defaults."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import cache

from glue.dialects.oracle_errors import OracleError
from glue.dialects.oracle_number_models import NumberModel, model_of
from glue.dialects.oracle_words import roman

# NUMBER reaches from 1E-130 to below 1E+126 with up to 40 digits.
_ANY_NUMBER = Context(prec=300, rounding=ROUND_HALF_UP)
_STORED = Context(prec=40, rounding=ROUND_HALF_UP)
_NUMBER = re.compile(r" *([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?) *", re.IGNORECASE | re.ASCII)
_WIDEST_DEFAULT = 40
_WIDEST_MINIMUM = 64


def number_text(value: Decimal, model: str) -> str:
    """TO_CHAR(value, model). Raises OracleError (ORA-01481) for what is no number format."""
    compiled = model_of(model)
    if compiled.kind == "minimum":
        return _minimum_text(value)
    if compiled.kind == "scientific minimum":
        return _scientific(value, None)
    if compiled.kind == "roman":
        return _roman_text(value, compiled)
    if compiled.kind == "hexadecimal":
        return _hexadecimal_text(value, compiled)
    return _fixed_text(value, compiled)


def default_number_text(value: Decimal) -> str:
    """TO_CHAR(value), in 40 characters: all digits where they fit, else rounded, or by a power of ten.

    The power of ten is taken where it keeps more digits: 1.0000000000000000000000000000000000E+40.
    """
    plain = _plain(value)
    if len(plain) <= _WIDEST_DEFAULT:
        return plain
    _, exponent = _digits_and_exponent(value)
    room = _WIDEST_DEFAULT - (value < 0)
    power = f"E{exponent:+03}"
    scientific = _scientific(value, room - 2 - len(power))
    if exponent >= room:
        return scientific
    n_leading_zeros = max(-1 - exponent, 0)
    if n_leading_zeros > len(power):
        return scientific
    rounded = _plain(_rounded(value, max(room - 1 - max(exponent + 1, 0), 0)))
    return rounded if len(rounded) <= _WIDEST_DEFAULT else scientific


def number_of_text(text: str) -> Decimal:
    """The number that a text is taken for: blanks around it, 1e3, .5, 5., +5; ORA-01722 for any other."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        raise OracleError("ORA-01722", f"{text!r} is not a number")
    return _stored(Decimal(found[1]))


def number_of(text: str, model: str | None = None) -> Decimal:
    """TO_NUMBER(text, model). Raises OracleError: ORA-01722 for the text, ORA-01481 for the model."""
    if model is None:
        return number_of_text(text)
    found = _reader(model).fullmatch(text)
    if found is None:
        raise OracleError("ORA-01722", f"{text!r} does not fit the number format {model!r}")
    groups = found.groupdict()
    if groups.get("hexadecimal"):
        return Decimal(int(groups["hexadecimal"], 16))
    whole, fraction, power = (groups.get(name) or "" for name in ("whole", "fraction", "power"))
    number = Decimal(f"{whole.replace(',', '') or 0}{'.' if fraction else ''}{fraction}{power}")
    is_negative = "-" in (groups.get("sign"), groups.get("trailing")) or groups.get("bracket")
    return _stored(number.copy_negate() if is_negative else number)


def _stored(number: Decimal) -> Decimal:
    """The number as NUMBER keeps it; ORA-01426 where it is too large, 0 where it is too small."""
    if number and number.adjusted() > 125:
        raise OracleError("ORA-01426", f"{number} is too large for a NUMBER")
    return _STORED.plus(number) if number and number.adjusted() >= -130 else Decimal(0)


def _rounded(value: Decimal, digits: int) -> Decimal:
    """Half away from zero, at so many digits behind the point."""
    return value.quantize(Decimal(1).scaleb(-digits), context=_ANY_NUMBER)


def _plain(value: Decimal) -> str:
    """All the digits: -.5, 1200, 0."""
    whole, _, fraction = f"{value.copy_abs():f}".partition(".")
    text = whole.lstrip("0") + f".{fraction.rstrip('0')}".removesuffix(".")
    return ("-" if value < 0 else "") + text if text else "0"


def _digits_and_exponent(value: Decimal) -> tuple[str, int]:
    """The digits without zeros at either end, and the power of ten of the first."""
    digits = "".join(str(digit) for digit in value.as_tuple().digits)
    return digits.rstrip("0"), value.adjusted()


def _scientific(value: Decimal, n_decimals: int | None) -> str:
    """One digit, so many decimals (as many as there are with None), and the power of ten."""
    sign = "-" if value < 0 else ""
    if not value:
        return "0E+00" if not n_decimals else f".{'0' * n_decimals}E+00"
    rounded = value if n_decimals is None else Context(n_decimals + 1, ROUND_HALF_UP).plus(value)
    digits, exponent = _digits_and_exponent(rounded)
    decimals = digits[1:] if n_decimals is None else digits[1:].ljust(n_decimals, "0")
    return f"{sign}{digits[0]}{'.' if decimals else ''}{decimals}E{exponent:+03}"


def _minimum_text(value: Decimal) -> str:
    plain = _plain(value)
    return plain if len(plain) <= _WIDEST_MINIMUM else _scientific(value, None)


def _roman_text(value: Decimal, model: NumberModel) -> str:
    number = int(_rounded(value, 0))
    if not 1 <= number <= 3999:
        return "#" * model.width
    text = roman(number) if model.is_upper else roman(number).lower()
    return text.rjust(model.width) if model.is_filled else text


def _hexadecimal_text(value: Decimal, model: NumberModel) -> str:
    number = int(_rounded(value, 0))
    text = f"{number:X}" if model.is_upper else f"{number:x}"
    if number < 0 or len(text) > len(model.whole):
        return "#" * model.width
    if "0" in model.whole:
        text = text.zfill(len(model.whole))
    return text.rjust(model.width) if model.is_filled else text


def _fixed_text(value: Decimal, model: NumberModel) -> str:
    """Sign, currency and digits at the places of the model, `#` where the number does not fit."""
    if model.has_power:
        scientific = _scientific(value.copy_abs(), len(model.fraction))
        return _dressed(scientific.replace(".", model.point or "."), value, model)
    moved = value.copy_abs().scaleb(model.shift, context=_ANY_NUMBER)
    whole, _, fraction = f"{_rounded(moved, len(model.fraction)):f}".partition(".")
    whole = whole.lstrip("0")
    if len(whole) > model.n_whole_digits:
        return "#" * model.width
    if model.is_blank_when_zero and not whole and not fraction.strip("0"):
        return " " * model.width if model.is_filled else ""
    if not whole and not model.fraction and model.n_whole_digits:
        whole = "0"
    if not model.is_filled:
        kept = len(fraction.rstrip("0"))
        fraction = fraction[: max(kept, model.fraction.rfind("0") + 1)]
    digits = _whole_text(whole, model) + model.point + fraction
    return _dressed(".0" if digits == "." and model.fraction else digits, value, model)


def _whole_text(whole: str, model: NumberModel) -> str:
    """The digits before the point, zeros from the model's first 0 on, and its commas among them."""
    is_padded = model.is_blank_when_zero and not whole
    text, unread = "", model.n_whole_digits
    for symbol in model.whole:
        if symbol == ",":
            text += "," if text else ""
            continue
        if unread <= len(whole):
            text += whole[len(whole) - unread]
        elif text or (symbol == "0" and not is_padded):
            text += "0"
        unread -= 1
    return text


def _dressed(digits: str, value: Decimal, model: NumberModel) -> str:
    """The digits with sign and currency about them, filled from the left to the model's width."""
    is_negative = value < 0
    if model.currency_place == "first":
        digits = model.currency + digits
    elif model.currency_place == "last":
        digits += model.currency
    if model.has_dollar:
        digits = "$" + digits
    if model.sign == "PR":
        text = f"<{digits}>" if is_negative else f"{digits} "
    elif model.sign == "MI":
        text = digits + ("-" if is_negative else " ")
    elif model.sign == "S last":
        text = digits + ("-" if is_negative else "+")
    elif model.sign == "S first":
        text = ("-" if is_negative else "+") + digits
    else:
        text = ("-" if is_negative else "") + digits
    return text.rjust(model.width) if model.is_filled else text.rstrip(" ")


@cache
def _reader(model: str) -> re.Pattern[str]:
    """The texts that TO_NUMBER takes by this model."""
    compiled = model_of(model)
    if compiled.kind not in ("fixed", "hexadecimal") or compiled.shift:
        raise OracleError("ORA-01722", f"{model!r} writes numbers but cannot read them")
    return re.compile(compiled.pattern(), re.IGNORECASE | re.ASCII)
