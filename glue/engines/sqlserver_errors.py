"""SQL Server's error numbers, and ODBC's SQLSTATEs, in the words that all engines share.

The numbers are from Microsoft's list of Database Engine events and errors; a few that its editions lack, or
number otherwise, were compared with messages that others quote of servers. notyet: none has raised one here.
"""

from __future__ import annotations

_NUMBERS = {
    "syntax": """
        102 103 105 113 128 137 138 141 150 153 154 155 156 193 198 246 247 252 253 254 255 263 301 303 317
        318 319 321 324 325 336 413 422 460 461 462 463 465 466 467 473 1003 1010 1016 1018 1028 1033 1035
        1038 1039 1042 1047 1060 1062 1086 4147 8155 8173
    """,
    "unknown_table": "208 267 911 1087 1088 7202",
    "unknown_column": "107 126 207 1004 4104",
    "ambiguous": "209 239 265 277 326 327 1011 1012 1013 8154 8156",
    "unknown_function": """
        174 189 195 201 215 216 218 227 243 261 313 342 351 1076 2715 4113 4114 4120 4121 8144
    """,
    "aggregate_misuse": """
        130 144 147 157 158 164 329 1015 1045 4101 4108 4109 4112 8118 8119 8120 8121 8123 8124 8125 8126 8127
        8160 8161 8177 10753
    """,
    "division": "8134",
    "type": """
        151 168 190 206 210 220 232 234 235 236 237 240 241 242 244 245 248 249 256 257 258 260 278 279
        281 288 291 292 293 294 295 296 298 305 306 402 403 421 446 447 448 449 450 451 456 457 459 468
        488 506 517 518 525 529 535 536 537 542 599 1007 1030 1091 2628 3623 4110 4116 4127 4145 4151 8114
        8115 8116 8117 8133 8152 8167 8169 8170 9420 9436 13609
    """,
    "permission": "229 230 262 297 300 916 4060 4064 8189 18456",
    "shape": "104 108 116 145 169 205 408 512 1008 8158 8159",
    "too_complex": "106 123 125 146 191 217 251 440 541 565 573 1056 4074 8618 8619 8621 8623 8631 8632",
    "resource": """
        510 511 530 540 601 701 802 1101 1105 1121 1204 1205 1222 8628 8642 8645 8649 8651 8657 9002
    """,
    "connection": "596 6005",
    "forbidden": "443 3906 10727 10728 10729 10730 10732 10733",
}
_CLASSES = {number: name for name, numbers in _NUMBERS.items() for number in numbers.split()}

_STATES = {
    "07002": "syntax",  # a question mark is a parameter, and none is given
    "42S02": "unknown_table",
    "42S22": "unknown_column",
    "42000": "syntax",
    "22012": "division",
    "28000": "permission",
    "40001": "resource",
    "HY001": "resource",
    "HY008": "cancelled",
    "HYT00": "interrupted",
    "HYT01": "connection",
    "01000": "connection",  # the driver cannot be loaded
}
_STATES_BY_KIND = {"08": "connection", "22": "type", "IM": "connection"}


def class_of(state: str | None, code: str | None) -> str:
    """The class of an error: by SQLSTATE where that tells of the connection or a cancel, else by number."""
    by_state = _STATES.get(state or "") or _STATES_BY_KIND.get((state or "")[:2], "other")
    if by_state in ("connection", "interrupted", "cancelled"):
        return by_state
    return _CLASSES.get(code or "", by_state)
