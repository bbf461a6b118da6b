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
        coalesce(
            vector,
            half_vector::float[],
            list_transform(steps, lambda n_steps: (n_steps * step)::float)
        ) as vector,
        case when vector is not null then 'single' when half_vector is not null then 'half' else 'ten-bit' end as precision,
        case
            when vector is not null then 4 * n_dimensions
            when half_vector is not null then 2 * n_dimensions
            -- The step of its whole numbers is stored as well.
            else ceil(n_dimensions * 10 / 8)::bigint + 8
        end as n_bytes,
        n_dimensions,
        n_tokens,
        is_cut,
    from landed
    qualify row_number() over (partition by embedding_id order by landed_at desc) = 1

)

select * from once
