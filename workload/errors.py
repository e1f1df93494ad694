# SPDX-License-Identifier: Apache-2.0
"""Errors that people read."""


class CellError(Exception):
    """A cell of a table, or a column, has no result. The text has the object and the reason."""


class MissingError(CellError):
    """A program of others is not installed."""


class UsageError(Exception):
    """Wrong words or files from the caller."""
