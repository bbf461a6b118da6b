"""The two searches against brute force on small tables, and on the tables that make searches run away."""

from __future__ import annotations

import itertools
import math
import random
import time
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glue import match_parts
from glue.match_columns import match_columns
from glue.match_numbers import is_close, match_tolerant

Rows = list[list[str | None]]

SECONDS = 3.0
"""What a call may take here: about one second by design, and the machine may be busy."""


def numbers(*rows: str) -> Rows:
    """'1 2' -> ['n:1', 'n:2']; '-' is NULL."""
    return [[None if cell == "-" else f"n:{cell}" for cell in row.split()] for row in rows]


def shuffled(rows: Rows, seed: int = 1) -> Rows:
    """The same table with rows and columns in another order."""
    order = random.Random(seed)
    columns = list(range(len(rows[0])))
    order.shuffle(columns)
    moved = [[row[column] for column in columns] for row in rows]
    order.shuffle(moved)
    return moved


def columns_of(
    gold: Rows,
    predicted: Rows,
    kind: str = "permuted",
    gold_groups: list[int] | None = None,
    predicted_groups: list[int] | None = None,
) -> dict:
    """One call, with all rows in one group unless said otherwise; no call may take long."""
    gold_groups = [0] * len(gold) if gold_groups is None else gold_groups
    predicted_groups = [0] * len(predicted) if predicted_groups is None else predicted_groups
    started = time.process_time()
    answer = match_columns(gold, predicted, gold_groups, predicted_groups, kind)
    assert time.process_time() - started < SECONDS
    if answer["outcome"] == "match":
        assert is_right(gold, predicted, gold_groups, predicted_groups, answer["mapping"])
    else:
        assert answer["mapping"] is None
    return answer


def is_right(
    gold: Rows, predicted: Rows, gold_groups: list[int], predicted_groups: list[int], mapping: list[int]
) -> bool:
    """The definition, by a few lines of their own."""
    if len(set(mapping)) != len(mapping):
        return False
    free = Counter((group, *row) for group, row in zip(gold_groups, gold, strict=True))
    used = Counter(
        (group, *(row[place - 1] for place in mapping))
        for group, row in zip(predicted_groups, predicted, strict=True)
    )
    return all(count <= free[row] for row, count in used.items())


# --------------------------------------------------------------------------- columns, by hand


def test_columns_in_another_order_match_and_say_which() -> None:
    gold = [["t:Ann", "n:30"], ["t:Bo", "n:41"]]
    predicted = [["n:41", "t:Bo"], ["n:30", "t:Ann"]]
    assert columns_of(gold, predicted) == {"outcome": "match", "mapping": [2, 1], "n_trials": 1}


def test_right_values_in_the_wrong_rows_do_not_match() -> None:
    gold = [["t:Ann", "n:30"], ["t:Bo", "n:41"]]
    predicted = [["n:41", "t:Ann"], ["n:30", "t:Bo"]]
    assert columns_of(gold, predicted)["outcome"] == "mismatch"


def test_one_order_of_columns_serves_all_rows() -> None:
    assert columns_of(numbers("1 2", "3 4"), numbers("2 1", "3 4"))["outcome"] == "mismatch"


def test_the_same_places_are_preferred() -> None:
    rows = numbers("1 1 1", "1 1 1")
    assert columns_of(rows, rows)["mapping"] == [1, 2, 3]


def test_null_matches_only_null() -> None:
    assert columns_of([[None, "n:1"]], [["n:1", None]])["mapping"] == [2, 1]
    assert columns_of([[None]], [["t:"]])["outcome"] == "mismatch"


def test_a_projection_leaves_out_extra_columns_but_no_gold_column() -> None:
    gold, wide = numbers("1 2", "3 4"), numbers("2 9 1", "4 9 3")
    assert columns_of(gold, wide, "projection")["mapping"] == [3, 1]
    assert columns_of(gold, wide, "permuted")["outcome"] == "mismatch"
    assert columns_of(wide, gold, "projection")["outcome"] == "mismatch"


def test_one_predicted_column_cannot_stand_for_two() -> None:
    assert columns_of(numbers("1 1", "2 2"), numbers("1 7", "2 7"), "projection")["outcome"] == "mismatch"
    assert columns_of(numbers("1 1", "2 2"), numbers("1 7 1", "2 7 2"), "projection")["mapping"] == [1, 3]


def test_multisets_count_duplicates() -> None:
    gold, predicted = numbers("1 2", "1 2", "3 4"), numbers("2 1", "4 3", "4 3")
    assert columns_of(gold, predicted)["outcome"] == "mismatch"


def test_a_row_may_not_leave_its_group() -> None:
    gold, predicted = numbers("1 2", "3 4"), numbers("2 1", "4 3")
    assert columns_of(gold, predicted, "permuted", [1, 2], [1, 2])["mapping"] == [2, 1]
    assert columns_of(gold, predicted, "permuted", [1, 2], [2, 1])["outcome"] == "mismatch"


def test_a_smaller_group_takes_any_of_the_tied_rows() -> None:
    gold, groups = numbers("9 1", "5 2", "5 3", "5 4"), [1, 2, 2, 2]
    assert columns_of(gold, numbers("1 9", "4 5"), "permuted", groups, [1, 2])["mapping"] == [2, 1]
    assert columns_of(gold, numbers("1 9", "7 5"), "permuted", groups, [1, 2])["outcome"] == "mismatch"
    assert columns_of(gold, numbers("1 9", "4 5", "4 5"), "permuted", groups, [1, 2, 2])["outcome"] == (
        "mismatch"
    )


def test_a_group_that_gold_lacks_is_a_mismatch() -> None:
    assert columns_of(numbers("1"), numbers("1"), "permuted", [1], [2])["outcome"] == "mismatch"
    assert columns_of(numbers("1"), numbers("1", "1"), "permuted", [1], [1, 1])["outcome"] == "mismatch"


def test_no_rows() -> None:
    assert columns_of([], [])["outcome"] == "match"
    assert columns_of([], numbers("1"))["outcome"] == "mismatch"
    assert columns_of(numbers("1 2"), [])["mapping"] == [1, 2]


@pytest.mark.parametrize(
    "arguments",
    [
        (None, None, None, None, "permuted"),
        ([["n:1"], ["n:1", "n:2"]], [["n:1"], ["n:1"]], [0, 0], [0, 0], "permuted"),
        ([["n:1"]], [["n:1"]], [0, 0], [0], "permuted"),
        ([["n:1"]], [["n:1"]], [0], [0], "sideways"),
        ([[["n:1"]]], [[["n:1"]]], [0], [0], "permuted"),
        ([None], [None], [0], [0], "permuted"),
    ],
)
def test_what_is_no_table_is_undecided(arguments: tuple) -> None:
    assert match_columns(*arguments)["outcome"] == "undecided"
    assert match_tolerant(*arguments[:4])["outcome"] in ("undecided", "match")


# --------------------------------------------------------------------------- columns, against brute force


def brute_force(
    gold: Rows, predicted: Rows, gold_groups: list[int], predicted_groups: list[int], kind: str
) -> bool:
    n_gold, n_predicted = len(gold[0]), len(predicted[0])
    if n_predicted < n_gold or (kind == "permuted" and n_gold != n_predicted):
        return False
    return any(
        is_right(gold, predicted, gold_groups, predicted_groups, list(mapping))
        for mapping in itertools.permutations(range(1, n_predicted + 1), n_gold)
    )


@st.composite
def pairs_of_tables(draw: st.DrawFn) -> tuple[Rows, Rows, list[int], list[int], str]:
    """A gold table, and a prediction made of it by moving columns and rows, with or without a fault."""
    kind = draw(st.sampled_from(["permuted", "projection"]))
    n_columns, n_rows = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    cell = st.sampled_from(["n:0", "n:1", None][: draw(st.integers(1, 3))])
    gold = draw(
        st.lists(st.lists(cell, min_size=n_columns, max_size=n_columns), min_size=n_rows, max_size=n_rows)
    )
    gold_groups = draw(st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows))
    n_extra = draw(st.integers(0, 2)) if kind == "projection" else 0
    wide = [row + draw(st.lists(cell, min_size=n_extra, max_size=n_extra)) for row in gold]
    order = draw(st.permutations(range(n_columns + n_extra)))
    rows = draw(st.permutations(range(n_rows)))
    n_kept = draw(st.integers(1, n_rows))
    predicted = [[wide[row][column] for column in order] for row in rows[:n_kept]]
    predicted_groups = [gold_groups[row] for row in rows[:n_kept]]
    for _ in range(draw(st.integers(0, 2))):
        row, column = draw(st.integers(0, n_kept - 1)), draw(st.integers(0, n_columns + n_extra - 1))
        predicted[row][column] = draw(cell)
    return gold, predicted, gold_groups, predicted_groups, kind


@settings(max_examples=600)
@given(pairs_of_tables())
def test_columns_agree_with_brute_force(pair: tuple[Rows, Rows, list[int], list[int], str]) -> None:
    gold, predicted, gold_groups, predicted_groups, kind = pair
    expected = "match" if brute_force(*pair) else "mismatch"
    assert columns_of(gold, predicted, kind, gold_groups, predicted_groups)["outcome"] == expected


# --------------------------------------------------------------------------- columns, tables made to be hard


def one_hot(n: int) -> Rows:
    return [[f"n:{int(row == column)}" for column in range(n)] for row in range(n)]


def circulant(n: int, ones: set[int]) -> Rows:
    return [[f"n:{int((column - row) % n in ones)}" for column in range(n)] for row in range(n)]


def changed(rows: Rows) -> Rows:
    copy = [list(row) for row in rows]
    copy[4][5] = "n:0" if copy[4][5] == "n:1" else "n:1"
    return copy


@pytest.mark.parametrize(
    "table",
    [
        pytest.param([["n:1"] * 30 for _ in range(30)], id="all-equal"),
        pytest.param(one_hot(30), id="one-hot"),
        pytest.param(circulant(30, {0, 1, 3}), id="circulant"),
        pytest.param(circulant(30, {0, 5, 10, 15, 20, 25}), id="circulant-of-blocks"),
        pytest.param(circulant(31, {number * number % 31 for number in range(1, 31)}), id="paley"),
        pytest.param(
            [[f"n:{bit}" for bit in row] for row in itertools.product((0, 1), repeat=10)], id="cube"
        ),
    ],
)
def test_symmetric_tables_are_decided(table: Rows) -> None:
    moved = shuffled(table)
    with_extra = [["n:7", *row, "n:1"] for row in moved]
    assert columns_of(table, moved)["outcome"] == "match"
    assert columns_of(table, with_extra, "projection")["outcome"] == "match"
    assert columns_of(table, changed(moved))["outcome"] == "mismatch"


@pytest.mark.parametrize("other", [{0, 1, 4}, {0, 2, 7}, {0, 10, 20}])
def test_two_circulants_with_the_same_sums_differ(other: set[int]) -> None:
    gold, predicted = circulant(30, {0, 1, 3}), shuffled(circulant(30, other))
    assert Counter(map(tuple, map(sorted, gold))) == Counter(map(tuple, map(sorted, predicted)))
    assert columns_of(gold, predicted)["outcome"] == "mismatch"
    assert columns_of(gold, [[*row, "n:1"] for row in predicted], "projection")["outcome"] == "mismatch"


def test_twelve_columns_of_ten_thousand_rows_with_repeated_values() -> None:
    draw = random.Random(7)
    few = [[f"n:{draw.randrange(4)}" for _ in range(12)] for _ in range(10_000)]
    deck = [f"n:{number % 100}" for number in range(10_000)]
    same_multisets = [
        list(row) for row in zip(*(draw.sample(deck, len(deck)) for _ in range(12)), strict=True)
    ]
    for table in (few, same_multisets):
        moved = shuffled(table)
        assert columns_of(table, moved)["outcome"] == "match"
        first, second = (row for row in (0, 1, 2) if moved[row][3] != moved[(row + 1) % 3][3]), None
        second = next(first)
        moved[second][3], moved[(second + 1) % 3][3] = moved[(second + 1) % 3][3], moved[second][3]
        assert columns_of(table, moved)["outcome"] == "mismatch"


def test_a_limit_through_a_large_tie() -> None:
    draw = random.Random(3)
    gold = [[f"n:{draw.randrange(9)}" for _ in range(8)] for _ in range(3_000)]
    predicted = shuffled(gold)[:10]
    assert columns_of(gold, predicted)["outcome"] == "match"
    predicted[3][2] = "n:10"
    assert columns_of(gold, predicted)["outcome"] == "mismatch"


def test_a_search_without_end_is_undecided() -> None:
    """A 0/1 table hidden among others, with a cut group that gives no column away."""
    draw = random.Random(11)
    predicted = [[f"n:{draw.randrange(2)}" for _ in range(60)] for _ in range(20)]
    gold = [[f"n:{draw.randrange(2)}" for _ in range(25)] for _ in range(40)]
    answer = columns_of(gold, predicted, "projection")
    assert answer["outcome"] == "undecided"
    assert 0 < answer["n_trials"] <= match_parts.MAX_TRIALS


def test_trials_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_parts, "MAX_TRIALS", 5)
    gold, predicted = circulant(30, {0, 1, 3}), shuffled(circulant(30, {0, 1, 4}))
    assert columns_of(gold, predicted) == {"outcome": "undecided", "mapping": None, "n_trials": 5}


def test_work_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_parts, "MAX_WORK", 100)
    assert columns_of(one_hot(30), shuffled(one_hot(30)))["outcome"] == "undecided"
    assert match_tolerant(one_hot(30), one_hot(30), [0] * 30, [0] * 30)["outcome"] == "undecided"


# --------------------------------------------------------------------------- numbers


def tolerant_of(
    gold: Rows,
    predicted: Rows,
    gold_groups: list[int] | None = None,
    predicted_groups: list[int] | None = None,
) -> str:
    started = time.process_time()
    answer = match_tolerant(
        gold,
        predicted,
        [0] * len(gold) if gold_groups is None else gold_groups,
        [0] * len(predicted) if predicted_groups is None else predicted_groups,
    )
    assert time.process_time() - started < SECONDS
    return answer["outcome"]


@pytest.mark.parametrize(
    ("gold", "predicted", "expected"),
    [
        ("1", "1.0000001", "match"),
        ("1", "1.000001", "match"),  # exactly at the limit: 1e-6 * 1.000001 is more than 1e-6
        ("1", "0.999999", "match"),  # exactly at the limit, where floats say 1.00000000002876e-06
        ("1", "0.9999989", "mismatch"),
        ("0", "1e-09", "match"),
        ("0", "1.1e-09", "mismatch"),
        ("-1", "1", "mismatch"),
        ("100000", "100001", "mismatch"),
        ("1000000", "999999", "match"),
        ("9007199254740993", "9007199254740992", "match"),  # within 1e-6 of each other
        ("9007199254740993000000", "9007208261949254949254", "match"),
        ("9007199254740993000000", "9007208261949254949255", "mismatch"),
        ("1" + "0" * 400, "1" + "0" * 400, "match"),
        ("1" + "0" * 400, "1000002" + "0" * 394, "mismatch"),
        ("1" + "0" * 400, "1000001" + "0" * 394, "match"),
        ("0.30000000000000004", "0.3", "match"),
        ("0.1000000000000000055511151231257827", "0.1", "match"),
        ("nan", "nan", "match"),
        ("inf", "inf", "match"),
        ("inf", "-inf", "mismatch"),
        ("nan", "1", "mismatch"),
        ("inf", "1" + "0" * 308, "mismatch"),
        ("1e-999999999", "1e-999999999", "match"),
        ("1e-999999999", "0", "mismatch"),  # no number of any engine: compared as text
    ],
)
def test_close_numbers(gold: str, predicted: str, expected: str) -> None:
    assert tolerant_of([[f"n:{gold}"]], [[f"n:{predicted}"]]) == expected
    assert tolerant_of([[f"n:{predicted}"]], [[f"n:{gold}"]]) == expected


def test_other_cells_must_be_the_same() -> None:
    assert tolerant_of([["t:1", "n:1"]], [["t:1", "n:1.0000001"]]) == "match"
    assert tolerant_of([["t:1"]], [["n:1"]]) == "mismatch"
    assert tolerant_of([[None]], [["n:0"]]) == "mismatch"
    assert tolerant_of([["n:1", "t:a"]], [["t:a", "n:1"]]) == "mismatch"
    assert tolerant_of([["n:1"]], [["n:1", "n:2"]]) == "mismatch"


def test_rows_are_paired_one_to_one() -> None:
    assert tolerant_of(numbers("1", "1"), numbers("1", "2")) == "mismatch"
    assert tolerant_of(numbers("1", "2"), numbers("2", "1.0000001")) == "match"
    assert tolerant_of(numbers("1 2", "3 4"), numbers("1 4", "3 2")) == "mismatch"


def test_the_nearest_partner_is_not_always_the_right_one() -> None:
    """Closeness is no equivalence: -0.8 and 0 are close, 0 and 0.8 are, -0.8 and 0.8 are not (unit 1e-9)."""
    gold, predicted = numbers("0", "-8e-10"), numbers("0", "8e-10")
    assert tolerant_of(gold, predicted) == "match"  # 0 takes -0.8 and leaves gold's 0 to 0.8
    both = numbers("0 0", "-8e-10 -8e-10")
    assert tolerant_of(both, numbers("0 0", "8e-10 8e-10")) == "match"
    assert tolerant_of(both, numbers("0 0", "8e-10 16e-10")) == "mismatch"


def test_groups_bind_numbers_too() -> None:
    gold = numbers("1", "2", "3")
    assert tolerant_of(gold, numbers("1", "3"), [1, 2, 2], [1, 2]) == "match"
    assert tolerant_of(gold, numbers("3", "1"), [1, 2, 2], [1, 2]) == "mismatch"
    assert tolerant_of(gold, numbers("1"), [1, 2, 2], [3]) == "mismatch"


def exact_closeness(a: str, b: str) -> bool:
    x, y = Fraction(a), Fraction(b)
    return abs(x - y) <= max(Fraction(1, 10**9), max(abs(x), abs(y)) / 10**6)


@settings(max_examples=400)
@given(
    st.one_of(
        st.floats(allow_nan=False, allow_infinity=False, max_value=1e15, min_value=-1e15),
        st.integers(-(10**20), 10**20),
    ),
    st.sampled_from([0, 1e-10, 9.999999e-7, 1e-6, 1.000001e-6, 2e-6, -1e-6, -9.99999e-7]),
)
def test_closeness_is_exact(value: float, step: float) -> None:
    other = value + value * step
    for a, b in ((value, other), (other, value)):
        assert is_close(a, b) == exact_closeness(repr(a), repr(b))


TENTHS = ["n:0", "n:4e-10", "n:8e-10", "n:1.2e-09", "n:1.6e-09", "n:2.4e-09", "t:x"]


@st.composite
def near_tables(draw: st.DrawFn) -> tuple[Rows, Rows, list[int], list[int]]:
    """Tables of numbers a few tolerances apart, so that chains of close numbers are common."""
    n_columns, n_gold = draw(st.integers(1, 3)), draw(st.integers(1, 6))
    n_predicted = draw(st.integers(1, n_gold))
    row = st.lists(st.sampled_from(TENTHS), min_size=n_columns, max_size=n_columns)
    gold = draw(st.lists(row, min_size=n_gold, max_size=n_gold))
    predicted = draw(st.lists(row, min_size=n_predicted, max_size=n_predicted))
    group = st.integers(0, draw(st.integers(0, 1)))
    return (
        gold,
        predicted,
        draw(st.lists(group, min_size=n_gold, max_size=n_gold)),
        draw(st.lists(group, min_size=n_predicted, max_size=n_predicted)),
    )


def some_pairing(gold: Rows, predicted: Rows, gold_groups: list[int], predicted_groups: list[int]) -> bool:
    def is_pair(gold_row: int, predicted_row: int) -> bool:
        return gold_groups[gold_row] == predicted_groups[predicted_row] and all(
            a == b or (a[0] == b[0] == "n" and exact_closeness(a[2:], b[2:]))
            for a, b in zip(gold[gold_row], predicted[predicted_row], strict=True)
        )

    close = [[is_pair(gold_row, row) for gold_row in range(len(gold))] for row in range(len(predicted))]
    return any(
        all(close[row][gold_row] for row, gold_row in enumerate(chosen))
        for chosen in itertools.permutations(range(len(gold)), len(predicted))
    )


@settings(max_examples=600)
@given(near_tables())
def test_pairings_agree_with_brute_force(pair: tuple[Rows, Rows, list[int], list[int]]) -> None:
    expected = "match" if some_pairing(*pair) else "mismatch"
    assert tolerant_of(*pair) == expected


def test_long_chains_of_close_rows_are_decided() -> None:
    """5,000 rows, each close to its neighbours in both columns: one block that only a matching decides."""
    draw = random.Random(2)
    gold = [[f"n:{1_000_000 + step * 0.4!r}", f"n:{2_000_000 + step * 0.9!r}"] for step in range(5_000)]
    predicted = [[f"n:{float(cell[2:]) + draw.uniform(-0.3, 0.3)!r}" for cell in row] for row in gold]
    draw.shuffle(predicted)
    assert tolerant_of(gold, predicted) == "match"
    predicted[7][0] = "n:1000000"
    assert tolerant_of(gold, predicted) == "mismatch"


def test_a_large_result_with_float_noise() -> None:
    draw = random.Random(4)
    gold = [
        [f"n:{draw.uniform(0, 1e6)!r}", f"t:{draw.randrange(50)}", f"n:{draw.randrange(9)}"]
        for _ in range(10_000)
    ]
    predicted = [[f"n:{math.nextafter(float(row[0][2:]), math.inf)!r}", *row[1:]] for row in reversed(gold)]
    assert tolerant_of(gold, predicted) == "match"
    predicted[0] = predicted[1]
    assert tolerant_of(gold, predicted) == "mismatch"


def test_a_dense_cloud_is_undecided_not_matched() -> None:
    """Everything is close to half of everything: more pairs than the work allows to look at."""
    draw = random.Random(6)
    gold = [[f"n:{1e6 + draw.uniform(0, 2)!r}", f"n:{1e6 + draw.uniform(0, 2)!r}"] for _ in range(4_000)]
    predicted = [[f"n:{1e6 + draw.uniform(0, 2)!r}", f"n:{1e6 + draw.uniform(0, 2)!r}"] for _ in range(4_000)]
    assert tolerant_of(gold, predicted) == "undecided"
