select
    imports.import_kind,
    imports.benchmark,
    imports.prediction_set,
    refusals.file,
    refusals.record,
    refusals.question_id,
    refusals.field,
    refusals.reason,
    refusals.detail,
    refusals.advice,
    refusals.is_landed,
from {{ ref('stg_import_refusals') }} as refusals
inner join {{ ref('stg_imports') }} as imports on refusals.import_id = imports.import_id
order by imports.imported_at, refusals.file, refusals.record
