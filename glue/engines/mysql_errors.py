"""What the error numbers of MySQL and MariaDB mean. Below 3000 both have the same ones; above, each its own.

3000 to 3999 are MySQL's, from 4000 on MariaDB's, 2000 to 2999 the client's, below 1000 those of files.
Both tell a user without EXECUTE that it may not run a function, where there is none of that name: 1370 is
`unknown_function`. So do they of tables in databases that are not the user's: 1142 stays `permission`.
"""

from __future__ import annotations

import re

_CLASSES: dict[str, list[int | range]] = {
    "syntax": [
        *(1064, 1065, 1149, 1221, 1234, 1248, 1327, 1382, 1474, 1487, 1691),
        *(3579, 3583, 3584, 3585, 3586, 3591, 3667),  # windows, table functions
        *(4009, 4010, 4014, 4017, 4022, 4107, 4141, 4172, 4177, 4180),
    ],
    "unknown_table": [1046, 1049, 1051, 1109, 1146, 1347, 1932, 3503, 4091, 4092],
    "unknown_column": [1054, 1247],
    "ambiguous": [1052, 1060, 1066, 4004],
    "unknown_function": [1106, 1122, 1128, 1305, 1370, 1630, 4162],
    "type": [
        *(1107, 1108, 1115, 1138, 1139, 1210, 1253, 1264, 1265, 1267, 1270, 1271, 1273, 1292, 1298, 1300),
        *(1318, 1366, 1367, 1406, 1411, 1416, 1425, 1426, 1427, 1439, 1441, 1470, 1525, 1578, 1582, 1583),
        *(1584, 1649, 1690, 1916, 1917, 1918, 1977, 3020, 3033, 3034, 3037, 3513, 3514, 3516, 3548, 3601),
        *(range(3045, 3054), range(3140, 3159), 3165, 3587, 3588, 3589, 3590, 3596, 3665, 3666, 3669),
        *(range(3684, 3698), range(4018, 4022), 4024, range(4035, 4052), 4076, 4078, 4079),
        *(4101, 4103, 4104, 4161, 4178, 4179),
    ],
    "aggregate_misuse": [
        *(1055, 1056, 1057, 1111, 1140, 1463, 3028, 3029, 3066, 3087, 3088, 3575, 3592, 3593, 3594, 3595),
        *(3602, 4015, 4016, 4074),
    ],
    "division": [1365],
    "permission": [
        *(1044, 1045, 1095, 1129, 1130, 1142, 1143, 1227, 1290, 1345, 1449, 1698, 1820, 1862, 1979),
        *(3118, 3159, 3552, 3554, 3555, 3556, 3557, 3566, 3620, 4150, 4151),
    ],
    "shape": [
        *(1058, 1136, 1222, 1241, 1242, 1245, 1250, 1353, 3065, 3573, 3574, 3576, 3577),
        *(4002, 4005, 4006, 4007, 4008, 4099, 4100),
    ],
    "too_complex": [
        *(1059, 1116, 1117, 1118, 1119, 1153, 1436, 1473, 3170, 3186, 3670, 3698, 3700, 4003),
        4026,
    ],
    "resource": [
        *(range(1, 1000), 1021, 1023, 1024, 1026, 1028, 1030, 1034, 1037, 1038, 1041, 1104, 1114, 1135),
        *(1162, 1205, 1206, 1213, 1226, 1256, 1257, 1301, 1637, 1878, 3015, 3044, 3058, 3572, 3636, 3675),
        *(3699, 4139),
    ],
    "connection": [
        *(1040, 1042, 1043, 1047, 1053, 1077, 1079, 1080, 1152, range(1156, 1162), 1184, 1203, 1835),
        *(range(2000, 3000), 3032, 3168),
    ],
    "cancelled": [1317, 1927, 3169],
    "interrupted": [1969, 3024],
    "forbidden": [1207, 1792, 1836, 1874],
}


def _by_number() -> dict[int, str]:
    found: dict[int, str] = {}
    for name, numbers in _CLASSES.items():
        for number in numbers:
            for each in number if isinstance(number, range) else (number,):
                found.setdefault(each, name)
    return found


_BY_NUMBER = _by_number()

_NO_SUCH_PLACE = re.compile(r"Unknown column '\d+' in '(order|group)", re.IGNORECASE)


def error_class(number: int, message: str) -> str:
    """The class of an error; `other` where it has none."""
    if number == 1054 and _NO_SUCH_PLACE.match(message):
        return "shape"
    if number == 1064 and message.startswith("memory exhausted"):
        return "too_complex"
    return _BY_NUMBER.get(number, "other")
