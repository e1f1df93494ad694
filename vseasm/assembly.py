# SPDX-License-Identifier: Apache-2.0
"""The two passes: the first gives each symbol its place, the second translates.

Sections, USING and literals are resolved here; GNU as gets numbers, and addresses relative to the start of a section.
"""

import constants
import instructions
from errors import AsmError, SourceError
from expression import Parser, Value, is_symbol
from section import Section
from source import split_operands

IGNORED = ("TITLE", "PRINT", "EJECT", "SPACE", "AMODE", "RMODE", "ACONTROL", "*PROCESS")


class Literal:
    def __init__(self, text):
        self.text, self.constant, self.place = text, None, None


class Assembly:
    def __init__(self, macros):
        self.macros = macros
        self.symbols, self.sections, self.externals = {}, {}, set()
        self.section, self.entries, self.entry, self.first = None, [], None, None
        self.work = []  # (statement, section, offset, action of the second pass)
        self.pool, self.made = {}, 0
        self.using = {}  # register -> the Value that it addresses

    # Symbols and expressions

    def define(self, statement, value):
        name = statement.name.upper()
        if not name:
            return
        if not is_symbol(name):
            raise statement.error(f"{statement.name}: not a symbol")
        if name in self.symbols:
            raise statement.error(f"{statement.name}: defined twice")
        self.symbols[name] = value

    def here(self):
        return Value(self.section.location, self.section) if self.section else Value(0)

    def parser(self, text, at, here=None):
        return Parser(text, at, lambda name: self.symbols.get(name), here or self.here())

    def whole(self, text, at, here=None):
        """Evaluates a text that is one expression. Errors get its offset in the operands, at."""
        parser = self.parser(text, 0, here)
        try:
            value = parser.value()
            if parser.at < len(text):
                raise AsmError(f"{text[parser.at:]}: not expected here", parser.at)
        except AsmError as error:
            raise AsmError(error.text, error.at + at) from None
        return value

    def number(self, text, at, here=None):
        value = self.whole(text, at, here)
        if value.section:
            raise AsmError(f"{text}: a number is expected, and this is an address", at)
        return value.offset

    def register(self, text, at, here=None):
        number = self.number(text, at, here)
        if not 0 <= number <= 15:
            raise AsmError(f"{text}: not a register", at)
        return number

    # The first pass

    def assemble(self, statements):
        for statement in statements:
            if self.take(statement) == "END":
                break
        for section in list(self.sections.values()):
            if section is self.first:
                section.location, self.section = section.end, section
                self.place_literals()
        for statement, section, offset, action in self.work:
            self.section = section
            try:
                action(statement, offset)
            except AsmError as error:
                raise statement.error(error.text, error.at) from None

    def take(self, statement):
        try:
            return self.take_one(statement)
        except AsmError as error:
            raise statement.error(error.text, error.at) from None

    def take_one(self, statement):
        operation = statement.operation
        if operation in IGNORED:
            return None
        own = getattr(self, "do_" + operation.lower(), None) if operation.isalpha() else None
        if own:
            return own(statement)
        if operation in instructions.FORMS:
            return self.instruction(statement)
        if operation in self.macros:
            self.made += 1
            for made in self.macros[operation](statement, self.made):
                self.take(made)
            return None
        raise statement.error(f"{operation}: neither an instruction nor a macro that vseasm knows")

    def later(self, statement, action):
        self.work.append((statement, self.section, self.section.location, action))

    def need_section(self, statement):
        if not self.section:
            self.enter(statement, "", False)

    def enter(self, statement, name, dummy):
        name = name.upper()
        if name not in self.sections:
            self.sections[name] = Section(name, dummy)
            if name:
                self.define(statement, Value(0, self.sections[name]))
            if not dummy and not self.first:
                self.first = self.sections[name]
        self.section = self.sections[name]

    def do_csect(self, statement):
        self.enter(statement, statement.name, False)

    do_rsect = do_csect

    def do_dsect(self, statement):
        self.enter(statement, statement.name, True)

    def do_start(self, statement):
        # The first address of the listing: nothing depends on it.
        if statement.operands:
            self.number(statement.operands, 0)
        self.enter(statement, statement.name, False)

    def do_end(self, statement):
        if statement.operands:
            self.entry = (statement, statement.operands.split(",")[0].upper())
        return "END"

    def do_entry(self, statement):
        for name, at in split_operands(statement.operands):
            self.entries.append((statement, name.upper(), at))

    def do_extrn(self, statement):
        for name, at in split_operands(statement.operands):
            self.external(name.upper(), at)
            self.symbols.setdefault(name.upper(), Value(0, "external " + name.upper()))

    do_wxtrn = do_extrn

    def external(self, name, at):
        if not is_symbol(name):
            raise AsmError(f"{name}: not a symbol", at)
        self.externals.add(name)
        return name

    def do_equ(self, statement):
        parts = list(split_operands(statement.operands))
        if not parts:
            raise AsmError("EQU: the value is missing")
        value = self.whole(*parts[0])
        length = self.number(*parts[1]) if len(parts) > 1 and parts[1][0] else value.length
        self.define(statement, Value(value.offset, value.section, length))

    def do_org(self, statement):
        self.need_section(statement)
        if not statement.operands:
            self.section.location = self.section.end
            return
        value = self.whole(statement.operands, 0)
        if value.section is not self.section or value.offset < 0:
            raise AsmError("ORG: not a place in this section")
        self.section.location = value.offset
        self.section.end = max(self.section.end, value.offset)

    def do_cnop(self, statement):
        self.need_section(statement)
        parts = list(split_operands(statement.operands))
        if len(parts) != 2:
            raise AsmError("CNOP: two operands")
        byte, word = (self.number(*part) for part in parts)
        if word not in (4, 8, 16) or byte % 2 or not 0 <= byte < word:
            raise AsmError(f"CNOP {statement.operands}: no such boundary")
        self.section.align(2)
        while self.section.location % word != byte:
            self.later(statement, lambda _, offset: self.section.put(offset, 2, "bcr 0,0"))
            self.section.advance(2)

    def do_dc(self, statement):
        self.data(statement, True)

    def do_ds(self, statement):
        self.data(statement, False)

    def data(self, statement, filled):
        self.need_section(statement)
        named = False
        parts = list(split_operands(statement.operands))
        if not parts:
            raise AsmError(f"{statement.operation}: no operand")
        for text, at in parts:
            constant = constants.parse(text, at, self.number)
            if filled and constant.values is None and constant.count:
                raise AsmError(f"{text}: the value is missing", at)
            self.section.align(constant.align)
            if not named:
                self.define(statement, Value(self.section.location, self.section, constant.length))
                named = True
            if filled and not self.section.dummy:
                self.later(statement, lambda _, offset, constant=constant: self.fill(constant, offset))
            self.section.advance(constant.size)

    def do_ltorg(self, statement):
        self.need_section(statement)
        self.section.align(8)
        self.define(statement, self.here())
        self.place_literals()

    def place_literals(self):
        pool, self.pool = list(self.pool.values()), {}
        if pool:
            self.section.align(8)
        # As HLASM sorts them: those of a length that is a multiple of 8 first, then of 4, of 2, the others.
        for step in (8, 4, 2, 1):
            for literal in pool:
                size = literal.constant.size
                if next(s for s in (8, 4, 2, 1) if size % s == 0) != step:
                    continue
                self.section.align(literal.constant.align)
                literal.place = Value(self.section.location, self.section, literal.constant.length)
                self.work.append((literal.statement, self.section, self.section.location,
                                  lambda _, offset, constant=literal.constant: self.fill(constant, offset)))
                self.section.advance(size)

    def literal(self, statement, text, at):
        """Notes a literal of an instruction; the second pass finds it by the statement and the offset."""
        literal = self.pool.get(text)
        if not literal:
            literal = Literal(text)
            literal.constant = constants.parse(text[1:], at + 1, self.number)
            if literal.constant.values is None:
                raise AsmError(f"{text}: the value is missing", at)
            literal.statement = statement
            self.pool[text] = literal
        return literal

    def do_using(self, statement):
        self.need_section(statement)
        here = self.here()
        self.later(statement, lambda made, _: self.use(made, here))

    def use(self, statement, here):
        if statement.name:
            raise AsmError(f"{statement.name} USING: labelled USINGs are not supported")
        (base, at), *registers = split_operands(statement.operands)
        value = self.whole(base, at, here)
        if not registers:
            raise AsmError("USING: the register is missing")
        for i, (text, at) in enumerate(registers):
            self.using[self.register(text, at, here)] = Value(value.offset + 4096 * i, value.section)

    def do_drop(self, statement):
        self.need_section(statement)
        here = self.here()
        self.later(statement, lambda made, _: self.drop(made, here))

    def drop(self, statement, here):
        if not statement.operands:
            self.using = {}
        for text, at in split_operands(statement.operands):
            if self.using.pop(self.register(text, at, here), None) is None:
                raise AsmError(f"DROP {text}: no USING names this register", at)

    def instruction(self, statement):
        self.need_section(statement)
        self.section.align(2)
        length = instructions.length_of(statement.operation)
        self.define(statement, Value(self.section.location, self.section, length))
        if self.section.dummy:
            raise AsmError(f"{statement.operation}: an instruction in a dummy section")
        here, literals = self.here(), {}
        for text, at in split_operands(statement.operands):
            if text.startswith("="):
                literals[at] = self.literal(statement, text, at)
        self.later(statement, lambda made, offset: self.translate(made, offset, here, literals))
        self.section.advance(length)

    # The second pass

    def translate(self, statement, offset, here, literals):
        import operands
        form = instructions.operands_of(statement.operation)
        translated = operands.translate(self, statement, form, here, literals)
        if statement.check:
            statement.check(translated)
        name = instructions.GNU.get(statement.operation, statement.operation.lower())
        joint = "" if name.endswith(",") else " "
        self.section.put(offset, instructions.length_of(statement.operation), name + joint + ",".join(translated))

    def address(self, value):
        """Writes an address for GNU as."""
        if isinstance(value.section, str):
            base = quoted(value.section.split()[1])
        else:
            base = label_of(value.section)
        return f"{base}{value.offset:+d}"

    def fill(self, constant, offset):
        for _ in range(constant.count):
            for value in constant.values or ():
                self.fill_one(constant, value, offset)
                offset += constant.length_of(value)

    def fill_one(self, constant, value, offset):
        if isinstance(value, bytes):
            self.section.put_bytes(offset, value)
            return
        text, at = value
        if constant.kind == "V":
            self.section.put(offset, 4, f".long {quoted(self.external(text.upper(), at))}")
            return
        result = self.whole(text, at, Value(offset, self.section))
        if not result.section:
            bits = 8 * constant.length
            if not -(1 << (bits - 1)) <= result.offset < 1 << bits:
                raise AsmError(f"{text}: does not fit into {constant.length} bytes", at)
            self.section.put_bytes(offset, (result.offset % (1 << bits)).to_bytes(constant.length, "big"))
            return
        if isinstance(result.section, Section) and result.section.dummy:
            raise AsmError(f"{text}: the address of a dummy section", at)
        if constant.length not in (4, 8):
            raise AsmError(f"{text}: an address has 4 bytes", at)
        self.section.put(offset, constant.length, f"{'.long' if constant.length == 4 else '.quad'} {self.address(result)}")

    # The result

    def entry_point(self):
        if not self.entry:
            return Value(0, self.first)
        statement, name = self.entry
        value = self.symbols.get(name)
        if not value or not isinstance(value.section, Section):
            raise statement.error(f"{name}: no place in this program", 0)
        return value

    def gnu(self, first=True):
        """Returns the source for GNU as. The first source of a program says where it begins."""
        if not self.first:
            raise AsmError("the program has no instruction and no data")
        lines = ['\t.machine "z10"', '\t.section phase,"awx",@progbits']
        names = {name for name, section in self.sections.items() if not section.dummy and name}
        for statement, name, at in self.entries:
            value = self.symbols.get(name)
            if not value or not isinstance(value.section, Section):
                raise statement.error(f"{name}: undefined symbol", at)
            if name not in names:
                lines += [f"\t.globl {quoted(name)}", f"\t.set {quoted(name)},{self.address(value)}"]
        for section in self.sections.values():
            if section.dummy:
                continue
            lines += ["\t.balign 8"]
            if section.name:
                lines += [f"\t.globl {quoted(section.name)}", f"{quoted(section.name)}:"]
            lines += [label_of(section) + ":", *section.lines()]
            lines += [f"\t.if . - {label_of(section)} - {section.end}", '\t.error "vseasm has counted another length"', "\t.endif"]
        if first:
            lines += ["\t.globl vseasm_entry", f"\t.set vseasm_entry,{self.address(self.entry_point())}"]
        lines += ['\t.section .note.GNU-stack,"",@progbits']
        return "\n".join(lines) + "\n"


def label_of(section):
    return quoted(f".Lsection_{section.name}")


def quoted(name):
    """Writes a name for GNU as, to which # begins a comment, and @ a modifier."""
    return f'"{name}"' if set(name) & set("#@") else name


__all__ = ["Assembly", "SourceError"]
