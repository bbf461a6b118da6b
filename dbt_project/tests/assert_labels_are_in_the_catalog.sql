-- What a gold needs is a table and a column of its database, and every column's table is needed too.
select
    gold_columns.gold_id,
    gold_columns.table_key,
    gold_columns.column_key,
from {{ ref('gold_columns') }} as gold_columns
left join {{ ref('columns') }} as columns
    on gold_columns.benchmark = columns.benchmark
    and gold_columns.db_id = columns.db_id
    and gold_columns.table_key = columns.table_key
    and gold_columns.column_key = columns.column_key
left join {{ ref('gold_tables') }} as gold_tables
    on gold_columns.gold_id = gold_tables.gold_id
    and gold_columns.table_key = gold_tables.table_key
where columns.column_key is null or gold_tables.table_key is null
