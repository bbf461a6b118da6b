"""What is known about a SQL text: one guarded parse, and everything that is read off its tree."""
