# SPDX-License-Identifier: Apache-2.0
"""Operands of machine instructions: registers, numbers, and addresses, which USING makes base and displacement."""

import instructions
from errors import AsmError
from section import Section
from source import split_operands

_NAMES = {"R": "a register", "M": "a mask", "X": "D(X,B)", "B": "D(B)", "L": "D(L,B)", "l": "D(L,B)", "I": "a number",
          "J": "an address"}


def translate(assembly, statement, form, here, literals):
    """Returns the operands for GNU as."""
    given = list(split_operands(statement.operands))
    if len(given) != len(form):
        at = given[-1][1] if given else 0
        raise AsmError(f"{statement.operation}: {len(form)} operands are needed ({', '.join(_NAMES[c] for c in form)}), "
                       f"and there are {len(given)}", at)
    return [Operand(assembly, statement.operation, here, literals.get(at)).write(letter, text, at)
            for letter, (text, at) in zip(form, given)]


class Operand:
    def __init__(self, assembly, operation, here, literal):
        self.assembly, self.operation, self.here, self.literal = assembly, operation, here, literal

    def write(self, letter, text, at):
        if letter == "R":
            return f"%r{self.assembly.register(text, at, self.here)}"
        if letter in "MI":
            return str(self.assembly.number(text, at, self.here))
        if letter == "J":
            value = self.assembly.whole(text, at, self.here)
            if value.section is not self.assembly.section:
                raise AsmError(f"{text}: not in this section", at)
            return self.assembly.address(value)
        return self.storage(letter, text, at)

    def storage(self, letter, text, at):
        value, inner = self.parse(text, at)
        if value.section:
            if len(inner) > (0 if letter == "B" else 1):
                raise AsmError(f"{text}: an address, which USING resolves, and a base register", at)
            base, displacement = self.resolve(value, text, at)
        else:
            displacement = value.offset
            base = None
        # What stands in the parentheses: D(X,B), D(L,B), D(B).
        first = inner[0] if inner and letter != "B" else None
        if base is None:
            last = inner[-1] if inner and (letter == "B" or len(inner) > 1) else None
            if letter == "B" and len(inner) > 1:
                raise AsmError(f"{text}: one register is expected", at)
            base = self.assembly.register(*last, self.here) if last and last[0] else 0
            self.check(displacement, text, at)
        if letter == "B":
            return f"{displacement}({_register(base)})"
        if letter == "X":
            index = self.assembly.register(*first, self.here) if first and first[0] else 0
            return f"{displacement}({_register(index)},{_register(base)})"
        length = self.assembly.number(*first, self.here) if first and first[0] else value.length
        if not 0 <= length <= (256 if letter == "L" else 16):
            raise AsmError(f"{text}: a length of {length}", at)
        # The code is one less. 0, for an instruction that EX executes, has the code of 1.
        return f"{displacement}({max(length, 1)},{_register(base)})"

    def parse(self, text, at):
        """Returns the value, and the texts in the parentheses behind it with their offsets."""
        if self.literal:
            return self.literal.place, []
        parser = self.assembly.parser(text, 0, self.here)
        try:
            value = parser.value()
        except AsmError as error:
            raise AsmError(error.text, error.at + at) from None
        rest = text[parser.at:]
        if not rest:
            return value, []
        if not (rest.startswith("(") and rest.endswith(")")):
            raise AsmError(f"{rest}: not expected here", at + parser.at)
        inner = rest[1:-1]
        parts = list(split_operands(inner, at + parser.at + 1))
        if inner.endswith(",") or len(parts) > 2 or not parts:
            raise AsmError(f"{rest}: not expected here", at + parser.at)
        return value, parts

    def check(self, displacement, text, at):
        long = self.operation in instructions.LONG
        low, high = (-(1 << 19), (1 << 19) - 1) if long else (0, 4095)
        if not low <= displacement <= high:
            raise AsmError(f"{text}: the displacement {displacement} is not from {low} to {high}", at)

    def resolve(self, value, text, at):
        """Finds the base register with the smallest displacement; of equal ones, the highest."""
        most = (1 << 19) - 1 if self.operation in instructions.LONG else 4095
        best = None
        for register, base in self.assembly.using.items():
            displacement = value.offset - base.offset
            if base.section is not value.section or not 0 <= displacement <= most:
                continue
            if not best or (displacement, -register) < (best[1], -best[0]):
                best = (register, displacement)
        if best:
            return best
        section = value.section
        name = (section.name or "the unnamed section") if isinstance(section, Section) else section
        raise AsmError(f"{text}: no USING addresses this place in {name}", at)


def _register(number):
    return f"%r{number}" if number else "0"
