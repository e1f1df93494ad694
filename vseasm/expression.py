# SPDX-License-Identifier: Apache-2.0
"""Expressions: terms, + - * /, parentheses. A value is absolute, or relative to a section or an external symbol."""

import re

import ebcdic
from errors import AsmError

_SYMBOL = re.compile(r"[A-Za-z@#$_][A-Za-z0-9@#$_]*")
_SELF = re.compile(r"([CXB])'((?:[^']|'')*)'")


class Value:
    """offset, in a section (None: absolute); length is the length attribute."""

    def __init__(self, offset, section=None, length=1):
        self.offset, self.section, self.length = offset, section, length


def unquote(text):
    return text.replace("''", "'").replace("&&", "&")


def self_defining(kind, text):
    if kind == "X":
        return int(text, 16)
    if kind == "B":
        return int(text, 2)
    return int.from_bytes(ebcdic.encode(unquote(text)), "big")


class Parser:
    """Evaluates the expression at an offset of a text, and leaves self.at behind it."""

    def __init__(self, text, at, lookup, here):
        self.text, self.at, self.lookup, self.here = text, at, lookup, here

    def peek(self):
        return self.text[self.at] if self.at < len(self.text) else ""

    def fail(self, text):
        raise AsmError(text, self.at)

    def value(self):
        left = self.product()
        while self.peek() and self.peek() in "+-":
            sign = self.peek()
            self.at += 1
            right = self.product()
            left = self.add(left, right) if sign == "+" else self.subtract(left, right)
        return left

    def add(self, a, b):
        if a.section and b.section:
            self.fail("the sum of two addresses")
        return Value(a.offset + b.offset, a.section or b.section, a.length)

    def subtract(self, a, b):
        if b.section and b.section != a.section:
            self.fail("the difference of addresses in different sections")
        return Value(a.offset - b.offset, None if b.section else a.section, a.length)

    def product(self):
        left = self.term()
        while self.peek() and self.peek() in "*/":
            operator = self.peek()
            self.at += 1
            right = self.term()
            if left.section or right.section:
                self.fail("an address in a product")
            if operator == "*":
                left = Value(left.offset * right.offset, None, left.length)
            else:
                # Division by 0 gives 0, and the quotient has no fraction.
                size = abs(left.offset) // abs(right.offset) if right.offset else 0
                left = Value(size if (left.offset < 0) == (right.offset < 0) else -size, None, left.length)
        return left

    def term(self):
        text, at = self.text, self.at
        c = self.peek()
        if c in ("+", "-") and c:
            self.at += 1
            value = self.term()
            return value if c == "+" else self.subtract(Value(0), value)
        if c == "(":
            self.at += 1
            value = self.value()
            if self.peek() != ")":
                self.fail("')' is missing")
            self.at += 1
            return value
        if c == "*":
            self.at += 1
            return Value(self.here.offset, self.here.section, self.here.length)
        found = _SELF.match(text, at)
        if found:
            self.at = found.end()
            try:
                return Value(self_defining(found[1], found[2]))
            except ValueError:
                raise AsmError(f"{found[0]} is no number", at) from None
        if text.startswith("L'", at):
            self.at += 2
            if self.peek() == "*":
                self.at += 1
                return Value(self.here.length)
            return Value(self.symbol().length)
        if c.isdigit():
            found = re.compile(r"\d+").match(text, at)
            self.at = found.end()
            return Value(int(found[0]))
        return self.symbol()

    def symbol(self):
        found = _SYMBOL.match(self.text, self.at)
        if not found:
            self.fail(f"an expression is expected at {self.text[self.at:self.at + 8] or 'the end'}")
        at, self.at = self.at, found.end()
        value = self.lookup(found[0].upper())
        if value is None:
            raise AsmError(f"{found[0]}: undefined symbol", at)
        return value


def is_symbol(text):
    return bool(_SYMBOL.fullmatch(text)) and len(text) <= 63
