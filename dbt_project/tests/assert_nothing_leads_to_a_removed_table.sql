-- Once the tables that a question requires are taken away, nothing in its contexts leads to them.
select
    benchmark,
    question_id,
    ranker,
    representation,
    budget,
    n_tables_left,
    n_foreign_keys,
    n_prefixed_names,
    n_qualified_names,
    n_key_comments,
from {{ ref('leak_audit') }}
where not is_clean
