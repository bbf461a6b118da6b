"""A second witness for Oracle's conformance cases: what H2's Oracle mode answers to those it can run.

    apt-get install libh2-java; pip install JPype1
    python -m benchmarks.h2_witness tests/fixtures/dialects/oracle.jsonl > h2.jsonl

Each case runs in a database of H2's own in memory, and its answer is held against the one that the case says
is right; the dialect here is not asked. A line of JSON for each case: its id, topic, the right answer, H2's,
and what is found. They agree with `same_rows`, and weakly with `both_refuse`, for H2's codes are its own;
they disagree with `other_rows`, and with `taken` where Oracle refuses. What H2 alone refuses is `not_run`,
with its words: it lacks much of Oracle, and that is no testimony. Cases that want the clock pinned are left
out. The counts by topic come last, on stderr.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from glue.dialects.conformance import Answer, Case, judge, read_cases

Finding = Literal["same_rows", "both_refuse", "other_rows", "taken", "not_run"]
FINDINGS: tuple[Finding, ...] = ("same_rows", "both_refuse", "other_rows", "taken", "not_run")

_LIMIT_S = 10
_URL = "jdbc:h2:mem:case_{number};MODE=Oracle;DEFAULT_NULL_ORDERING=HIGH"


class H2:
    """H2 in a Java machine of this process, which can be started once."""

    def __init__(self, jar: Path) -> None:
        import jpype

        if not jpype.isJVMStarted():
            jpype.startJVM(classpath=[str(jar)], convertStrings=True)
        self._java = jpype
        self._number = 0
        self._driver = jpype.JClass("org.h2.Driver")()

    def answer(self, case: Case) -> Answer:
        """What comes of a case in a database of its own; H2's codes are not Oracle's: a refusal has none."""
        self._number += 1
        properties = self._java.JClass("java.util.Properties")()
        connection = self._driver.connect(_URL.format(number=self._number), properties)
        try:
            statement = connection.createStatement()
            statement.setQueryTimeout(_LIMIT_S)
            for setup in case.setup:
                statement.execute(setup)
            return Answer(rows=self._rows(statement.executeQuery(case.sql)))
        except self._java.JException as error:
            return Answer(failure=str(error).split("; SQL statement")[0])
        finally:
            with contextlib.suppress(self._java.JException):  # what H2 has closed itself
                connection.close()

    def _rows(self, result: Any) -> tuple[tuple[Any, ...], ...]:
        n_columns = result.getMetaData().getColumnCount()
        rows = []
        while result.next():
            rows.append(tuple(_value(result.getObject(place)) for place in range(1, n_columns + 1)))
        return tuple(rows)


def _value(found: Any) -> Any:
    """A value of Java's as Python has it; those of other kinds as their texts."""
    if found is None or isinstance(found, str):
        return found
    name = found.getClass().getName() if hasattr(found, "getClass") else type(found).__name__
    text = str(found)
    if name == "java.math.BigDecimal":
        return Decimal(text)
    if name in ("java.lang.Integer", "java.lang.Long", "java.lang.Short", "java.lang.Byte"):
        return int(text)
    if name in ("java.lang.Double", "java.lang.Float"):
        return float(text)
    if name == "java.lang.Boolean":
        return text == "true"
    if name in ("java.sql.Timestamp", "java.sql.Date"):
        return datetime.fromisoformat(text.removesuffix(".0"))
    return text


def finding(case: Case, answer: Answer) -> Finding:
    """What H2's answer says of the case."""
    if answer.rows is None:
        return "both_refuse" if case.error is not None else "not_run"
    if case.error is not None:
        return "taken"
    return "same_rows" if judge(case, answer) == "pass" else "other_rows"


def _line(case: Case, answer: Answer, found: Finding) -> dict[str, Any]:
    right = case.error or [list(row) for row in case.expected or ()]
    said = answer.failure if answer.rows is None else json.loads(str(answer))
    return {"id": case.id, "topic": case.topic, "finding": found, "right": right, "h2": said, "sql": case.sql}


def _print_counts(counts: dict[str, Counter[Finding]]) -> None:
    print(f"{'topic':26}" + "".join(f"{name:>13}" for name in FINDINGS), file=sys.stderr)
    total: Counter[Finding] = sum(counts.values(), Counter())
    for topic, found in [*counts.items(), ("total", total)]:
        print(f"{topic:26}" + "".join(f"{found[name]:13}" for name in FINDINGS), file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the cases of a file that H2 can be asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("file", type=Path, help="conformance cases of Oracle")
    parser.add_argument("--jar", type=Path, default=Path("/usr/share/java/h2.jar"), help="H2's jar")
    options = parser.parse_args(arguments)
    h2 = H2(options.jar)
    counts: dict[str, Counter[Finding]] = {}
    for case in read_cases(options.file):
        if case.now is None:
            answer = h2.answer(case)
            found = finding(case, answer)
            counts.setdefault(case.topic, Counter())[found] += 1
            print(json.dumps(_line(case, answer, found), ensure_ascii=False))
    _print_counts(counts)


if __name__ == "__main__":
    main()
