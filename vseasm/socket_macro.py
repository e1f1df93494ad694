# SPDX-License-Identifier: Apache-2.0
"""SOCKET function,type,KEYWORD=...: the functions, types and fields are libvsesock's. The keywords and their forms are ours."""

import call
import keywords
from errors import AsmError

YES_NO = {"YES": "1", "NO": "0"}


def expand(tables, statement, serial):
    expansion = call.Expansion(statement, serial)
    operands = keywords.Operands(statement)
    area = keywords.list_area(operands)
    if area == "L":
        expansion.add("DS", f"{len(tables.fields) + 1}A", statement.name)
        operands.done()
        return expansion.lines
    words = []
    for what, known in (("function", tables.functions), ("type", tables.connections)):
        if not operands.positional:
            raise AsmError(f"SOCKET: the {what} is missing", 0)
        text, at = operands.positional.pop(0)
        if text.upper() not in known:
            raise AsmError(f"SOCKET: there is no {what} {text} on LFP", at)
        words.append(text.upper())
    given = []
    for keyword in list(operands.keywords):
        if keyword not in tables.fields:
            continue
        text, at = operands.take(keyword)
        if keyword == "PASSIVE" and text.upper() in YES_NO:
            text = YES_NO[text.upper()]
        form, text = keywords.form_of(text)
        given.append((keyword, form, text, at))
    operands.done()
    call.expand(expansion, "VSESOCKM", words, given, area)
    return expansion.lines
