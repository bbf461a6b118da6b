with

drafts as (

    select distinct statement_id
    from {{ ref('drafted_statements') }}

),

executions as (

    select * from {{ ref('executions') }}

),

result_rows as (

    select * from {{ ref('stg_result_rows') }}

),

ran as (

    -- Whether a draft runs and returns something is the same on an indexed copy; an answer counts before a failure.
    select
        drafts.statement_id,
        executions.outcome,
        executions.error_message,
        executions.timeout_ms,
        executions.result_id,
        executions.n_rows,
        executions.column_names,
    from drafts
    inner join executions on drafts.statement_id = executions.statement_id
    where executions.outcome <> 'no_database'
    qualify row_number() over (
        partition by drafts.statement_id
        order by executions.outcome = 'answered' desc, executions.variant asc
    ) = 1

),

read_rows as (

    select
        result_id,
        count(*) as n_read_rows,
        sum(len(list_filter(cells, lambda cell: cell is not null and cell <> 'n:0')))::bigint as n_filled_cells,
        sum(len(cells))::bigint as n_cells,
        string_agg(
            array_to_string(list_transform(cells, lambda cell: {{ shown_cell('cell') }}), ' | '),
            chr(10) order by row_number
        ) filter (where row_number <= 5) as first_rows,
    from result_rows
    where result_id in (select ran.result_id from ran)
    group by result_id

),

told as (

    select
        ran.statement_id,
        ran.outcome,
        ran.error_message,
        ran.n_rows,
        read_rows.n_read_rows,
        read_rows.n_cells,
        read_rows.n_filled_cells,
        case ran.outcome
            when 'answered' then concat(
                'It ran and returned ', ran.n_rows, if(ran.n_rows = 1, ' row', ' rows'),
                if(
                    ran.n_rows > 0,
                    concat(
                        if(ran.n_rows > 5, '; the first five:', ':'), chr(10),
                        array_to_string(ran.column_names, ' | '), chr(10), read_rows.first_rows
                    ),
                    '.'
                )
            )
            when 'timed_out' then concat('It was stopped after ', round(ran.timeout_ms / 1000, 1), ' seconds.')
            when 'refused' then concat('It was not run: ', coalesce(ran.error_message, 'it does more than read'))
            when 'unsupported' then concat('It was not run here, which says nothing of it: ', ran.error_message)
            else concat('It failed: ', coalesce(ran.error_message, ran.outcome))
        end as feedback,
    from ran
    left join read_rows on ran.result_id = read_rows.result_id

)

select * from told
