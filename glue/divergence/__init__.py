"""Does a prediction that equals gold on its data stay equal on other data that the schema allows?

`check` makes small instances of the database, runs both statements on each, and shrinks the first on which
they part to a witness that a person can read.
"""
