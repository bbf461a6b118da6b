"""Studies: one command that asks, runs and reports a whole grid of cells (docs/budgets.md)."""
