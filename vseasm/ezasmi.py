# SPDX-License-Identifier: Apache-2.0
"""EZASMI: the types and operands are libvsesock's, the forms IBM's: 'word', number, address, *indaddr, (reg), MF=L, MF=(E,area)."""

import call
import keywords
from errors import AsmError

STORAGE = {"TASK": ("EZASMTIE", "TIELENTH", 256), "GLOBAL": ("EZASMGWA", "GWALENTH", 256)}
LIST_WORDS = 24  # of MF=L


def expand(tables, statement, serial):
    expansion = call.Expansion(statement, serial)
    operands = keywords.Operands(statement)
    area = keywords.list_area(operands)
    if area == "L":
        expansion.add("DS", f"{LIST_WORDS}A", statement.name)
        operands.done()
        return expansion.lines
    kind, at = operands.take("TYPE")
    if kind is None:
        raise AsmError("EZASMI: TYPE= is missing", 0)
    kind = kind.upper()
    if kind in STORAGE:
        storage(expansion, operands, kind)
        return expansion.lines
    if kind in tables.lacking:
        raise AsmError(f"EZASMI: TYPE={kind} is not possible here: {tables.lacking[kind]}", at)
    if kind not in tables.types:
        raise AsmError(f"EZASMI: there is no TYPE={kind}", at)
    error, error_at = operands.take("ERROR")
    given = []
    for keyword in list(operands.keywords):
        if keyword in tables.types[kind]:
            text, at = operands.take(keyword)
            form, text = keywords.form_of(text)
            given.append((keyword, form, text, at))
    for keyword, (_, at) in operands.keywords.items():
        raise AsmError(f"EZASMI TYPE={kind}: there is no operand {keyword}", at - len(keyword) - 1)
    operands.done()
    call.expand(expansion, "VSEEZASM", [kind], given, area)
    if error:
        # R15 is 4 if the interface phase cannot be loaded.
        go_on = expansion.label("E")
        expansion.add("LTR", "15,15")
        expansion.add("JZ", go_on)
        call.load(expansion, error, error_at, "1")
        expansion.add("BR", "1")
        expansion.add("DS", "0H", go_on)
    return expansion.lines


def storage(expansion, operands, kind):
    name, length, size = STORAGE[kind]
    text, at = operands.take("STORAGE")
    operands.done()
    label = expansion.statement.name or name
    if text == "DSECT":
        expansion.add("DSECT", "", label)
        expansion.add("DS", f"XL{size}")
    elif text == "CSECT":
        expansion.add("DS", "0D")
        expansion.add("DC", f"XL{size}'00'", label)
    else:
        raise AsmError(f"EZASMI TYPE={kind}: STORAGE is DSECT or CSECT", at)
    expansion.add("EQU", str(size), length)
