# SPDX-License-Identifier: Apache-2.0
"""HLASM's source format: records of 80 columns become statements with name, operation and operands.

Columns 1 to 71 have the statement, 72 is not blank if the next record continues it from column 16, 73 to 80 are ignored.
Operands end at a blank outside quotes. After a comma, remarks may stand before column 72 (the alternate format).
"""

from errors import SourceError

END, CONTINUED, CONTINUES = 71, 71, 15  # offsets: past the last column, of column 72, of column 16
ATTRIBUTES = "LT"  # L'SYMBOL: this apostrophe opens no text


def opens_attribute(text, at):
    """Returns whether the apostrophe at an offset is that of L'SYMBOL, or of L'*."""
    if at < 1 or text[at - 1] not in ATTRIBUTES:
        return False
    before = text[at - 2] if at > 1 else ","
    after = text[at + 1] if at + 1 < len(text) else " "
    return not (before.isalnum() or before in "@#$_&") and (after.isalpha() or after in "@#$_*=")


class Statement:
    def __init__(self, path, line):
        self.path, self.line = path, line
        self.name = self.operation = self.operands = ""
        self.name_column = self.operation_column = 1
        self.places = []  # of each character of the operands: line, column
        self.check = None  # of a macro's statement: looks at the operands that GNU as is to get

    def error(self, text, at=None):
        """Makes an error at a character of the operands; at the operation without one."""
        line, column = self.line, self.operation_column
        if at is not None and self.places:
            line, column = self.places[min(at, len(self.places) - 1)]
        return SourceError(self.path, line, column, text)

    def made(self, name, operation, operands=""):
        """Returns a statement that a macro makes of this one. Its errors are this one's."""
        statement = Statement(self.path, self.line)
        statement.name, statement.operation, statement.operands = name, operation, operands
        statement.operation_column = self.operation_column
        return statement


def records_of(path, text):
    for number, record in enumerate(text.removesuffix("\n").split("\n"), 1):
        record = record.rstrip("\r")
        if "\t" in record:
            raise SourceError(path, number, record.index("\t") + 1, "a tab: columns are counted, so use blanks")
        yield number, record.ljust(80)


def word_end(record, at):
    while at < END and record[at] != " ":
        at += 1
    return at


def word_start(record, at):
    while at < END and record[at] == " ":
        at += 1
    return at


class Reader:
    """Reads the statements of a file."""

    def __init__(self, path, text):
        self.path = path
        self.records = list(records_of(path, text))
        self.at = 0

    def statements(self):
        while self.at < len(self.records):
            line, record = self.records[self.at]
            self.at += 1
            if record[0] == "*" or record.startswith(".*"):
                # A comment may be continued, too.
                while record[CONTINUED] != " " and self.at < len(self.records):
                    record = self.records[self.at][1]
                    self.at += 1
                continue
            if not record[:END].strip():
                continue
            yield self.statement(line, record)

    def statement(self, line, record):
        statement = Statement(self.path, line)
        at = word_end(record, 0)
        statement.name = record[:at]
        at = word_start(record, at)
        statement.operation_column = at + 1
        end = word_end(record, at)
        statement.operation = record[at:end].upper()
        if not statement.operation:
            raise SourceError(self.path, line, 1, f"{statement.name}: there is no operation")
        self.operands(statement, line, record, word_start(record, end))
        return statement

    def operands(self, statement, line, record, at):
        text, quoted = "", False
        # Without operands the rest is empty.
        done = at >= END
        while True:
            while at < END and not done:
                c = record[at]
                if c == "'" and (quoted or not opens_attribute(text + record[at:at + 2], len(text))):
                    quoted = not quoted
                if c == " " and not quoted:
                    # After a comma, what follows are remarks, and the next record has more operands.
                    done = not (text.endswith(",") and record[CONTINUED] != " ")
                    break
                text += c
                statement.places.append((line, at + 1))
                at += 1
            if record[CONTINUED] == " ":
                break
            if self.at == len(self.records):
                raise SourceError(self.path, line, 72, "the continuation line is missing")
            line, record = self.records[self.at]
            self.at += 1
            if record[:CONTINUES].strip():
                column = len(record[:CONTINUES]) - len(record[:CONTINUES].lstrip()) + 1
                raise SourceError(self.path, line, column, "columns 1 to 15 of a continuation line must be blank")
            at = CONTINUES
            if not done and text.endswith(",") and not quoted:
                at = word_start(record, at) if record[at] == " " else at
        if quoted:
            raise SourceError(self.path, line, 72, "a quote is not closed")
        statement.operands = text


def split_operands(text, base=0):
    """Splits at commas outside quotes and parentheses. Yields operands with the offset of each."""
    start, depth, quoted = 0, 0, False
    for at, c in enumerate(text):
        if c == "'" and (quoted or not opens_attribute(text, at)):
            quoted = not quoted
        elif quoted:
            continue
        elif c == "(":
            depth += 1
        elif c == ")":
            depth -= 1
        elif c == "," and not depth:
            yield text[start:at], base + start
            start = at + 1
    if text:
        yield text[start:], base + start
