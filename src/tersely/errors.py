"""Errors that a person can act on.

Every message names what is wrong, where it is and what to do. The command line prints the
message alone and exits with the code of the class.
"""


class TerselyError(Exception):
    """An operation failed; the message names the cause and a way out. Exit code 1."""

    exit_code = 1


class UsageError(TerselyError):
    """An option, file or value is invalid. Exit code 2."""

    exit_code = 2
