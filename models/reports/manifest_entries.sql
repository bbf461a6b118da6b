{% set imported_tables = {
    'columns': 'stg_columns',
    'databases': 'stg_databases',
    'foreign_keys': 'stg_foreign_keys',
    'golds': 'stg_golds',
    'history_labels': 'stg_history_labels',
    'history_queries': 'stg_history_queries',
    'predictions': 'stg_predictions',
    'question_statements': 'stg_question_statements',
    'questions': 'stg_questions',
    'tables': 'stg_tables',
    'task_reviews': 'stg_task_reviews',
} -%}
{% set variables = ['check_stability', 'divergence_checker_version', 'minimum_label_coverage', 'prepared', 'token_encoding'] -%}

with

imports as (

    -- A set's name may stand on several benchmarks.
    select
        * replace (
            import_scope || if(count(*) over (partition by import_scope) > 1, ' on ' || benchmark, '') as import_scope
        ),
    from {{ ref('stg_imports') }}
    where is_current

),

databases as (

    select * from {{ ref('databases') }}

),

studies as (

    select * from {{ ref('stg_studies') }}

),

runs as (

    -- What is only planned has given no number.
    select * from {{ ref('stg_runs') }}
    where not is_planned

),

requests as (

    select distinct
        prediction_set,
        benchmark,
        request_id,
    from {{ ref('requests') }}
    where not is_planned

),

responses as (

    select * from {{ ref('stg_responses') }}

),

embeddings as (

    select * from {{ ref('stg_embeddings') }}

),

executions as (

    -- Of a live database each wave: predictions are judged in the one or the other.
    select
        statement_id,
        variant,
        null as wave_role,
        outcome,
        error_class,
        result_id,
        timeout_ms,
        max_rows,
    from {{ ref('executions') }}
    where wave_id is null

    union all

    select
        statement_id,
        variant,
        wave_role,
        outcome,
        error_class,
        result_id,
        timeout_ms,
        max_rows,
    from {{ ref('wave_executions') }}

),

uses as (

    select distinct
        benchmark,
        db_id,
        statement_id,
    from {{ ref('statement_uses') }}

),

weights as (

    select * from {{ ref('bootstrap_weights') }}

),

readers as (

    select distinct analysis_version from {{ ref('statement_syntax') }}

),

import_options as (

    select
        'import' as kind,
        import_scope as name,
        coalesce(options, '{}') as value,
        n_rows,
    from imports

),

listed_files as (

    select
        import_scope,
        generate_subscripts(files, 1) as file_position,
        -- What came before its last part is a place on somebody's disk.
        regexp_extract(unnest(files), '[^/\\]*$') as file_name,
        unnest(file_sha256) as file_sha256,
    from imports

),

numbered_files as (

    select
        *,
        row_number() over (partition by import_scope, file_name order by file_position) as namesake_number,
    from listed_files

),

files as (

    select
        'file' as kind,
        import_scope || '/' || file_name || if(namesake_number = 1, '', ' (' || namesake_number || ')') as name,
        file_sha256 as value,
        null as n_rows,
    from numbered_files

),

imported_rows as (

    -- Without what differs between two imports of the same rows: the import's key, and where a file lies.
    {% for table, model in imported_tables.items() -%}
    select
        imports.import_scope,
        '{{ table }}' as landing_table,
        json_merge_patch(to_json(landed), '{"import_id": null, "path": null}')::varchar as row_text,
    from {{ ref(model) }} as landed
    inner join imports on landed.import_id = imports.import_id
    {%- if not loop.last %}
    union all
    {% endif %}
    {%- endfor %}

),

import_rows as (

    select
        'rows' as kind,
        import_scope || '/' || landing_table as name,
        {{ rows_digest('row_text') }} as value,
        count(*) as n_rows,
    from imported_rows
    group by import_scope, landing_table

),

snapshots as (

    select
        'database' as kind,
        benchmark || '/' || db_id as name,
        coalesce(snapshot_id, 'no data file') as value,
        null as n_rows,
    from databases

),

study_options as (

    select
        'study' as kind,
        study || '/' || benchmark as name,
        coalesce(arg_max(options, (registered_at, study_id)), '{}') as value,
        count(*) as n_rows,
    from studies
    group by study, benchmark

),

placeless_runs as (

    -- Where an API was reached may be nobody's business; whether it was the same place is.
    select
        * replace (
            case
                when json_extract_string(parsed_settings, '$.api_base') is null then parsed_settings
                else json_merge_patch(
                    parsed_settings,
                    json_object('api_base', md5(json_extract_string(parsed_settings, '$.api_base')))
                )
            end as parsed_settings
        ),
    from (
        select
            *,
            coalesce(try_cast(settings as json), '{}'::json) as parsed_settings,
        from runs
    )

),

run_settings as (

    select
        'run' as kind,
        benchmark || '/' || prediction_set as name,
        to_json(struct_pack(
            dialect := dialect,
            gold_edition := gold_edition,
            model := model,
            n_samples := n_samples,
            questions := if(question_ids is null, 'all', md5(array_to_string(question_ids, chr(31)))),
            setting := setting,
            settings := parsed_settings
        ))::varchar as value,
        len(question_ids) as n_rows,
    from placeless_runs

),

set_responses as (

    -- Every attempt and what numbers come of it; how long it took, and when, is left out.
    select
        'responses' as kind,
        requests.benchmark || '/' || requests.prediction_set as name,
        {{ rows_digest("""to_json([
            responses.request_id,
            responses.purpose,
            responses.outcome,
            responses.is_permanent::varchar,
            responses.response_text,
            responses.error_kind,
            responses.finish_reason,
            responses.answering_model,
            responses.n_prompt_tokens::varchar,
            responses.n_cached_tokens::varchar,
            responses.n_completion_tokens::varchar,
            responses.n_reasoning_tokens::varchar,
            responses.cost_usd::varchar
        ])::varchar""") }} as value,
        count(*) as n_rows,
    from requests
    inner join responses on requests.request_id = responses.request_id
    group by requests.benchmark, requests.prediction_set

),

answering_models as (

    -- The name on the command line may stand for another model tomorrow.
    select
        'model' as kind,
        model as name,
        to_json(coalesce(
            list_sort(list(distinct answering_model) filter (where answering_model is not null)), []
        ))::varchar as value,
        count(*) as n_rows,
    from responses
    group by model

),

encoder_embeddings as (

    select
        'embeddings' as kind,
        -- A revision may be an address.
        encoder || '/' || left(if(regexp_full_match(revision, '[0-9a-f]{64}'), revision, md5(revision)), 12) as name,
        {{ rows_digest("concat_ws(' ', text_id, vector::varchar)") }} as value,
        count(*) as n_rows,
    from embeddings
    group by encoder, revision

),

used_executions as (

    select
        uses.benchmark,
        uses.db_id,
        executions.*,
    from uses
    inner join executions on uses.statement_id = executions.statement_id

),

database_executions as (

    select
        'executions' as kind,
        benchmark || '/' || db_id as name,
        {{ rows_digest("to_json([statement_id, variant, outcome, error_class, result_id])::varchar || coalesce(wave_role, '')") }}
            as value,
        count(*) as n_rows,
    from used_executions
    group by benchmark, db_id

),

limits as (

    {% for limit in ['timeout_ms', 'max_rows'] -%}
    select
        'limit' as kind,
        benchmark || '/{{ limit }}' as name,
        to_json(list_sort(list(distinct {{ limit }}) filter (where {{ limit }} is not null)))::varchar as value,
        null as n_rows,
    from used_executions
    group by benchmark
    {%- if not loop.last %}
    union all
    {% endif %}
    {%- endfor %}

),

draws as (

    select
        'draws' as kind,
        benchmark || '/' || unit as name,
        {{ rows_digest("concat_ws(' ', replicate, n_units, weights::varchar)") }} as value,
        count(*) as n_rows,
    from weights
    group by benchmark, unit

),

variables as (

    {% for variable in variables -%}
    select
        'variable' as kind,
        '{{ variable }}' as name,
        '{{ var(variable) | tojson }}' as value,
        null as n_rows,
    {%- if not loop.last %}
    union all
    {% endif %}
    {%- endfor %}

),

reader_versions as (

    select
        'version' as kind,
        'sql_analysis' as name,
        string_agg(analysis_version, ', ' order by analysis_version) as value,
        null as n_rows,
    from readers
    having count(*) > 0

),

entries as (

    {% for part in [
        'import_options', 'files', 'import_rows', 'snapshots', 'study_options', 'run_settings', 'set_responses',
        'answering_models', 'encoder_embeddings', 'database_executions', 'limits', 'draws', 'variables', 'reader_versions',
    ] -%}
    select * from {{ part }}
    {%- if not loop.last %}
    union all
    {% endif %}
    {%- endfor %}

)

select
    kind,
    name,
    value::varchar as value,
    n_rows::bigint as n_rows,
from entries
order by kind, name
