"""`python -m quadrants` is the command `quadrants`."""

from quadrants import _command

if __name__ == "__main__":
    raise SystemExit(_command.main())
