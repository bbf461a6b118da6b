-- What matches exactly matches under every verdict that forgives something, and equal multisets are equal sets.
select
    pair_id,
    ex_set,
    ex_multiset,
    ex,
    ex_strict,
    ex_permuted,
    ex_projection,
    ex_tolerant,
from {{ ref('pair_verdicts') }}
where
    (ex and not (ex_permuted and ex_projection and ex_tolerant))
    or (ex_permuted and not ex_projection)
    or (ex_strict and not (ex and ex_multiset))
    or (ex_multiset and not ex_set)
    or (ex and not is_limit_tie and not ex_multiset)
