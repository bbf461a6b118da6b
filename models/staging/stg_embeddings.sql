with

landed as (

    select * from {{ source('landing', 'embeddings') }}

),

once as (

    -- A text that was embedded twice (a kill came between its answer and the disk) has the vector that came last.
    select
        embedding_id,
        attempt_id,
        text_id,
        encoder,
        revision,
        coalesce(vector, half_vector::float[]) as vector,
        vector is null as is_half,
        n_dimensions,
        n_tokens,
        is_cut,
    from landed
    qualify row_number() over (partition by embedding_id order by landed_at desc) = 1

)

select * from once
