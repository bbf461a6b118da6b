"""A number format model taken apart (SQL Language Reference, Format Models), for texts and for reading."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from glue.dialects.oracle_errors import OracleError

# What America's session writes for L, U and C, and how wide their places are.
_CURRENCIES = {"L": ("$", 10), "U": ("$", 10), "C": ("USD", 7)}

_SYMBOL = re.compile(r"FM|EEEE|MI|PR|RN|TM[9E]?|[,.$09BCDGLSUVX]", re.IGNORECASE)
_EXACT_KINDS = {"TM": "minimum", "TM9": "minimum", "TME": "scientific minimum", "RN": "roman"}


@dataclass
class NumberModel:
    """What a model asks for; `whole` and `fraction` are its 9, 0 and comma on either side of the point."""

    kind: str = "fixed"
    is_filled: bool = True
    is_upper: bool = True
    is_blank_when_zero: bool = False
    has_dollar: bool = False
    has_power: bool = False
    sign: str = ""
    currency: str = ""
    currency_width: int = 0
    currency_place: str = ""
    whole: str = ""
    fraction: str = ""
    point: str = ""
    shift: int = 0
    width: int = 0

    @property
    def n_whole_digits(self) -> int:
        return len(self.whole) - self.whole.count(",")

    def pattern(self) -> str:
        """The regular expression of the texts that TO_NUMBER reads by this model."""
        if self.kind == "hexadecimal":
            least = len(self.whole) if "0" in self.whole else 1
            return f" *(?P<hexadecimal>[0-9A-F]{{{least},{len(self.whole)}}})"
        currency = re.escape(self.currency)
        point = re.escape(self.point) + (r"|\." if self.currency_place == "point" else "")
        fraction = f"(?:(?:{point})(?P<fraction>[0-9]{{0,{len(self.fraction)}}}))?"
        amount = (
            (re.escape("$") if self.has_dollar else "")
            + (currency if self.currency_place == "first" else "")
            + f"(?P<whole>{self._whole_pattern()})"
            + (fraction if self.point else "[.,]*")
            + (r"(?P<power>E[+-]?[0-9]+)" if self.has_power else "")
            + (currency if self.currency_place == "last" else "")
        )
        digit_ahead = "(?=[^0-9]*[0-9])"
        if self.sign == "PR":
            text = f"(?P<bracket><)?{digit_ahead}{amount}(?(bracket)>| ?)"
        elif self.sign == "MI":
            text = f"{digit_ahead}{amount}(?P<trailing>[- ]{'' if self.is_filled else '?'})"
        elif self.sign == "S last":
            text = f"{digit_ahead}{amount}(?P<trailing>[+-])"
        elif self.sign == "S first":
            text = f"(?P<sign>[+-]){digit_ahead}{amount}"
        else:
            text = f"(?P<sign>-)?{digit_ahead}{amount}"
        return f" *{text}" + ("| +" if self.is_blank_when_zero else "")

    def _whole_pattern(self) -> str:
        """Digits from the right, none missing after the model's first 0, and commas where the model has them.

        A model without a comma reads past those of the text.
        """
        if self.has_power:
            return "[0-9]?"
        digit = "[0-9]" if "," in self.whole else "[0-9],*"
        pattern, must = "", False
        for symbol in self.whole:
            must |= symbol == "0"
            piece = pattern + ("," if symbol == "," else digit)
            pattern = piece if must else f"(?:{piece})?"
        return pattern


@cache
def model_of(model: str) -> NumberModel:
    """The model compiled. Raises OracleError ORA-01481 where it is none."""
    symbols = [symbol.upper() for symbol in _SYMBOL.findall(model)]
    if not symbols or sum(map(len, symbols)) != len(model):
        raise _refused(model)
    compiled = NumberModel(is_filled=symbols[0] != "FM")
    if not compiled.is_filled:
        symbols = symbols[1:]
    first_letter = model[0 if compiled.is_filled else 2 :].lstrip("0")[:1]
    compiled.is_upper = first_letter.isupper()
    if symbols and symbols[0] in _EXACT_KINDS:
        if len(symbols) > 1:
            raise _refused(model)
        compiled.kind = _EXACT_KINDS[symbols[0]]
        compiled.width = 15
    elif "X" in symbols:
        compiled.kind = "hexadecimal"
        compiled.whole = "".join(symbols)
        compiled.width = len(compiled.whole) + 1
        if not re.fullmatch("0*X+", compiled.whole):
            raise _refused(model)
    else:
        _compile_fixed(compiled, symbols, model)
    return compiled


def _refused(model: str) -> OracleError:
    return OracleError("ORA-01481", f"{model!r} is not a number format")


def _compile_fixed(compiled: NumberModel, symbols: list[str], model: str) -> None:
    """The places of a fixed-point or scientific model, in its one valid order."""
    symbols = _without_sign(compiled, symbols)
    has_local_marks, has_fixed_marks = bool({"D", "G"} & set(symbols)), bool({",", "."} & set(symbols))
    is_refused = not symbols or (has_local_marks and has_fixed_marks)
    is_scaled = False
    for place, symbol in enumerate(symbols):
        if compiled.has_power:
            is_refused = True
        elif symbol in "09":
            if compiled.point:
                compiled.fraction += symbol
            else:
                compiled.whole += symbol
                compiled.shift += is_scaled
        elif symbol in ",G":
            is_refused |= not compiled.whole or bool(compiled.point) or is_scaled
            compiled.whole += ","
        elif symbol in ".D":
            is_refused |= bool(compiled.point) or is_scaled
            compiled.point = "."
        elif symbol == "V":
            is_refused |= is_scaled or bool(compiled.point)
            is_scaled = True
        elif symbol == "EEEE":
            is_refused |= "," in compiled.whole or is_scaled or not compiled.whole
            compiled.has_power = True
        elif symbol == "$":
            is_refused |= compiled.has_dollar or bool(compiled.currency)
            compiled.has_dollar = True
        elif symbol == "B":
            is_refused |= compiled.is_blank_when_zero
            compiled.is_blank_when_zero = True
        elif symbol in _CURRENCIES:
            is_refused |= compiled.has_dollar or bool(compiled.currency)
            is_refused |= not _places_currency(compiled, symbol, place, len(symbols), is_scaled)
        else:
            is_refused = True
    if is_refused:
        raise _refused(model)
    compiled.width = _width(compiled)


def _without_sign(compiled: NumberModel, symbols: list[str]) -> list[str]:
    """The symbols without the S, MI or PR at an end; one elsewhere is refused with the rest."""
    if symbols and symbols[0] == "S":
        compiled.sign = "S first"
        return symbols[1:]
    if symbols and symbols[-1] in ("S", "MI", "PR"):
        compiled.sign = "S last" if symbols[-1] == "S" else symbols[-1]
        return symbols[:-1]
    return symbols


def _places_currency(compiled: NumberModel, symbol: str, place: int, n_symbols: int, is_scaled: bool) -> bool:
    """Whether the currency may stand here: first, last, or between digits as the point itself."""
    compiled.currency, compiled.currency_width = _CURRENCIES[symbol]
    if place == 0:
        compiled.currency_place = "first"
    elif place == n_symbols - 1:
        compiled.currency_place = "last"
    else:
        compiled.currency_place = "point"
        is_free = not compiled.point and not is_scaled and "," not in compiled.whole
        compiled.point = compiled.currency
        return is_free
    return True


def _width(compiled: NumberModel) -> int:
    """How many characters a filled text has."""
    whole = 1 if compiled.has_power else len(compiled.whole)
    point = 0 if compiled.currency_place == "point" else len(compiled.point)
    sign = 2 if compiled.sign == "PR" else 1
    marks = compiled.currency_width + compiled.has_dollar + 5 * compiled.has_power
    return sign + whole + point + len(compiled.fraction) + marks
