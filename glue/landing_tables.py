"""The schema of every landing table: the one declaration that writers, readers and dbt's sources share.

Each table is append-only. `key` says which rows are the same row landed twice. Rows that an import lands
carry its `import_id` and count only once that import's own row has landed in `imports` (it is written
last), so a half-done import is invisible.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

TEXT = pa.string()
INT = pa.int64()
FLAG = pa.bool_()
MOMENT = pa.timestamp("us", tz="UTC")
TEXTS = pa.list_(pa.string())
FLOATS = pa.list_(pa.float32())
HALVES = pa.list_(pa.float16())
STEPS = pa.list_(pa.int16())


@dataclass(frozen=True)
class LandingTable:
    """One landing table: its grain in words, its Arrow schema and the columns that identify a row."""

    name: str
    grain: str
    schema: pa.Schema
    key: tuple[str, ...]


def _table(name: str, grain: str, key: tuple[str, ...], **columns: pa.DataType) -> LandingTable:
    fields = [pa.field(column, kind) for column, kind in columns.items()]
    return LandingTable(name, grain, pa.schema([*fields, pa.field("landed_at", MOMENT)]), key)


_TABLES = (
    _table(
        "imports",
        "One row per finished import; the newest of a scope (and benchmark, if of predictions) counts",
        ("import_id",),
        import_id=TEXT,  # md5 of kind, scope, options and the sha256 of every file read
        kind=TEXT,  # bird, spider, beaver, mschema, jsonl, defog, database, predictions, control, history, …
        scope=TEXT,  # what a newer import of the same scope replaces, e.g. 'predictions:alpha'
        benchmark=TEXT,
        prediction_set=TEXT,
        files=TEXTS,  # file names as given, for people
        file_sha256=TEXTS,
        options=TEXT,  # JSON
        is_partial=FLAG,  # predictions: only the questions in the file were asked
        n_rows=INT,
        n_refused=INT,
        imported_at=MOMENT,
    ),
    _table(
        "import_refusals",
        "One row per entry of a file that was refused or repaired during an import",
        ("import_id", "file", "record", "field", "reason"),
        import_id=TEXT,
        file=TEXT,
        record=TEXT,  # 'line 12', 'key "37"', 'row 4'
        question_id=TEXT,
        field=TEXT,
        reason=TEXT,  # a code: missing, extra, unsplittable, not_text, …
        detail=TEXT,
        advice=TEXT,  # what to do
        is_landed=FLAG,  # true: landed with this remark; false: left out
    ),
    _table(
        "databases",
        "One row per database that an import describes",
        ("import_id", "db_id"),
        import_id=TEXT,
        benchmark=TEXT,
        db_id=TEXT,
        source=TEXT,  # bird_tables, spider_tables, mschema, introspection, bank, …
        engine=TEXT,  # a row of seeds/engines.csv; NULL for a schema without a database
        path=TEXT,  # absolute path of the file; NULL without one
        snapshot_id=TEXT,  # sha256 of the file; of a live database 'live:<connection>/<schemas>@<label>'
        n_bytes=INT,
        connection=TEXT,  # name of the stored connection to a live database; NULL for a file
        search_path=TEXTS,  # the schemas that an unqualified name is looked up in, in order; NULL for a file
        schema_id=TEXT,  # the benchmark's short name of the schema, T2-A; NULL: none
        tier=INT,  # complexity tier, 1 to 3 (ESQ-Bench §4.3); NULL: none
    ),
    _table(
        "tables",
        "One row per table that an import describes",
        ("import_id", "db_id", "table_name"),
        import_id=TEXT,
        benchmark=TEXT,
        db_id=TEXT,
        source=TEXT,
        table_name=TEXT,  # as spelled in the source
        table_position=INT,  # 1-based
        natural_name=TEXT,
        description=TEXT,
        n_rows=INT,
        is_row_estimate=FLAG,  # n_rows is what a server believes; NULL: a file's, counted, or unknown
    ),
    _table(
        "columns",
        "One row per column and per source that describes it",
        ("import_id", "db_id", "table_name", "column_name", "source"),
        import_id=TEXT,
        benchmark=TEXT,
        db_id=TEXT,
        source=TEXT,  # bird_tables, introspection, description_csv, column_meaning, mschema, …
        table_name=TEXT,
        column_name=TEXT,
        column_position=INT,  # 1-based; NULL where the source has no order
        data_type=TEXT,
        natural_name=TEXT,
        description=TEXT,
        value_description=TEXT,
        sample_values=TEXTS,
        is_primary_key=FLAG,
        is_nullable=FLAG,
        storage_classes=TEXTS,  # SQLite, introspected: the classes really stored, e.g. [integer, null]
    ),
    _table(
        "foreign_keys",
        "One row per column of a foreign key that an import describes",
        ("import_id", "db_id", "table_name", "column_name", "referenced_table", "referenced_column"),
        import_id=TEXT,
        benchmark=TEXT,
        db_id=TEXT,
        source=TEXT,
        key_name=TEXT,  # groups the columns of a composite key
        key_position=INT,  # 1-based place within the key
        table_name=TEXT,
        column_name=TEXT,
        referenced_table=TEXT,
        referenced_column=TEXT,
        is_inferred=FLAG,  # from names and unique keys; NULL in what older versions landed: declared
    ),
    _table(
        "schema_notes",
        "One row per note that somebody who knows a database's schema gives whoever writes SQL for it",
        ("import_id", "db_id", "note_number"),
        import_id=TEXT,
        benchmark=TEXT,
        db_id=TEXT,
        note_number=INT,  # 1-based
        note_text=TEXT,
    ),
    _table(
        "questions",
        "One row per question of a benchmark",
        ("import_id", "question_id"),
        import_id=TEXT,
        benchmark=TEXT,
        question_id=TEXT,
        question_position=INT,  # 0-based place in the file
        source_question_id=TEXT,  # the same of one question in several dialects; NULL: not said
        db_id=TEXT,
        question=TEXT,
        evidence=TEXT,
        difficulty=TEXT,  # as published
        dialect=TEXT,
        is_ordered=FLAG,  # NULL: gold's outermost ORDER BY decides
        intent=TEXT,
        domain=TEXT,
        subdomain=TEXT,
        language=TEXT,
        document_ids=TEXTS,
        category_group=TEXT,  # ESQ-Bench's taxonomy, table 4; NULL: none
        category=TEXT,
        is_sd_probe=FLAG,  # asked in pairs that a lucky data set cannot tell apart (ESQ-Bench §7.3)
        base_benchmark=TEXT,  # benchmark whose question of the same id this is, over a supplementary instance
    ),
    _table(
        "golds",
        "One row per accepted answer of a question, within an edition of the golds",
        ("import_id", "question_id", "gold_edition", "gold_number"),
        import_id=TEXT,
        benchmark=TEXT,
        question_id=TEXT,
        gold_edition=TEXT,  # 'benchmark' for the benchmark's own
        gold_number=INT,  # 1-based; several are alternatives
        dialect=TEXT,
        gold_sql=TEXT,  # NULL for a stored result
        result_id=TEXT,  # of a stored result
        is_ordered=FLAG,  # of a stored result: does order count
    ),
    _table(
        "question_statements",
        "One row per authored statement of a question that is no gold: by role, edition and dialect",
        ("import_id", "question_id", "role", "gold_edition", "dialect"),
        import_id=TEXT,
        benchmark=TEXT,
        question_id=TEXT,
        role=TEXT,  # 'distractor', 'second_gold'
        gold_edition=TEXT,  # edition of the golds it belongs to
        dialect=TEXT,
        sql=TEXT,
    ),
    _table(
        "question_constraints",
        "One row per constraint of a question's intent",
        ("import_id", "question_id", "constraint_number"),
        import_id=TEXT,
        benchmark=TEXT,
        question_id=TEXT,
        constraint_number=INT,  # 1-based
        kind=TEXT,  # grain, output, null, boundary, ordering, duplicates, scope, rounding
        is_activated=FLAG,  # by the supplementary instance: an answer that breaks it differs there
        constraint_text=TEXT,
    ),
    _table(
        "question_constructs",
        "One row per construct of its dialect that a question calls for",
        ("import_id", "question_id", "construct"),
        import_id=TEXT,
        benchmark=TEXT,
        question_id=TEXT,
        construct=TEXT,  # a row of seeds/constructs.csv
    ),
    _table(
        "question_result_columns",
        "One row per column of the result that a question asks for",
        ("import_id", "question_id", "column_position"),
        import_id=TEXT,
        benchmark=TEXT,
        question_id=TEXT,
        column_position=INT,  # 1-based
        column_name=TEXT,
        value_type=TEXT,  # integer, number, text, date
        n_decimals=INT,  # of a number
    ),
    _table(
        "dialect_exceptions",
        "One row per question whose gold in a dialect cannot give what the reference gold gives",
        ("import_id", "question_id", "dialect"),
        import_id=TEXT,
        benchmark=TEXT,
        question_id=TEXT,
        dialect=TEXT,
        kind=TEXT,  # inexpressible, rounding, collation, type
        reason=TEXT,
    ),
    _table(
        "predictions",
        "One row per question asked of a prediction set, and sample",
        ("import_id", "question_id", "sample"),
        import_id=TEXT,
        prediction_set=TEXT,
        benchmark=TEXT,
        question_id=TEXT,
        sample=INT,  # 1 where there is one
        gold_edition=TEXT,
        dialect=TEXT,
        raw_text=TEXT,  # the entry as it came; NULL when missing or not text
        predicted_sql=TEXT,  # what is run; NULL when there is none
        extraction=TEXTS,  # what was done to get it: think_block, fence, prose, bird_suffix, …
        cut_away=TEXT,  # the text that was cut away, for people
        issue=TEXT,  # NULL, or why there is no SQL: missing, null, not_text, empty, no_sql, unsplittable, …
        record=TEXT,  # where in the file
    ),
    _table(
        "runs",
        "One row per prediction set that `glue generate` planned or started; a started one lands again",
        ("run_id", "is_planned"),
        run_id=TEXT,
        prediction_set=TEXT,
        benchmark=TEXT,
        model=TEXT,
        settings=TEXT,  # JSON: temperature, max_tokens, … as asked for; {} for controls
        setting=TEXT,  # prompt setting: zero_shot, schema_linked; NULL for controls
        dialect=TEXT,  # asked for; NULL: the question's own
        question_ids=TEXTS,  # NULL: all of the benchmark
        gold_edition=TEXT,
        n_samples=INT,
        is_planned=FLAG,  # true: nothing may be sent yet; NULL in what older versions landed: started
        purpose=TEXT,  # what is asked for: describe_history, …; NULL: answers
        started_at=MOMENT,
    ),
    _table(
        "responses",
        "One row per attempt at a request",
        ("request_id", "attempt_id"),
        request_id=TEXT,
        attempt_id=TEXT,
        purpose=TEXT,  # answer, …
        model=TEXT,
        attempt_number=INT,  # 1-based, over all commands
        outcome=TEXT,  # answered, truncated, failed
        is_permanent=FLAG,  # of a failure: asking again cannot help
        response_text=TEXT,
        error=TEXT,
        error_kind=TEXT,  # rate_limit, server_error, timeout, connection, malformed_response, bad_request, …
        http_status=INT,
        retry_after_s=pa.float64(),
        finish_reason=TEXT,  # stop, length, content_filter, …
        n_prompt_tokens=INT,  # NULL: not said
        n_cached_tokens=INT,  # part of the prompt
        n_completion_tokens=INT,
        n_reasoning_tokens=INT,  # part of the completion
        cost_usd=pa.float64(),  # NULL: unknown
        price_source=TEXT,  # cost_map, command_line; NULL without a price
        answering_model=TEXT,  # the model that the provider says answered
        provider_response_id=TEXT,
        request_json=TEXT,  # as sent, without keys
        response_json=TEXT,  # as it came
        elapsed_ms=pa.float64(),
        responded_at=MOMENT,
    ),
    _table(
        "executions",
        "One row per attempt at running a statement",
        ("execution_id",),
        execution_id=TEXT,
        statement_id=TEXT,  # NULL for a stored gold result
        engine=TEXT,
        snapshot_id=TEXT,
        variant=TEXT,  # prepared, untouched, stored
        wave_id=TEXT,  # on a live database, the `glue execute` it was part of; NULL for a file
        wave_role=TEXT,  # of a gold on a live database: start, end; NULL for all else
        outcome=TEXT,  # answered, failed, timed_out, refused, unsupported, crashed, no_database
        error_class=TEXT,  # syntax, unknown_column, not_a_read, resource, …
        error_code=TEXT,
        error_message=TEXT,
        result_id=TEXT,
        n_rows=INT,
        n_columns=INT,
        column_names=TEXTS,
        is_cut=FLAG,
        is_killed=FLAG,
        elapsed_ms=pa.float64(),
        timeout_ms=pa.float64(),
        max_rows=INT,
        executed_at=MOMENT,
    ),
    _table(
        "divergence_checks",
        "One row per attempt at telling a prediction from its gold on other data than the database's",
        ("check_id",),
        check_id=TEXT,
        divergence_id=TEXT,  # the pair of statements on a database: a row of pending_divergences
        engine=TEXT,
        snapshot_id=TEXT,
        outcome=TEXT,  # diverges, diverges_beyond_data, stays_equal, not_decidable, failed
        reason=TEXT,  # of not_decidable, failed, and of what stays equal because it is the same statement
        kind=TEXT,  # of the change that showed it: null, boundary, duplicate, …
        assumption_classes=TEXTS,  # of the undeclared regularities that the witness breaks
        assumptions=TEXTS,  # the same in words, one each
        n_instances=INT,  # tried
        gold_columns=TEXTS,
        predicted_columns=TEXTS,
        gold_rows=TEXT,  # gold's result on the witness: JSON, a list of cells for each row
        predicted_rows=TEXT,  # NULL where the prediction fails there
        predicted_error=TEXT,
        witness=TEXT,  # JSON: of each table its columns and rows
        is_killed=FLAG,
        elapsed_ms=pa.float64(),
        timeout_ms=pa.float64(),
        checker_version=TEXT,
        checked_at=MOMENT,
    ),
    _table(
        "results",
        "One row per distinct result: equal ordered rows are one result, whatever SQL gave them",
        ("result_id",),
        result_id=TEXT,  # md5 over column count and every row in order; of a cut one, the cap too
        n_rows=INT,  # all of them
        n_columns=INT,
        n_stored_rows=INT,
        is_cut=FLAG,
        cut_multiset_signature=TEXT,  # where rows are cut or not kept: over all; NULL when too many to hold
        cut_set_signature=TEXT,
        is_kept=FLAG,  # false: rows were left out at wish (--keep-rows), not for a cap; NULL, as of old: kept
    ),
    _table(
        "result_rows",
        "One row per stored row of a result",
        ("result_id", "row_number"),
        result_id=TEXT,
        row_number=INT,  # 1-based, in the order the engine gave
        cells=TEXTS,  # canonical cells; a NULL element is SQL's NULL
    ),
    _table(
        "prepared_copies",
        "One row per indexed copy made of a database snapshot",
        ("snapshot_id", "recipe"),
        snapshot_id=TEXT,
        recipe=TEXT,
        n_indexes=INT,
        n_bytes=INT,
        elapsed_ms=pa.float64(),
        prepared_at=MOMENT,
    ),
    _table(
        "studies",
        "One row per study of a benchmark that was asked for; its models stay empty without one",
        ("study_id",),
        study_id=TEXT,
        study=TEXT,  # budget, history, tasks
        benchmark=TEXT,
        options=TEXT,  # JSON
        registered_at=MOMENT,
    ),
    _table(
        "history_queries",
        "One row per past query that an imported query log brings",
        ("import_id", "history_query_id"),
        import_id=TEXT,
        history=TEXT,  # the log's name
        benchmark=TEXT,  # whose schemas and database files it uses
        history_query_id=TEXT,
        query_position=INT,  # 0-based place in the file
        db_id=TEXT,
        sql=TEXT,  # NULL: the entry has no text
        dialect=TEXT,
        question=TEXT,  # what was asked in words; NULL where the log does not say
        executed_at=MOMENT,
        outcome=TEXT,  # succeeded, failed; NULL: not said
        error=TEXT,
        n_result_rows=INT,
    ),
    _table(
        "history_labels",
        "One row per published knowledge key of a question that is answered with the help of a history",
        ("import_id", "question_id", "label_number"),
        import_id=TEXT,
        benchmark=TEXT,
        question_id=TEXT,
        history=TEXT,
        label_number=INT,  # 1-based place within the question
        knowledge_key=TEXT,  # as published, values masked
        history_query_ids=TEXTS,  # the past queries that hold it, as published
    ),
    _table(
        "history_requests",
        "One row per request of the history study that was asked for; the newest of a subject counts",
        ("run_id", "subject_id", "sample"),
        run_id=TEXT,
        purpose=TEXT,  # describe_history, extract_keywords, filter_rerank, preliminary_sql
        benchmark=TEXT,
        history=TEXT,
        db_id=TEXT,
        subject_id=TEXT,  # the past query or the question that it is about
        sample=INT,
        request_id=TEXT,
        model=TEXT,
        settings=TEXT,  # JSON
        messages=TEXT,  # JSON of role and content, as sent
        offered=TEXT,  # JSON: what the answer's numbers stand for
        planned_at=MOMENT,
    ),
    _table(
        "history_verdicts",
        "One row per question of a prediction set that a history study leans on; the newest counts",
        ("benchmark", "prediction_set", "question_id"),
        benchmark=TEXT,
        prediction_set=TEXT,
        question_id=TEXT,
        sql=TEXT,  # what it answered; NULL: nothing that can be run
        is_right=FLAG,  # under ex_set, BIRD's rule; NULL: nobody can tell
        noted_at=MOMENT,
    ),
    _table(
        "task_reviews",
        "One row per decision on a task in its human review",
        ("import_id", "task_id", "review_round", "reviewer", "role"),
        import_id=TEXT,
        benchmark=TEXT,
        task_id=TEXT,
        review_round=INT,  # 1: each for themselves; 2: after what the first round left open
        reviewer=TEXT,  # NULL: of a discussion, all of them
        role=TEXT,  # annotator, discussion, senior
        decision=TEXT,  # in lower case
        reason=TEXT,
    ),
    _table(
        "task_requests",
        "One row per request that drafting tasks has planned",
        ("task_run_id", "draft_number", "revision", "purpose"),
        task_run_id=TEXT,
        benchmark=TEXT,
        draft_number=INT,  # 1-based
        revision=INT,  # 0: the draft itself; of a validation: the revision it looks at
        purpose=TEXT,  # generate_task, validate_task, fix_task
        request_id=TEXT,  # of a later wave too: a changed template asks nothing again
        model=TEXT,
        settings=TEXT,  # JSON
        messages=TEXT,  # JSON of role and content, as sent
        schema_benchmark=TEXT,
        history=TEXT,
        db_id=TEXT,
        history_query_ids=TEXTS,  # the past queries that the draft was offered, in the prompt's order
        planned_at=MOMENT,
    ),
    _table(
        "encoders",
        "One row per encoder, revision and benchmark that `glue embed` was asked for; the newest counts",
        ("encoder", "revision", "benchmark"),
        encoder=TEXT,  # minilm, use-multilingual, hub:ORG/NAME, a folder's name, or litellm's provider/model
        revision=TEXT,  # sha256 of its files; of an API, the model's name with its address and settings
        benchmark=TEXT,
        kind=TEXT,  # sentence_transformers, numpy, api
        settings=TEXT,  # JSON: api_base, dimensions; {} for encoders that run here
        n_max_tokens=INT,  # that it reads of a text; NULL: all, or unknown
        asked_at=MOMENT,
    ),
    _table(
        "embedding_attempts",
        "One row per attempt at embedding a batch of texts",
        ("attempt_id",),
        attempt_id=TEXT,
        encoder=TEXT,
        revision=TEXT,
        embedding_ids=TEXTS,  # the embeddings that it was to bring
        n_texts=INT,
        outcome=TEXT,  # answered, failed
        is_counted=FLAG,  # of a failure: it used up an attempt of its text; never of several texts
        is_permanent=FLAG,  # of a failure: asking again cannot help; never of several texts, which are halved
        error=TEXT,
        error_kind=TEXT,  # as in responses
        http_status=INT,
        retry_after_s=pa.float64(),
        n_prompt_tokens=INT,  # NULL: not said
        cost_usd=pa.float64(),  # NULL: unknown; 0 for encoders that run here
        price_source=TEXT,  # cost_map, command_line; NULL without a price
        answering_model=TEXT,  # the model that the provider says answered
        response_json=TEXT,  # as it came, of failures only
        elapsed_ms=pa.float64(),
        attempted_at=MOMENT,
    ),
    _table(
        "embeddings",
        "One row per text that an encoder's revision has embedded",
        ("embedding_id",),
        embedding_id=TEXT,  # md5 of encoder, revision and text
        attempt_id=TEXT,
        text_id=TEXT,  # md5 of the text
        encoder=TEXT,
        revision=TEXT,
        vector=FLOATS,  # as the encoder gave it, finite; NULL: rounded, in one of the next two
        half_vector=HALVES,  # rounded to half precision
        steps=STEPS,  # rounded to whole steps, -511 to 511: Parquet's dictionary writes each in ten bits
        step=pa.float64(),  # one of them: the vector's largest number is 511
        n_dimensions=INT,
        n_tokens=INT,  # of the whole text, by the encoder's own count; NULL: not said
        is_cut=FLAG,  # the encoder read only the beginning; NULL: not said
    ),
)

TABLES: dict[str, LandingTable] = {table.name: table for table in _TABLES}
