select
    gold_id,
    benchmark,
    question_id,
    gold_edition,
    gold_number,
    db_id,
    status,
    problem,
    is_plan_sensitive,
    union_error_class,
    union_error_message,
    own_result_id,
    union_result_id,
    gold_sql,
    union_sql,
from {{ ref('union_gold_outcomes') }}
where status not in ('same', 'not_run')
