"""Evalhouse's hands: read files, run SQL, ask models. What is a fact or a computation is a dbt model."""

__version__ = "0.1.0"
