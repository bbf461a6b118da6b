"""Numbers of DuckDB as Oracle's TO_CHAR writes and TO_NUMBER reads them, where the digits are known."""

from __future__ import annotations

from decimal import Context, Decimal

from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle_numbers import default_number_text, number_of, number_text

_KNOWN = Context(prec=15)
_FEW_DIGITS = 9
_WHOLE_DIGITS, _FRACTION_DIGITS = 28, 10


def text_of_number(digits: str, model: str | None, has_no_model: bool, is_double: bool) -> str | None:
    """TO_CHAR of a number. A double's 16th digit is noise: where it would be seen, the text is unsupported.

    A double that is short in 15 digits (0.30000000000000004) is taken for the short number.
    """
    if model is None and not has_no_model:
        return None
    number = Decimal(digits)
    if not number.is_finite():
        raise UnsupportedError(f"the text of {digits}")
    if not is_double:
        return _written(number, model)
    known = _KNOWN.plus(number)
    text = _written(known, model)
    if text != _written(number, model) and len(known.normalize().as_tuple().digits) > _FEW_DIGITS:
        raise UnsupportedError(f"the last digits of {digits}, which has passed through binary arithmetic")
    return text


def _written(number: Decimal, model: str | None) -> str:
    return default_number_text(number) if model is None else number_text(number, model)


def number_digits(text: str, model: str | None, has_no_model: bool) -> str | None:
    """TO_NUMBER of a text, as digits that a DECIMAL(38, 10) holds; unsupported where it cannot."""
    if model is None and not has_no_model:
        return None
    number = number_of(text, model)
    digits = f"{number:f}"
    fraction = digits.partition(".")[2].rstrip("0")
    if number and (number.adjusted() >= _WHOLE_DIGITS or len(fraction) > _FRACTION_DIGITS):
        raise UnsupportedError(f"the number {digits}, of more digits than are kept")
    return digits
