"""What is retrieved for each question of a history study, for pipelines outside of Evalhouse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glue.build import project_directory
from glue.errors import GlueError
from glue.study.registry import check_under_history
from glue.study.shots import retrieval_of

if TYPE_CHECKING:
    from glue.home import Home

_SHOTS = """
    with candidates as (
        select c.*, row_number() over (partition by c.question_id order by c.rank) as place
        from history_candidates as c
        join retrievers as r using (retriever)
        where c.task_set = $task_set and c.retriever = $retriever
            and (c.uses_questions = $uses_questions or c.retriever = 'gold')
            and (not r.uses_threshold or $threshold::double is null or c.score >= $threshold)
        qualify place <= coalesce($n_most::integer, r.n_most)
    ),
    shots as (
        select
            c.question_id, c.place, c.history_query_id, c.score,
            coalesce(not r.uses_threshold or $threshold::double is null or c.whole_score >= $threshold, false)
                and c.whole_score is not null as use_all,
            list_transform(
                list_filter(
                    list_zip(c.item_ids, c.item_scores),
                    lambda pair: not r.uses_threshold or $threshold::double is null or pair[2] >= $threshold
                ),
                lambda pair: pair[1]
            ) as passed_ids,
            if(use_all, c.item_ids, passed_ids) as item_ids
        from candidates as c join retrievers as r using (retriever)
    ),
    components as (
        select
            s.question_id, s.place,
            list({
                'knowledge_type': k.knowledge_type, 'sql': k.sql_substring, 'skeleton': k.published_skeleton,
                'description': if(k.knowledge_type = 'full_sql', d.description, l.description)
            } order by k.component_number) as components
        from shots as s
        join history_tasks as t on t.task_set = $task_set and t.question_id = s.question_id
        join script_components as k on k.history = t.history and k.history_query_id = s.history_query_id
            and list_contains(s.item_ids, k.item_id)
        left join history_component_lines as l
            on l.history = k.history and l.history_query_id = k.history_query_id and l.item_id = k.item_id
        left join script_descriptions as d
            on d.history = k.history and d.history_query_id = k.history_query_id
        group by s.question_id, s.place
    ),
    written as (
        select
            s.question_id,
            list({
                'history_query_id': s.history_query_id,
                'question': if($uses_questions, q.question, null),
                'sql': trim(q.sql), 'use_all': s.use_all, 'components': coalesce(c.components, []),
                'score': s.score
            } order by s.place) as shots
        from shots as s
        join history_tasks as t on t.task_set = $task_set and t.question_id = s.question_id
        join history_queries as q on q.history = t.history and q.history_query_id = s.history_query_id
        left join components as c on s.question_id = c.question_id and s.place = c.place
        group by s.question_id
    )
    select t.question_id, t.db_id, t.question, coalesce(to_json(w.shots)::varchar, '[]') as shots
    from history_tasks as t
    left join written as w using (question_id)
    where t.task_set = $task_set
    order by t.question_position, t.question_id
"""
_RETRIEVERS = "select distinct retriever from history_candidates where task_set = ?"


def exported_shots(home: Home, benchmark: str, setting: str) -> list[dict[str, Any]]:
    """The shots of a setting of retrieval, question by question, as the built warehouse has them.

    GlueError for a benchmark that is not under the history study, or has no tasks, for no setting, and for a
    retriever that lacks what it leans on.
    """
    from glue.warehouse import open_read_only

    retrieval = retrieval_of(setting, project_directory())
    check_under_history(home, benchmark, setting)
    shots = retrieval.shots
    values = {
        "task_set": f"{benchmark}/history",
        "retriever": retrieval.retriever,
        "threshold": retrieval.threshold,
        "n_most": int(shots) if shots is not None and shots.isdigit() else None,
        "uses_questions": retrieval.uses_questions,
    }
    with open_read_only(home) as warehouse:
        rows = warehouse.execute(_SHOTS, values).fetchall()
        found = warehouse.execute(_RETRIEVERS, [values["task_set"]]).fetchall()
    if not rows:
        raise GlueError(
            f"the warehouse holds no tasks of {benchmark}",
            f"glue build, or glue run --study history --benchmark {benchmark}",
        )
    if (retrieval.retriever,) not in found and retrieval.retriever != "none":
        raise GlueError(
            f"{retrieval.retriever} has retrieved nothing for {benchmark}",
            "what ends in _model is a model's choice, which has to be asked for: glue run --study history "
            f"--benchmark {benchmark} --model … --retriever {retrieval.retriever}",
        )
    return [
        {"question_id": row[0], "db_id": row[1], "question": row[2], "shots": json.loads(row[3])}
        for row in rows
    ]


def shots_text(tasks: list[dict[str, Any]]) -> str:
    """Shots as JSON for people to read."""
    return json.dumps(tasks, indent=2, ensure_ascii=False) + "\n"


def write_shots(tasks: list[dict[str, Any]], file: Path) -> None:
    """Write shots as one JSON list, to a file that appears once it is whole."""
    from glue.query import output_file

    with output_file(file) as out:
        out.write(shots_text(tasks).encode())
