"""From an instance on which two statements part to the smallest one found: rows first, then cells."""

from __future__ import annotations

from collections.abc import Callable

from glue.divergence.edits import Editor
from glue.divergence.instances import Instance, Row

Test = Callable[[Instance], bool]
"""Is an instance allowed, and do the statements still part on it?"""


def shrunk(editor: Editor, instance: Instance, parts: Test, is_late: Callable[[], bool]) -> Instance:
    """Take out rows, many at a time and then one by one, and put changed cells back, while `parts` holds."""
    before = -1
    while before != instance.n_rows and not is_late():
        before = instance.n_rows
        instance = _in_pieces(editor, instance, parts, is_late)
        instance = _one_by_one(editor, instance, parts, is_late)
    return _with_old_cells(instance, parts, is_late)


def _in_pieces(editor: Editor, instance: Instance, parts: Test, is_late: Callable[[], bool]) -> Instance:
    size = max(instance.n_rows // 2, 1)
    while size >= 2 and not is_late():
        rows = list(instance.all_rows())
        start = 0
        while start < len(rows) and not is_late():
            smaller = _without(editor, instance, rows[start : start + size])
            if smaller.n_rows < instance.n_rows and parts(smaller):
                instance = smaller
            start += size
        size //= 2
    return instance


def _one_by_one(editor: Editor, instance: Instance, parts: Test, is_late: Callable[[], bool]) -> Instance:
    for table, row in reversed(list(instance.all_rows())):
        if is_late():
            break
        if any(each is row for each in instance.of(table)):
            smaller = editor.without(instance, table, row)
            if parts(smaller):
                instance = smaller
    return instance


def _without(editor: Editor, instance: Instance, rows: list[tuple[str, Row]]) -> Instance:
    for table, row in rows:
        if any(each is row for each in instance.of(table)):
            instance = editor.without(instance, table, row)
    return instance


def _with_old_cells(instance: Instance, parts: Test, is_late: Callable[[], bool]) -> Instance:
    for table, row in list(instance.all_rows()):
        if row.origin is None:
            continue
        for place, value in enumerate(row.origin):
            if is_late() or row.values[place] == value:
                continue
            restored = Row((*row.values[:place], value, *row.values[place + 1 :]), row.origin)
            other = instance.replaced(table, row, restored)
            if parts(other):
                instance, row = other, restored
    return instance
