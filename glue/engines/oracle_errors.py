"""Oracle's error numbers, and its driver's, in the words that all engines share.

The numbers were compared with their messages, as Oracle's published lists have them or open programs quote
them; the few that were not are named below. notyet: no server has raised one here. 902, a type that does not
exist, is `unknown_function`, as it is with PostgreSQL and SQL Server.
"""

from __future__ import annotations

_NUMBERS = {
    "syntax": """
        900 901 903 905 906 907 908 911 917 920 921 922 923 924 925 926 927 928 929 930 931 933 936 946
        969 970 971 972 976 984 996 998 1008 1416 1417 1437 1468 1469 1472 1473 1474 1705 1719 1729 1740
        1742 1744 1745 1747 1756 1786 1787 1788 1796 1797 1799 2287 3039 3045 3048 3049 3050 3405 22818
        25154 25155 25156 30002 30003 30007 30008 30089 30484 30485 30563 32031 32033 32034 32035 32039
        32040 32041 32042 32043 32486 32487 32488 32490 40454 56900 56901 62500 62507 62509 62510 62511
        62519 62550
    """,
    "unknown_table": "942 964 980 1775 2019 2201 2289 4043 4044",
    "unknown_column": "904 1445 1446",
    "ambiguous": "918 960",
    "unknown_function": "902 909 919 938 939 6553 6576",
    "aggregate_misuse": "934 935 937 978 979 30481 30482 30483 30486 30487 56902",
    "division": "1476",
    "type": """
        910 932 997 1401 1406 1410 1411 1424 1425 1426 1428 1438 1457 1465 1481 1482 1489 1722 1760 1790
        1801 1810 1811 1812 1813 1814 1815 1816 1817 1818 1819 1820 1821 1830 1831 1832 1833 1834 1835
        1836 1837 1838 1839 1840 1841 1842 1843 1846 1847 1848 1849 1850 1851 1852 1853 1854 1855 1856
        1857 1858 1861 1867 1870 1873 1874 1875 1878 1881 1882 1898 3411 6502 12704 12725 12726 12727
        12728 12729 12730 12731 12733 12750 22835 22849 22905 22907 22998 25137 30004 30076 30077 30078
        30081 30084 30086 30088 31011 40441 40442 40449 40456 40459 40462 40470 40478 40587 40597 40796
        51803 51804 61801 61803
    """,
    "permission": "1017 1031 1045 24247 28000 28001 41900",
    "shape": "913 947 1427 1785 1789 1791 32038",
    "too_complex": "36 962 1436 1467 1792 1795 32044 32045 62518",
    "resource": """
        18 20 40 54 60 1000 1555 1652 1653 1654 2391 2392 2393 2394 2395 4030 4031 4036 6580 12751 22813
        30006 30009
    """,
    "connection": """
        22 28 31 45 600 603 1012 1033 1034 1041 1089 1090 1092 2396 2399 3113 3114 3122 3135 3136 3156
        12153 12500 12505 12514 12516 12519 12520 12528 12537 12541 12545 12547 12570 12571 12583
    """,
    "cancelled": "1013 3111",
    "forbidden": "1456 6519 14551 14552",
}
# No message was found of 1411 (its SQLSTATE alone: 22022, indicator overflow), nor of 30003 32041 32045 32486
# 32487 (the name alone that an open program has for each).
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
