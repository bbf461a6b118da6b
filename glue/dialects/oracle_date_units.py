"""The units that Oracle's TRUNC and ROUND of a date know (SQL Language Reference, Date Functions)."""

from __future__ import annotations

from glue.dialects.oracle_date_models import parts_of
from glue.dialects.oracle_errors import OracleError

# Each unit, and the elements of a date format that name it.
_UNITS = {
    "CC": "CC SCC",
    "YYYY": "SYYYY YYYY YEAR SYEAR YYY YY Y",
    "IYYY": "IYYY IYY IY I",
    "Q": "Q",
    "MM": "MONTH MON MM RM",
    "WW": "WW",
    "IW": "IW",
    "W": "W",
    "DD": "DDD DD J",
    "DAY": "DAY DY D",
    "HH": "HH HH12 HH24",
    "MI": "MI",
}
_UNIT_OF = {name: unit for unit, names in _UNITS.items() for name in names.split()}


def date_unit(model: str) -> str:
    """The unit by the first of its names that is in use here.

    Raises OracleError: ORA-01898 for several elements, ORA-01899 for one that names no unit, ORA-01821
    for what is no element.
    """
    if unit := _UNIT_OF.get(model.upper()):
        return unit
    if len(parts_of(model, True)) > 1:
        raise OracleError("ORA-01898", f"{model!r} has too many elements to truncate or round to")
    raise OracleError("ORA-01899", f"{model!r} is nothing to truncate or round to")
