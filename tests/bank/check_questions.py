"""Checks questions of the bank while they are written, in Oracle's dialect, and prints what was found.

python -m tests.bank.check_questions t2a-014 t2a-015
python -m tests.bank.check_questions t2a --quiet          # all of a database, failures alone
"""

from __future__ import annotations

import sys
from collections import Counter

from glue import bank
from tests.bank.checks import rate
from tests.bank.oracle_bench import SUPPLEMENTARY, OracleBench
from tests.bank.oracle_checks import findings, mutation_outcomes, separated_by
from tests.bank.texts import MAX_SAME_SHAPE, golds_of, shared_skeletons


def main() -> int:
    names = [name for name in sys.argv[1:] if not name.startswith("--")]
    is_quiet = "--quiet" in sys.argv
    manifest = bank.read_manifest()
    chosen = [q for q in manifest.questions if any(q.question_id.startswith(name) for name in names)]
    bench = OracleBench(manifest)
    n_failed = n_silent = shown = applicable = 0
    for question in chosen:
        found = list(findings(bench, question))
        failed = [one for one in found if one.level == "fail"]
        n_failed += bool(failed)
        n_silent += separated_by(bench, question) == [SUPPLEMENTARY]
        outcomes = mutation_outcomes(bench, question)
        n_shown, n_ran = rate(outcomes)
        shown, applicable = shown + n_shown, applicable + n_ran
        survivors = [o for o in outcomes if o.outcome == "survives"]
        if is_quiet and not failed and not survivors:
            continue
        print(f"\n{question.question_id} {question.category_group}/{question.category}: {question.question}")
        for one in failed if is_quiet else found:
            print(f"  {one.level:4} {one.subject}: {one.detail}")
        for outcome in survivors:
            print(f"  survives {outcome.mutation.name}: {outcome.mutation.what}")
        if not is_quiet:
            print(f"  {n_shown} of {n_ran} changes of gold show")
    print(f"\n{len(chosen)} questions, {n_failed} with failures, {n_silent} silent distractors")
    print(f"changes of golds that show: {shown} of {applicable}")
    for group, n in sorted(Counter(q.category_group for q in chosen).items()):
        print(f"  {group}: {n}")
    golds = golds_of(manifest.questions, "oracle")
    for masks_names, n_allowed in ((False, 1), (True, MAX_SAME_SHAPE)):
        for alike in shared_skeletons(golds, "oracle", masks_names, n_allowed):
            print(f"golds alike{' with names masked' if masks_names else ''}: {', '.join(alike)}")
    bench.close()
    return min(n_failed, 1)


if __name__ == "__main__":
    raise SystemExit(main())
