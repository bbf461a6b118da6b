"""Oracle's error numbers, and its driver's, in the words that all engines share.

Three quarters of the numbers were compared with their messages, as open programs quote Oracle's; the others
are from memory, and named below. notyet: no server has raised one here.
"""

from __future__ import annotations

_NUMBERS = {
    "syntax": """
        900 901 903 905 906 907 908 911 917 920 921 922 923 924 925 926 927 928 929 930 931 933 936 946
        969 970 971 972 996 998 1008 1416 1417 1468 1719 1729 1740 1742 1756 1786 1788 3039 3048 3049 3050
        22818 25154 25155 25156 30484 30485 32033 32034 32035
    """,
    "unknown_table": "942 964 980 1775 2019 2289 4043",
    "unknown_column": "904",
    "ambiguous": "918 960",
    "unknown_function": "909 938 939 6553 6576",
    "aggregate_misuse": "934 935 937 978 979 30482 30483",
    "division": "1476",
    "type": """
        902 910 932 997 1401 1406 1411 1424 1425 1426 1428 1438 1457 1465 1481 1482 1489 1722 1790 1801 1810
        1820 1821 1830 1839 1840 1841 1843 1847 1849 1850 1851 1852 1853 1855 1858 1861 1867 1873 1878 1881
        1882 1898 6502 12704 22835 30077 30078 31011 40441 40587
    """,
    "permission": "1017 1031 1045 28000 28001 41900",
    "shape": "913 947 1427 1785 1789 1791",
    "too_complex": "36 962 1436 1792 1795 32044",
    "resource": """
        18 20 40 54 60 1000 1555 1652 1653 1654 2391 2392 2393 2394 2395 4030 4031 4036 12751 30006 30009
    """,
    "connection": """
        22 28 31 45 600 603 1012 1033 1034 1041 1089 1090 1092 2396 2399 3113 3114 3122 3135 3136 3156 12153
        12500 12505 12514 12516 12519 12520 12528 12537 12541 12545 12547 12570 12571 12583
    """,
    "cancelled": "1013 3111",
    "forbidden": "1456 6519 14551 14552",
}
# From memory, not looked up:
# 40 1000 1008 1013 1033 1034 1090 1401 1406 1411 1417 1438 1456 1457 1482 1652 1653 1654 1729 1742 1775 1792
# 1795 2391 2392 2393 2394 2395 2399 3111 3136 4030 4031 4043 6576 12516 12519 12520 12528 12541 12571 14551
# 14552 22835 25155 28000 28001 30077 31011 32035 40587
_CLASSES = {int(number): name for name, numbers in _NUMBERS.items() for number in numbers.split()}

_DRIVER = {
    "DPY-1001": "connection",
    "DPY-1003": "not_a_read",
    "DPY-2041": "syntax",  # a quote is not closed
    "DPY-2042": "syntax",
    "DPY-4007": "unsupported_value",
    "DPY-4009": "syntax",  # :name is a parameter, and none is given
    "DPY-4010": "syntax",
    "DPY-4011": "connection",
    "DPY-4024": "interrupted",
    "DPY-4033": "connection",
}
_DRIVER_BY_KIND = {"DPY-3": "unsupported_value", "DPY-5": "connection", "DPY-6": "connection"}
"""Not supported by the thin driver; the protocol went astray; no connection."""


def class_of(number: int, full_code: str) -> str:
    """The class of an error by the server's number, or by the driver's code where the server said nothing."""
    if number:
        return _CLASSES.get(number) or _DRIVER.get(full_code, "other")
    return _DRIVER.get(full_code) or _DRIVER_BY_KIND.get(full_code[:5], "other")
