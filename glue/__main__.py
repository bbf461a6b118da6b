"""`python -m glue`: the same as `glue`."""

from glue.cli import main

if __name__ == "__main__":
    main()
