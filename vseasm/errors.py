# SPDX-License-Identifier: Apache-2.0
"""Errors in a source: each names the file, the line and the column."""


class AsmError(Exception):
    """An error at a place. Within an operand, at is the offset of the character; Statement.place() finds the place."""

    def __init__(self, text, at=0):
        super().__init__(text)
        self.text, self.at = text, at


class SourceError(Exception):
    def __init__(self, path, line, column, text):
        super().__init__(f"{path}:{line}:{column}: {text}")
