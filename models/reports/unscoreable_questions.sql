select
    benchmark,
    question_id,
    gold_edition,
    db_id,
    status,
    gold_error_class,
    gold_error_message,
from {{ ref('question_scoreability') }}
where not is_scoreable
order by benchmark, gold_edition, db_id, question_id
