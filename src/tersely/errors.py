"""Errors a person can act on.

Every error raised on purpose says what is wrong, where, and what to do. The
command line prints the message alone and turns the class into an exit code.
"""


class TerselyError(Exception):
    """Something failed; the message says what and what to try. Exit code 1."""

    exit_code = 1


class UsageError(TerselyError):
    """What was asked cannot be done as asked: bad option, file or value. Exit code 2."""

    exit_code = 2
