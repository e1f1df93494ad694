# SPDX-License-Identifier: Apache-2.0
"""The operands of a macro: positional ones, and KEYWORD=value."""

import re

from errors import AsmError
from source import split_operands

_KEYWORD = re.compile(r"([A-Za-z@#$][A-Za-z0-9@#$]*)=")
_NUMBER = re.compile(r"\d+")
_QUOTED = re.compile(r"'(?:[^']|'')*'")


class Operands:
    def __init__(self, statement):
        self.statement, self.positional, self.keywords = statement, [], {}
        for text, at in split_operands(statement.operands):
            found = _KEYWORD.match(text)
            if not found:
                self.positional.append((text, at))
                continue
            keyword = found[1].upper()
            if keyword in self.keywords:
                raise AsmError(f"{keyword}: given twice", at)
            self.keywords[keyword] = (text[found.end():], at + found.end())
            if not self.keywords[keyword][0]:
                raise AsmError(f"{keyword}=: the value is missing", at)

    def take(self, keyword, default=None):
        return self.keywords.pop(keyword, (default, 0))

    def done(self):
        """Checks that every operand was used."""
        for keyword, (_, at) in self.keywords.items():
            raise AsmError(f"{self.statement.operation}: there is no operand {keyword}", at - len(keyword) - 1)
        for text, at in self.positional:
            raise AsmError(f"{self.statement.operation}: {text} is not expected here", at)


def form_of(text):
    """Returns how an operand is given: w a quoted word, n a number, a an address; and the text without the quotes."""
    if _QUOTED.fullmatch(text):
        return "w", text[1:-1]
    return ("n" if _NUMBER.fullmatch(text) else "a"), text


def list_area(operands):
    """Takes MF=(E,area). Returns the area with its offset, or None; "L" for MF=L."""
    text, at = operands.take("MF")
    if text is None:
        return None
    if text.upper() == "L":
        return "L"
    parts = list(split_operands(text[1:-1], at + 1)) if text.startswith("(") and text.endswith(")") else []
    if len(parts) != 2 or parts[0][0].upper() != "E":
        raise AsmError(f"MF={text}: neither L nor (E,area)", at)
    return parts[1]
