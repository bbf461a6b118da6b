"""What comes in: one module per input format, which reads files into an ImportBatch for `common.land`."""
