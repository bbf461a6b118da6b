{#- How many rows of results stand where gold's order has no such row, or not as often; and how many stand in some place. -#}
{% macro misplaced_rows(results, keys, row_keys, positions, order_rows) -%}
    select
        {% for key in keys -%}
        shown.{{ key }},
        {% endfor -%}
        sum(greatest(shown.n_copies - coalesce(allowed.n_copies, 0), 0)) as n_misplaced_rows,
        sum(shown.n_copies) as n_placed_rows,
    from (
        select
            {% for key in keys -%}
            {{ results }}.{{ key }},
            {% endfor -%}
            positions.statement_id,
            positions.wave_id as places_wave_id,
            positions.order_rank,
            row_keys.row_key,
            count(*) as n_copies,
        from {{ results }}
        inner join {{ positions }} as positions
            on {{ results }}.gold_statement_id = positions.statement_id
            and {{ results }}.wave_id is not distinct from positions.wave_id
        -- Last, and by its place too: of most results no row stands in a tie.
        inner join {{ row_keys }} as row_keys
            on {{ results }}.shown_result_id = row_keys.result_id
            and positions.position = row_keys.row_number
        group by all
    ) as shown
    left join (
        select
            statement_id,
            wave_id,
            order_rank,
            row_key,
            count(*) as n_copies,
        from {{ order_rows }}
        group by statement_id, wave_id, order_rank, row_key
    ) as allowed
        on shown.statement_id = allowed.statement_id
        and shown.places_wave_id is not distinct from allowed.wave_id
        and shown.order_rank = allowed.order_rank
        and shown.row_key = allowed.row_key
    group by all
{%- endmacro %}
