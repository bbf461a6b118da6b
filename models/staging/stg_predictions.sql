with

landed as (

    select * from {{ source('landing', 'predictions') }}

),

current_once as (

    select
        import_id,
        prediction_set,
        benchmark,
        question_id,
        sample,
        gold_edition,
        dialect,
        raw_text,
        predicted_sql,
        extraction,
        cut_away,
        issue,
        record,
    from landed
    where {{ is_current_import() }}
    qualify row_number() over (partition by import_id, question_id, sample order by landed_at desc) = 1

)

select * from current_once
