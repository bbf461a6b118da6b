with

gains as (

    select * from {{ ref('budget_gains') }}

),

decoding as (

    select * from {{ ref('decode_variances') }}

),

drawn as (

    -- The cells' answers count as drawn apart.
    select
        gains.*,
        round(
            sqrt(
                decoding_a.decode_standard_error * decoding_a.decode_standard_error
                + decoding_b.decode_standard_error * decoding_b.decode_standard_error
            ),
            9
        ) as decode_standard_error,
    from gains
    {% for side in ['a', 'b'] -%}
    left join decoding as decoding_{{ side }}
        on gains.set_{{ side }} = decoding_{{ side }}.prediction_set
        and gains.benchmark = decoding_{{ side }}.benchmark
        and gains.protocol = decoding_{{ side }}.protocol
        and gains.metric = decoding_{{ side }}.metric
    {% endfor %}
),

replicated as (

    select
        one.contrast_family,
        one.benchmark,
        one.ranker,
        one.representation,
        one.condition,
        one.naming,
        one.slice_by,
        one.slice,
        one.metric,
        one.budget_a,
        one.budget_b,
        one.model as model_1,
        other.model as model_2,
        one.solver_id as solver_id_1,
        other.solver_id as solver_id_2,
        one.gain as gain_1,
        one.ci_low as ci_low_1,
        one.ci_high as ci_high_1,
        one.ci_low_clustered as ci_low_clustered_1,
        one.ci_high_clustered as ci_high_clustered_1,
        one.n_questions as n_questions_1,
        one.n_clusters as n_clusters_1,
        one.decode_standard_error as decode_standard_error_1,
        other.gain as gain_2,
        other.ci_low as ci_low_2,
        other.ci_high as ci_high_2,
        other.ci_low_clustered as ci_low_clustered_2,
        other.ci_high_clustered as ci_high_clustered_2,
        other.n_questions as n_questions_2,
        other.n_clusters as n_clusters_2,
        other.decode_standard_error as decode_standard_error_2,
        sign(one.gain) = sign(other.gain) as is_same_sign,
        one.ci_low <= other.ci_high and other.ci_low <= one.ci_high as is_overlapping,
        one.ci_low_clustered <= other.ci_high_clustered and other.ci_low_clustered <= one.ci_high_clustered
            as is_overlapping_clustered,
    from drawn as one
    inner join drawn as other
        on one.contrast_family = other.contrast_family
        and one.benchmark = other.benchmark
        and one.ranker = other.ranker
        and one.representation = other.representation
        and one.condition = other.condition
        and one.naming = other.naming
        and one.budget_a = other.budget_a
        and one.budget_b = other.budget_b
        and (one.model, one.solver_id) < (other.model, other.solver_id)

)

select * from replicated
order by
    contrast_family, benchmark, model_1, model_2, solver_id_1, solver_id_2, condition, naming, representation, ranker
