"""Foreign SQL dialects, run on the embedded DuckDB with their own semantics."""
