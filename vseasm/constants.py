# SPDX-License-Identifier: Apache-2.0
"""Operands of DC, DS and of literals: duplication, type, length modifier, values."""

import re

import ebcdic
from errors import AsmError
from expression import unquote
from source import split_operands

# Implied length and alignment; length 0: that of the value.
_TYPES = {"C": (0, 1), "CA": (0, 1), "CE": (0, 1), "X": (0, 1), "B": (0, 1), "P": (0, 1), "Z": (0, 1), "F": (4, 4), "FD": (8, 8),
          "H": (2, 2), "A": (4, 4), "AD": (8, 8), "V": (4, 4), "Y": (2, 2), "D": (8, 8), "E": (4, 4), "S": (2, 2), "LQ": (16, 16)}
_HEAD = re.compile(r"(\d+|\()?")
_TYPE = re.compile(r"CA|CE|FD|AD|LQ|[A-Z]")
_ADDRESSES = ("A", "AD", "V", "Y")


class Constant:
    """An operand: count times, the values of a type. Addresses are texts with their offsets until their values are known."""

    def __init__(self):
        self.count, self.kind, self.length, self.align = 1, "", 0, 1
        self.values, self.at = None, 0

    @property
    def size(self):
        return self.count * (sum(map(self.length_of, self.values)) if self.values else self.length)

    def length_of(self, value):
        """Without a length modifier each value of some types has a length of its own."""
        return len(value) if isinstance(value, bytes) else self.length


def parse(text, at, evaluate):
    """Parses an operand, whose offset in the statement is at. evaluate(text, at) gives a number."""
    constant = Constant()
    constant.at = at
    pos = 0
    found = _HEAD.match(text)
    if found[1] == "(":
        end = _closing(text, 0, at)
        constant.count = evaluate(text[1:end], at + 1)
        pos = end + 1
    elif found[1]:
        constant.count, pos = int(found[1]), found.end()
    if constant.count < 0:
        raise AsmError("a duplication factor below 0", at)
    found = _TYPE.match(text.upper(), pos)
    if not found or found[0] not in _TYPES:
        raise AsmError(f"{text[pos:pos + 1] or text or 'nothing'}: no such type of constants", at + pos)
    constant.kind, pos = found[0], found.end()
    constant.length, constant.align = _TYPES[constant.kind]
    explicit = False
    if text[pos:pos + 1].upper() == "L":
        explicit, pos, constant.align = True, pos + 1, 1
        if text[pos:pos + 1] == "(":
            end = _closing(text, pos, at)
            constant.length, pos = evaluate(text[pos + 1:end], at + pos + 1), end + 1
        else:
            found = re.compile(r"\d+").match(text, pos)
            if not found:
                raise AsmError("a length modifier without a number", at + pos)
            constant.length, pos = int(found[0]), found.end()
        if not 0 < constant.length <= 65535:
            raise AsmError(f"a length of {constant.length}", at + pos)
    _values(constant, text[pos:], at + pos, explicit)
    return constant


def _closing(text, pos, at):
    depth = 0
    for i in range(pos, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if not depth:
            return i
    raise AsmError("')' is missing", at + len(text))


def _values(constant, text, at, explicit):
    if not text:
        # DS only: the room.
        constant.length = constant.length or 1
        return
    kind = constant.kind
    if kind in _ADDRESSES:
        if not (text.startswith("(") and text.endswith(")")):
            raise AsmError(f"the addresses of {kind} stand in parentheses", at)
        constant.values = list(split_operands(text[1:-1], at + 1))
        return
    if not (len(text) > 1 and text.startswith("'") and text.endswith("'")):
        raise AsmError(f"the value of {kind} stands in quotes", at)
    body = text[1:-1]
    maker = {"C": _characters, "CE": _characters, "CA": _ascii, "X": _hexadecimal, "B": _bits, "P": _packed, "Z": _zoned,
             "F": _binary, "FD": _binary, "H": _binary}.get(kind)
    if not maker:
        raise AsmError(f"{kind}: values of this type are not supported", at)
    parts = [body] if kind in ("C", "CE", "CA") else body.split(",")
    try:
        constant.values = [maker(part.strip() if kind[0] != "C" else part, constant.length, explicit) for part in parts]
    except (ValueError, OverflowError) as error:
        raise AsmError(f"{kind}'{body}': {_reason(error)}", at) from None
    constant.length = constant.length or len(constant.values[0])


def _reason(error):
    return "too big" if isinstance(error, OverflowError) or "fit" in str(error) else "not a value of this type"


def _right(data, length):
    if length and len(data) > length:
        data = data[-length:]
    return data.rjust(length, b"\0")


def _characters(text, length, _):
    data = ebcdic.encode(unquote(text))
    return data[:length].ljust(length, b"\x40") if length else data


def _ascii(text, length, _):
    data = unquote(text).encode("latin-1")
    return data[:length].ljust(length, b" ") if length else data


def _hexadecimal(text, length, _):
    text = text.replace(" ", "")
    return _right(bytes.fromhex(text.zfill(len(text) + len(text) % 2)), length)


def _bits(text, length, _):
    return _right(int(text, 2).to_bytes((len(text) + 7) // 8, "big"), length)


def _digits(text):
    sign = "D" if text.startswith("-") else "C"
    digits = text.lstrip("+-").replace(".", "")
    if not digits.isdigit():
        raise ValueError(text)
    return digits, sign


def _packed(text, length, _):
    digits, sign = _digits(text)
    packed = digits + sign
    return _right(bytes.fromhex(packed.zfill(len(packed) + len(packed) % 2)), length)


def _zoned(text, length, _):
    digits, sign = _digits(text)
    data = bytearray(0xF0 | int(c) for c in digits)
    data[-1] = (0xD0 if sign == "D" else 0xC0) | (data[-1] & 0x0F)
    return bytes(data).rjust(length, b"\xf0")[-length:] if length else bytes(data)


def _binary(text, length, _):
    number = int(text)
    # A fullword may also be written as a number without a sign.
    return number.to_bytes(length, "big", signed=number < 0 or number < 1 << (8 * length - 1))
