"""The check of one pair: what is tried, in which order, and what the first that parts shows."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from glue.cells import Cells
from glue.divergence.assumptions import is_alarm, rank
from glue.divergence.changes import Change, Changes
from glue.divergence.compare import Order, are_equal
from glue.divergence.data import Data
from glue.divergence.edits import Editor
from glue.divergence.instances import ForeignKey, Instance, Row, is_allowed
from glue.divergence.memory import Answer, Memory, NotAllowed
from glue.divergence.outcome import Check, Pair, shown
from glue.divergence.reading import read
from glue.divergence.regularities import broken, regularities_of
from glue.divergence.regularity import Regularity
from glue.divergence.sampling import base_instance, inferred_keys, sampled
from glue.divergence.shrink import shrunk
from glue.sql.analysis import sql_analysis

_SHRINK_S = 2.0
_MAX_TIMEOUTS = 3
_SHAPES = ((1, 0, 0), (2, 0, 0), (3, 1, 1), (8, 2, 3), (0, 0, 30))
"""Of the instances to start from: matches of each search, near ones, and other rows of each table."""
_FOCUS_ROWS = 5
_CHANGES = 2_000
"""Of each instance to start from, so many changes at most."""
_MAKING_SHARE = 0.4
"""Of the time of a check, so much may go into making instances before they are tried."""


@dataclass(frozen=True)
class _Parting:
    """How the statements part on an instance."""

    gold: Answer
    predicted: Answer
    is_cut_tie: bool

    @property
    def is_trivial(self) -> bool:
        """Is there nothing in either answer but NULL and 0?"""
        rows = [*(self.gold.rows or ()), *(self.predicted.rows or ())]
        return self.predicted.rows is not None and all(cell in (None, "n:0") for row in rows for cell in row)


@dataclass(frozen=True)
class _Proposal:
    kind: str
    tables: frozenset[str] | None
    instance: Instance
    broken: tuple[Regularity, ...]


class PairCheck:
    """The check of one pair, up to a moment."""

    def __init__(self, data: Data, memory: Memory, pair: Pair, n_instances: int, deadline_s: float) -> None:
        self.data, self.schema, self.memory = data, data.schema, memory
        self.pair, self.n_instances, self.deadline_s = pair, n_instances, deadline_s
        self.n_tried = 0
        self.n_gold = 0
        self.n_timeouts: Counter[str] = Counter()
        self.last_error: str | None = None
        self.best: Check | None = None

    def is_late(self) -> bool:
        """Is its time up?"""
        return time.monotonic() > self.deadline_s

    def run(self) -> Check:
        """Check it. Raises NotAllowed where no instance can be made."""
        texts = [self.pair.gold_sql, self.pair.predicted_sql]
        plain = [self.memory.plain_text(text) for text in texts]
        dialect = "sqlite" if self.memory.engine == "sqlite" else "duckdb"
        analyses = [sql_analysis(text, self.pair.dialect) for text in texts]
        if any(each["parse_outcome"] != "parsed" for each in analyses) or None in plain:
            return Check("not_decidable", "does_not_parse")
        if analyses[0]["normal_form"] == analyses[1]["normal_form"]:
            return Check("stays_equal", "same_normal_form")
        self.probes = [each["order_probe_sql"] for each in analyses]
        self.is_ordered = [bool(each["is_ordered"]) for each in analyses]
        self.cuts = [(each["offset_rows"], each["limit_rows"]) for each in analyses]
        reading = read(self.schema, dialect, [str(text) for text in plain])
        if reading is None:
            return Check("not_decidable", "reads_no_table")
        self.reading = reading
        self.keys = [*self.schema.foreign_keys, *inferred_keys(self.data, self.schema, reading)]
        involved = self._involved()
        keys = [key for key in self.keys if key.table in involved and key.referenced_table in involved]
        self.keys = keys
        self.editor = Editor(self.data, keys)
        self.regularities = regularities_of(self.data, reading.columns, keys)
        for proposal in self._in_order():
            if self.n_tried >= self.n_instances or self.is_late():
                break
            found = self._tried(proposal)
            if found is not None:
                return found
            slow = [name for name, n in self.n_timeouts.items() if n >= _MAX_TIMEOUTS]
            if slow:
                return self._counted(Check("not_decidable", f"{slow[0]}_times_out"))
        if self.best is not None:
            return self._counted(self.best)
        if not self.n_gold:
            return self._counted(Check("not_decidable", f"gold_fails: {self.last_error}"))
        return self._counted(Check("stays_equal"))

    def _counted(self, check: Check) -> Check:
        check.n_instances = self.n_tried
        return check

    def _involved(self) -> set[str]:
        """The tables that are read, and those that they refer to."""
        found = set(self.reading.tables)
        todo = list(found)
        while todo:
            for key in self.keys:
                if key.table == todo[-1] and key.referenced_table not in found:
                    found.add(key.referenced_table)
                    todo.insert(0, key.referenced_table)
            todo.pop()
        return found

    # --- What is tried, in which order ----------------------------------------------------------------------

    def _in_order(self) -> Iterator[_Proposal]:
        """Instances that break no regularity, then others: those that break the fewest and weakest first."""
        bases = list(self._bases())
        now_s = time.monotonic()
        make_until_s = now_s + (self.deadline_s - now_s) * _MAKING_SHARE
        for base, _ in bases:
            yield base
        batches: dict[int, dict[Any, list[Change]]] = {}
        singles: dict[int, list[_Proposal]] = {}
        for number, (base, changes) in enumerate(bases):
            for change in islice(changes, _CHANGES):
                if time.monotonic() > make_until_s:
                    break
                made = self._made(base.instance, [change])
                if made is None:
                    continue
                level = rank(each.kind for each in made.broken)
                singles.setdefault(level, []).append(made)
                if change.group is not None:
                    key = (number, change.group, tuple(sorted(each.text for each in made.broken)))
                    batches.setdefault(level, {}).setdefault(key, []).append(change)
        for level in sorted(singles):
            for (number, *_), together in batches.get(level, {}).items():
                if len(together) > 1:
                    made = self._made(bases[number][0].instance, together)
                    if made is not None:
                        yield made
            share = 2 if level == 0 else 6
            yield from singles[level][: self.n_instances // share]

    def _made(self, base: Instance, changes: Sequence[Change]) -> _Proposal | None:
        """The base after changes that are allowed."""
        instance = base
        for change in changes:
            changed = change.apply(instance)
            if changed is not None and is_allowed(self.schema, changed, _differing(instance, changed)):
                instance = changed
        if instance is base:
            return None
        tables = _differing(base, instance)
        found = tuple(broken(self.regularities, instance, tables))
        return _Proposal(changes[0].kind, frozenset(tables), instance, found)

    def _bases(self) -> Iterator[tuple[_Proposal, Iterator[Change]]]:
        """The instances to start from, small ones first, and the changes to try on each."""
        sample = sampled(self.data, self.reading, self.is_late)
        complete = [each for each in self.regularities if each.kind == "every_parent_has_children"]
        whole_kinds = ("sum_of_parts", "pairs_of_children")
        summed = [each for each in self.regularities if each.kind in whole_kinds]
        needs_child = [key for key in self.keys if any(_is_about(each, key) for each in complete)]
        needs_all = [key for key in self.keys if any(_is_about(each, key) for each in summed)]
        mirrors = [each.columns for each in self.regularities if each.kind == "mirrored_rows"]
        mirrored = [
            (table, self.schema.tables[table].place(left), self.schema.tables[table].place(right))
            for table, left, right in mirrors
        ]
        for n_core, n_near, n_others in _SHAPES:
            chosen = sample.rows(n_core, n_near)
            instance = base_instance(
                self.data, self.keys, chosen, self.reading.tables, n_others, needs_child, needs_all, mirrored
            )
            if not is_allowed(self.schema, instance):
                instance = self._repaired(instance)
            found = tuple(broken(self.regularities, instance))
            changes: Iterator[Change] = iter(())
            if n_core and n_others < 20:
                changes = Changes(self.editor, self.reading, self._focus(instance, chosen)).all()
            yield _Proposal("fewer_rows", None, instance, found), changes

    def _repaired(self, instance: Instance) -> Instance:
        """Without the rows of the data that break its own declared keys."""
        for key in self.schema.foreign_keys:
            if not key.is_declared:
                continue
            places, referenced = self.schema.places(key)
            known = {row.at(referenced) for row in instance.of(key.referenced_table)}
            instance = instance.with_rows(
                key.table,
                (row for row in instance.of(key.table) if None in row.at(places) or row.at(places) in known),
            )
        return instance

    def _focus(self, instance: Instance, chosen: dict[str, list[Row]]) -> dict[str, Sequence[Row]]:
        """The rows that are changed: of each table that is read those that were chosen, else any."""
        focus: dict[str, Sequence[Row]] = {}
        for table in self.reading.tables:
            present = {id(row) for row in instance.of(table)}
            rows = [row for row in chosen.get(table, ()) if id(row) in present]
            focus[table] = (rows or list(instance.of(table)[:2]))[:_FOCUS_ROWS]
        return focus

    # --- Trying ---------------------------------------------------------------------------------------------

    def _tried(self, proposal: _Proposal) -> Check | None:
        """The alarm that an instance gives; one that is none is kept as the best so far."""
        level = rank(each.kind for each in proposal.broken)
        if self.best is not None and not is_alarm(each.kind for each in proposal.broken):
            return None
        self.n_tried += 1
        parting = self._parting(proposal.instance)
        if parting is None or not self._stands_upside_down(proposal.instance):
            return None
        witness, kinds = self._smallest(proposal, parting, level)
        final = self._parting(witness) or parting
        check = self._alarm(proposal.kind, witness, final, kinds)
        if check.outcome == "diverges":
            return self._counted(check)
        self.best = self.best or check
        return None

    def _parting(self, instance: Instance) -> _Parting | None:
        """How the two statements part on an instance; None where they do not, or gold gives nothing."""
        try:
            self.memory.load(instance)
        except NotAllowed:
            return None
        gold = self.memory.run(self.pair.gold_sql)
        self._note_timeout("gold", gold)
        if gold.rows is None:
            self.last_error = gold.failure.error_message if gold.failure else None
            return None
        self.n_gold += 1
        predicted = self.memory.run(self.pair.predicted_sql)
        self._note_timeout("prediction", predicted)
        if predicted.rows is None:
            failure = predicted.failure
            if failure is None or failure.outcome not in ("failed", "refused") or failure.is_memory_short:
                return None
            return _Parting(gold, predicted, False)
        if are_equal(gold.rows, predicted.rows, self.pair.is_ordered, None):
            return None
        order = self._order(0, gold.rows)
        if order and are_equal(gold.rows, predicted.rows, self.pair.is_ordered, order):
            return None
        own = self._order(1, predicted.rows) if self.is_ordered[1] else None
        is_cut_tie = bool((order and order.is_cut_tie) or (own and own.is_cut_tie))
        return _Parting(gold, predicted, is_cut_tie)

    def _note_timeout(self, name: str, answer: Answer) -> None:
        """A statement that does not end on a few rows will not on others: see `run`."""
        if answer.failure is not None and answer.failure.outcome == "timed_out":
            self.n_timeouts[name] += 1

    def _order(self, which: int, rows: Sequence[Cells]) -> Order | None:
        """What a statement's own order allows; None where that cannot be told."""
        if not self.probes[which] or not rows:
            return None
        answer = self.memory.run(self.probes[which])
        width = len(rows[0])
        if answer.rows is None or any(not (row[-1] or "").startswith("n:") for row in answer.rows):
            return None
        skipped, kept = self.cuts[which]
        ranked = sorted(((int((row[-1] or "n:0")[2:]), row[:width]) for row in answer.rows), key=_by_rank)
        order = Order(ranked, max(skipped or 0, 0), kept if kept is not None and kept >= 0 else None)
        return order if are_equal(rows, rows, True, order) else None

    def _stands_upside_down(self, instance: Instance) -> bool:
        """Do they part also where the rows were put in the other way round, gold giving the same?"""
        self.memory.load(instance)
        gold = self.memory.run(self.pair.gold_sql)
        turned = Instance({table: tuple(reversed(rows)) for table, rows in instance.rows.items()})
        parting = self._parting(turned)
        if parting is None or gold.rows is None or parting.gold.rows is None:
            return False
        order = self._order(0, parting.gold.rows)
        if are_equal(parting.gold.rows, gold.rows, self.pair.is_ordered, order):
            return True
        return order is None and are_equal(parting.gold.rows, gold.rows, False, None)

    def _smallest(
        self, proposal: _Proposal, parting: _Parting, level: int
    ) -> tuple[Instance, tuple[Regularity, ...]]:
        texts = {each.text for each in proposal.broken}
        until_s = time.monotonic() + _SHRINK_S
        is_failing = parting.predicted.rows is None

        def parts(instance: Instance) -> bool:
            if not is_allowed(self.schema, instance):
                return False
            if any(each.text not in texts for each in broken(self.regularities, instance)):
                return False
            found = self._parting(instance)
            if found is None or (found.predicted.rows is None) != is_failing:
                return False
            if found.is_trivial > parting.is_trivial:
                return False
            return found.is_cut_tie <= parting.is_cut_tie and self._stands_upside_down(instance)

        witness = shrunk(self.editor, proposal.instance, parts, lambda: time.monotonic() > until_s)
        return witness, tuple(broken(self.regularities, witness))

    def _alarm(self, kind: str, witness: Instance, parting: _Parting, kinds: tuple[Regularity, ...]) -> Check:
        assumptions = [(each.kind, each.text) for each in kinds]
        if parting.is_trivial:
            assumptions.append(("some_row_counts", "the answer has something in it"))
        if parting.is_cut_tie:
            assumptions.append(("no_cut_ties", "no LIMIT cuts through a tie"))
        outcome = "diverges" if is_alarm(name for name, _ in assumptions) else "diverges_beyond_data"
        failure = parting.predicted.failure
        return Check(
            outcome,
            kind="fails" if failure is not None else kind,
            assumptions=tuple(dict.fromkeys(assumptions)),
            witness=shown(witness, self.reading, self.keys),
            gold_columns=parting.gold.column_names,
            predicted_columns=parting.predicted.column_names,
            gold_rows=parting.gold.rows,
            predicted_rows=parting.predicted.rows,
            predicted_error=failure.error_message if failure is not None else None,
        )


def _by_rank(ranked: tuple[int, Cells]) -> int:
    return ranked[0]


def _differing(one: Instance, other: Instance) -> set[str]:
    """The tables in which two instances differ."""
    names: Mapping[str, Any] = {**one.rows, **other.rows}
    return {name for name in names if one.of(name) is not other.of(name)}


def _is_about(regularity: Regularity, key: ForeignKey) -> bool:
    return regularity.tables == frozenset([key.table, key.referenced_table])
