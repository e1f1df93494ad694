# SPDX-License-Identifier: Apache-2.0
"""The expansion of a macro into a call: its parameter list, made when the program runs, and the branch.

The list has the address of a descriptor, then one fullword an operand. The descriptor is characters in ASCII, ended by X'00':
the positional words, then KEYWORD=f for each operand, where f says what its fullword is: a the address that the program
names, w that of a word in ASCII, n that of a fullword with the number that the program names. This is ours.
"""

import re

_WORK = "R15 and R14 hold the list and its constants while it is made"
_WITHOUT_BASE = re.compile(r"-?\d+\(0,0\)")
_REGISTER = re.compile(r"%r\d+")


class Expansion:
    def __init__(self, statement, serial):
        self.statement, self.prefix, self.lines = statement, f"$V{serial:04d}", []

    def add(self, operation, operands="", name="", at=None):
        """Adds a statement. at: where the last one of its operands stands in the macro's."""
        made = self.statement.made(name, operation, operands)
        if at is not None and at < len(self.statement.places):
            start = operands.index(",") + 1
            places = self.statement.places[at:]
            made.places = places[:1] * start + places
        self.lines.append(made)

    def check(self, at, wrong):
        """Checks the last statement when its symbols are known: wrong(its operands for GNU as) returns an error's text, or None."""
        def fail(translated):
            text = wrong(translated)
            if text:
                raise self.statement.error(text, at)
        self.lines[-1].check = fail

    def label(self, letter):
        return self.prefix + letter


def registers(text):
    """Returns the text between the parentheses of (reg); None if it is no such operand."""
    return text[1:-1] if text.startswith("(") and text.endswith(")") else None


def load(expansion, text, at, target, changed=("%r14", "%r15"), absolute=False):
    """Loads the address that an operand names into a register: address, *indaddr or (reg).

    changed: what bases must not be; absolute: numbers may be addresses.
    """
    inner = registers(text)

    def wrong(translated):
        if not absolute and _WITHOUT_BASE.fullmatch(translated[1]):
            return f"{text}: a number, where an address is expected"
        taken = changed if inner is None else ("%r0", "%r14", "%r15")
        return f"{text}: {_WORK}; name another register" if set(taken) & set(_REGISTER.findall(translated[1])) else None

    if inner is not None:
        expansion.add("LR", f"{target},{inner}", at=at + 1)
    elif text.startswith("*"):
        expansion.add("L", f"{target},{text[1:]}", at=at + 1)
    else:
        expansion.add("LA", f"{target},{text}", at=at)
    expansion.check(at, wrong)


def expand(expansion, routine, words, operands, area=None):
    """Adds the call of a routine. operands: (keyword, form, text, offset); area: the operand of MF=(E,area)."""
    descriptor = " ".join([*words, *(f"{keyword}={form}" for keyword, form, _, _ in operands)])
    over, data = expansion.label("O"), expansion.label("D")
    if expansion.statement.name:
        expansion.add("DS", "0H", expansion.statement.name)
    expansion.add("CNOP", "0,4")
    expansion.add("BRAS", f"14,{over}")
    expansion.add("DC", f"V({routine})", data)
    expansion.add("DC", f"CA'{descriptor}',X'00'", expansion.label("T"))
    constants = []
    for i, (_, form, text, _) in enumerate(operands):
        if form == "a":
            constants.append(None)
            continue
        name = f"{expansion.prefix}C{i}"
        constants.append(name)
        expansion.add("DC", f"CA'{text}',X'00'" if form == "w" else f"F'{text}'", name)
    if area is None:
        expansion.add("DS", f"{len(operands) + 1}A", expansion.label("L"))
    expansion.add("DS", "0H", over)
    if area is None:
        expansion.add("LA", f"15,{expansion.label('L')}-{data}(,14)")
    else:
        load(expansion, *area, "15", ("%r14",))
    expansion.add("LA", f"0,{expansion.label('T')}-{data}(,14)")
    expansion.add("ST", "0,0(,15)")
    for i, (_, form, text, at) in enumerate(operands):
        if form == "a":
            load(expansion, text, at, "0")
        else:
            expansion.add("LA", f"0,{constants[i]}-{data}(,14)")
        expansion.add("ST", f"0,{4 * (i + 1)}(,15)")
    expansion.add("LR", "1,15")
    expansion.add("L", "15,0(,14)")
    expansion.add("BALR", "14,15")
