"""What answers a question: controls today, one module per kind of solver."""
