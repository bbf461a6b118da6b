"""The enterprise bank: databases and questions of our own, made from the manifest in enterprise/.

`manifest` says what is in it and `reading` reads it; `generation` makes the rows, `instances` changes them
for D′, `files` writes both, and `loading` lands them.
"""

from glue.bank.files import write_duckdb, write_instance, write_sqlite
from glue.bank.generation import TableRows, generate
from glue.bank.instances import render_step
from glue.bank.loading import bank_batch, load_bank
from glue.bank.manifest import ENGINES, BankQuestion, BankTable, Manifest
from glue.bank.reading import manifest_folder, read_manifest

__all__ = [
    "ENGINES",
    "BankQuestion",
    "BankTable",
    "Manifest",
    "TableRows",
    "bank_batch",
    "generate",
    "load_bank",
    "manifest_folder",
    "read_manifest",
    "render_step",
    "write_duckdb",
    "write_instance",
    "write_sqlite",
]
