"""`python -m foldproof`: the same commands as `foldproof`."""

from foldproof.cli import main

if __name__ == "__main__":
    main(prog_name="foldproof")
