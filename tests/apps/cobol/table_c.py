#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a C program of the rows of ezasoket.table, which says what the COBOL program of table.py says.

  table_c.py TABLE      the program; it needs tests/eza/rows.h

The statements of the table are translated: MOVE, COMPUTE, SET, PERFORM, CALL, IF of one line.
"""
import re
import sys

import table
import table_rows


class Items:
    """The data items of the program: where they lie, their sizes and kinds."""

    def __init__(self, text):
        self.at, self.areas, base, end, pair = {}, {}, "", 0, 0
        for line in text.splitlines():
            found = re.match(r"\s*(\d+) (\S+?)\.?(?: (.*?)\.?)?$", line)
            if not found:
                continue
            level, name, rest = int(found.group(1)), found.group(2), found.group(3) or ""
            if level == 1:
                base, end = name, 0
            if "BASED" in rest or "REDEFINES" in rest:
                continue
            size, kind = self.shape(rest)
            if level > 1 and kind == "NUMBER":
                kind = "NETWORK" if name.startswith("N-") else "MEMBER"
            if "OCCURS" in rest:
                pair = end
            else:
                self.at[name] = (base, end, size, kind)
            end += size
            self.areas[base] = end
        # IOV is the only table.
        self.stride = self.areas["IOV"] - pair
        self.areas["IOV"] += self.stride
        for base, size in self.areas.items():
            if base in self.at and not self.at[base][2]:
                self.at[base] = (base, 0, size, "GROUP")

    @staticmethod
    def shape(rest):
        digits = re.search(r"PIC S?[9-]\((\d+)\)", rest)
        letters = re.search(r"PIC X\((\d+)\)", rest)
        if "POINTER" in rest:
            return 8, "POINTER"
        if letters:
            return int(letters.group(1)), "TEXT"
        if digits and "BINARY" in rest:
            return (2 if int(digits.group(1)) == 4 else 4), "NUMBER"
        if digits:
            return int(digits.group(1)), "DIGITS"
        return (1 if "PIC X" in rest else 0), "TEXT"

    def item(self, text):
        """A C expression for a data item, and its kind."""
        name, _, part = text.partition("(")
        part = part.rstrip(")")
        if name == "NOWHERE":
            return "((struct item){nowhere, 9999, TEXT})", "TEXT"
        if name == "FOUND-NAME":
            start, length = part.split(":")
            return f"((struct item){{(char *)found_name + {int(start) - 1}, {length}, TEXT}})", "TEXT"
        base, at, size, kind = self.at[name]
        if ":" in part:
            start, size = (int(number) for number in part.split(":"))
            at, kind = at + start - 1, "TEXT"
        elif part:
            at += (int(part) - 1) * self.stride
        shown = "TEXT" if kind == "GROUP" and part else ("POINTER" if kind == "GROUP" else kind)
        return f"((struct item){{{variable(base)} + {at}, {size}, {shown}}})", kind


def variable(name):
    return "d_" + name.lower().replace("-", "_")


def bytes_of(literal):
    """A literal, or None."""
    if literal.startswith("X'"):
        return bytes.fromhex(literal[2:-1])
    return literal[1:-1].encode() if literal.startswith("'") else None


def c_string(data):
    return '"' + "".join(f"\\{byte:03o}" for byte in data) + '"'


NUMBERS = ("NUMBER", "MEMBER", "NETWORK", "DIGITS")
DATA = Items(table.DATA + "\n".join(f"01 {kind}{at} PIC S9({digits}) BINARY." for at in range(1, 13) for kind, digits in (("H", 4), ("F", 8))))


def expression(text):
    """Arithmetic with data items."""
    text = re.sub(r"FUNCTION ABS\(", "labs(", text)
    text = re.sub(r"[A-Z][A-Z0-9-]*", lambda m: f"number_of({DATA.item(m.group(0))[0]})" if m.group(0) in DATA.at else m.group(0), text)
    return re.sub(r"2 \*\* (.*)", r"(1L << \1)", text)


def condition(text):
    parts = re.split(r" (AND|OR) ", text)
    return " ".join({"AND": "&&", "OR": "||"}.get(part) or comparison(part) for part in parts)


def comparison(text):
    left, op, right = re.match(r"(\S+) (NOT =|=|>|<) (.*)", text).groups()
    item, kind = DATA.item(left)
    op = {"NOT =": "!=", "=": "=="}.get(op, op)
    if right == "NULL":
        return f"(pointer_of({item}) {op} NULL)"
    if right in ("LOW-VALUE", "LOW-VALUES") or right.startswith("ALL "):
        fill = bytes_of(right[4:])[0] if right.startswith("ALL ") else 0
        return f"(is_all({item}, {fill}) {op} true)"
    literal = bytes_of(right)
    if literal is not None:
        return f"(compare_text({item}, {c_string(literal)}, {len(literal)}) {op} 0)"
    if kind in NUMBERS:
        return f"(number_of({item}) {op} {expression(right)})"
    other = DATA.item(right)[0]
    return f"(compare_text({item}, {other}.at, {other}.size) {op} 0)"


def move(text):
    value, targets = text.split(" TO ")
    out = []
    for target in table_rows.words(targets):
        item, kind = DATA.item(target)
        literal = bytes_of(value)
        if value == "LOW-VALUES":
            out.append(f"move_all(0, {item});")
        elif value.startswith("ALL "):
            out.append(f"move_all({bytes_of(value[4:])[0]}, {item});")
        elif literal is not None:
            out.append(f"move_text({c_string(literal)}, {len(literal)}, {item});")
        elif kind in NUMBERS:
            out.append(f"move_number({expression(value)}, {item});")
        else:
            source = DATA.item(value)[0]
            out.append(f"move_text({source}.at, {source}.size, {item});")
    return out


def argument(name):
    if name == "OMITTED":
        return "{NULL, -1, POINTER}"
    literal = bytes_of(name)
    if literal is not None:
        return f"{{(void *)(uintptr_t){c_string(literal)}, {len(literal)}, TEXT}}"
    return DATA.item(name)[0].removeprefix("((struct item)").removesuffix(")")


def routine(name, names, result=""):
    items = ", ".join(argument(one) for one in names)
    call = f"call_routine((int (*)(const void *, ...)){name}, (struct item[]){{{items}}}, {len(names)})"
    return f"{result % call if result else call};"


def statement(text):
    verb, _, rest = text.partition(" ")
    if verb == "MOVE":
        return move(rest)
    if verb == "COMPUTE":
        to, value = rest.split(" = ")
        return [f"move_number({expression(value)}, {DATA.item(to)[0]});"]
    if verb == "PERFORM":
        return [f"{variable(rest)}_paragraph();"]
    if rest.startswith("ADDRESS OF FOUND-NAME TO "):
        return [f"found_name = pointer_of({DATA.item(rest.split()[-1])[0]});"]
    if verb == "SET":
        to, value = rest.split(" TO ADDRESS OF ")
        return [f"set_pointer({DATA.item(value)[0]}.at, {DATA.item(to)[0]});"]
    if verb == "CALL":
        name, names = re.match(r"'(\S+)' USING (.*)", rest).groups()
        return [routine(name, table_rows.words(names))]
    if verb == "IF":
        asked, yes, no = re.match(r"(.*?) (MOVE .*) ELSE (.*)", rest).groups()
        return [f"if ({condition(asked)}) {{", *statement(yes), "} else {", *statement(no), "}"]
    raise ValueError(f"no translation: {text}")


def paragraphs():
    out = []
    for block in re.split(r"(?m)^(?=\S)", table.PARAGRAPHS):
        name, *lines = block.strip().split("\n")
        if lines:
            body = [c for line in lines for c in statement(line.strip().rstrip("."))]
            out += [f"static void {variable(name.rstrip('.'))}_paragraph(void)", "{", *body, "}"]
    return out


def made(row):
    """A row: its statements, its call, its answer."""
    out = [c for text in row.before for c in statement(text)]
    if row.function == "-":
        return out
    filled, names = table.call(row)
    out += [c for text in filled for c in statement(text)]
    out += move("7777 TO ERRNO RETCODE")
    if not row.is_helper():
        out.append(routine("EZASOKET", [f"'{row.function:16}'", *names]))
    elif "RETCODE" in names:
        out.append(routine(row.function, names))
    else:
        out.append(routine(row.function, names, f"move_number(%s, {DATA.item('RETCODE')[0]})"))
    out.append(f"good = {condition(row.check) if row.check else 'true'};")
    return out + (statement(row.after) if row.after else [])


def program(rows):
    out = ['#include "rows.h"', "static void *found_name;"]
    out += [f"static unsigned char {variable(name)}[{max(size, 1)}] __attribute__((aligned(8)));" for name, size in DATA.areas.items()]
    out += paragraphs()
    number, answer = DATA.item("RETCODE")[0], DATA.item("ERRNO")[0]
    for at, row in enumerate(rows):
        says = [] if row.function == "-" else [f'printf("%d %ld %ld %c\\n", {at}, number_of({number}), number_of({answer}), good ? \'Y\' : \'N\');']
        out += [f"static void row_{at}(void)", "{", "bool good = true;", "(void)good;", *made(row), *says, "}"]
    out += ["int main(int argc, char **argv)", "{", "if (argc != 3) return 64;", "setvbuf(stdout, NULL, _IOLBF, 0);", "mode = !strcmp(argv[1], \"c\") ? IN_C : !strcmp(argv[1], \"comp5\") ? COMP5 : BINARY;"]
    out += ["family = argv[2][0] == '6' ? 19 : 2;", *move("ALL ' ' TO IDENT SUBTASK"), f"move_number(family, {DATA.item('AF')[0]});"]
    out += [f"move_number(1, {DATA.item('DIGITS-4')[0]});", *move("0 TO PORT PORT2")]
    for at, row in enumerate(rows):
        asked = [f"family == {2 if row.family == '4' else 19}"] if row.family else []
        asked += ["mode != IN_C"] if row.needs_sizes() and row.function != "TERMAPI" else []
        out.append((f"if ({' && '.join(asked)}) " if asked else "") + f"row_{at}();")
    return "\n".join([*out, "return 0;", "}"]) + "\n"


sys.stdout.write(program(table_rows.read(sys.argv[1])))
