with

landed as (

    select * from {{ source('landing', 'responses') }}

),

once as (

    select
        request_id,
        attempt_id,
        purpose,
        model,
        outcome,
        response_text,
        error,
        elapsed_ms,
        responded_at,
    from landed
    qualify row_number() over (partition by request_id, attempt_id order by landed_at desc) = 1

)

select * from once
