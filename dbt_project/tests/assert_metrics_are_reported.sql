-- A metric that no protocol reports, or that has no score, would never show. Only predictions in a union namespace
-- have scores of that contract, only those to questions with a supplementary instance diverge formally, and what is
-- retrieved from past queries has no prediction.
select
    metrics.metric,
    'no protocol' as missing,
from {{ ref('metrics') }} as metrics
anti join {{ ref('protocol_metrics') }} as protocol_metrics on metrics.metric = protocol_metrics.metric

union all

select
    metrics.metric,
    'no score' as missing,
from {{ ref('metrics') }} as metrics
anti join {{ ref('prediction_scores') }} as prediction_scores on metrics.metric = prediction_scores.metric
where
    exists (select 1 from {{ ref('prediction_scores') }})
    and (not ends_with(metrics.metric, '_namespace') or exists (select 1 from {{ ref('score_namespace') }}))
    and (metrics.metric not in ('sd', 'sd_executed') or exists (select 1 from {{ ref('score_formal_divergence') }}))
    and (metrics.metric <> 'sd_auto' or exists (select 1 from {{ ref('score_automatic_divergence') }}))
    and metrics.metric not in (
        select protocol_metrics.metric
        from {{ ref('protocol_metrics') }} as protocol_metrics
        inner join {{ ref('protocols') }} as protocols on protocol_metrics.protocol = protocols.protocol
        where protocols.is_for_histories
    )
