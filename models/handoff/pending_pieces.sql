select
    text_id,
    piece_number,
    text,
from {{ ref('context_pieces') }}
order by piece_number
