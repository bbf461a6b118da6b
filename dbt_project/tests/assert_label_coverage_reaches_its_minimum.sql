-- Labels cover the least share of golds that is asked for, of those on a database with a catalog. A minimum that is
-- given is a gate: below it the build fails. Without one a share below 0.99 is a warning, so that a benchmark whose
-- catalog has been imported in part, or whose golds are partly broken, still builds.
{% set minimum = var('minimum_label_coverage', none) %}
{{ config(severity = 'warn' if minimum is none else 'error') }}

select
    benchmark,
    gold_edition,
    numerator,
    denominator - n_golds_without_catalog as n_golds_with_catalog,
    numerator / (denominator - n_golds_without_catalog) as coverage,
from {{ ref('label_coverage_rates') }}
where
    denominator > n_golds_without_catalog
    and numerator / (denominator - n_golds_without_catalog) < {{ 0.99 if minimum is none else minimum }}
