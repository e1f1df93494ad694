# SPDX-License-Identifier: Apache-2.0
"""Turns the lists of CommonMark into those of Python's Markdown.

In CommonMark an item is indented as far as its text. Python's Markdown wants four columns a level, and an empty line between a
paragraph and its list."""

import re

ITEM = re.compile(r" {0,3}([*-]|\d+\.) +(?=\S)")
FENCE = re.compile(r"(```+|~~~+)")


class Lists:
    """The open items at a place of a page."""

    def __init__(self):
        self.columns = []  # where the text of each open item begins

    def close(self, column, after_empty, is_item):
        """Closes the items that a line at this column does not belong to."""
        while self.columns and column < self.columns[-1] and (after_empty or is_item):
            self.columns.pop()

    def cut(self, line):
        """Returns the line without the indentation of its items."""
        base = self.columns[-1] if self.columns else 0
        column = len(line) - len(line.lstrip(" "))
        return line[min(base, column):]

    def indent(self, text):
        return " " * 4 * len(self.columns) + text


def lines(text):
    """Yields whether a line is prose (and not code), and the line."""
    lists, fence, code, before = Lists(), "", False, "empty"
    for line in text.splitlines(keepends=True):
        column = len(line) - len(line.lstrip(" "))
        if not line.strip():
            yield False, line
            before = "empty"
        elif fence:
            yield False, lists.indent(lists.cut(line))
            if line.strip() == fence:
                fence = ""
        else:
            lists.close(column, before == "empty", ITEM.match(line[lists.columns[-1] if lists.columns else 0:])
                        or ITEM.match(line.lstrip(" ")) is not None)
            rest = lists.cut(line)
            code = rest.startswith("    ") and (before == "empty" or code)
            item = None if code else ITEM.match(rest)
            if code:
                yield False, lists.indent(rest)
                before = "code"
            elif FENCE.match(rest):
                fence = FENCE.match(rest).group(1)
                yield False, lists.indent(rest)
                before = "code"
            elif item:
                if before == "text" and not lists.columns:
                    yield False, "\n"
                yield True, lists.indent(item.group(1).ljust(4) + rest[item.end():])
                lists.columns.append((lists.columns[-1] if lists.columns else 0) + item.end())
                before = "item"
            else:
                yield True, lists.indent(rest.lstrip(" ") if lists.columns else rest)
                before = "item" if lists.columns else "text"
