# SPDX-License-Identifier: Apache-2.0
"""Macros of z/VSE that a batch program needs: SAVE, RETURN, CALL, EOJ, WTO, WAIT."""

import call
import keywords
from errors import AsmError
from source import split_operands


def _registers(text, at):
    parts = list(split_operands(text[1:-1], at + 1)) if text.startswith("(") and text.endswith(")") else []
    if len(parts) not in (1, 2):
        raise AsmError(f"{text}: (reg1,reg2) is expected", at)
    first = parts[0][0]
    number = first.lstrip("Rr")
    if not number.isdigit() or not 0 <= int(number) <= 15:
        raise AsmError(f"{first}: not a register", at + 1)
    number = int(number)
    # Where the register lies in the save area: 14, 15, 0, ..., 12.
    return first + "," + (parts[1][0] if len(parts) > 1 else first), 4 * (number + 5 if number <= 12 else number - 11)


def save(statement, serial):
    """SAVE (14,12)[,T][,*]: the traceback needs no code here; identification characters are left out."""
    expansion, operands = call.Expansion(statement, serial), keywords.Operands(statement)
    if not operands.positional:
        raise AsmError("SAVE: the registers are missing", 0)
    both, place = _registers(*operands.positional.pop(0))
    for _ in range(min(2, len(operands.positional))):
        operands.positional.pop(0)
    operands.done()
    expansion.add("STM", f"{both},{place}(13)", statement.name)
    return expansion.lines


def return_(statement, serial):
    """RETURN (14,12)[,T][,RC=number|(15)]"""
    expansion, operands = call.Expansion(statement, serial), keywords.Operands(statement)
    code, at = operands.take("RC")
    name = statement.name
    if operands.positional:
        both, place = _registers(*operands.positional.pop(0))
        if code in ("(15)", "(R15)"):
            expansion.add("ST", "15,16(,13)", name)
            name = ""
        expansion.add("LM", f"{both},{place}(13)", name)
        name = ""
    if operands.positional and operands.positional[0][0].upper() == "T":
        operands.positional.pop(0)
    operands.done()
    if code is not None and code not in ("(15)", "(R15)"):
        if call.registers(code) is not None:
            raise AsmError(f"RC={code}: a number or (15)", at)
        expansion.add("LA", f"15,{code}", name)
        name = ""
    expansion.add("BR", "14", name)
    return expansion.lines


def call_(statement, serial):
    """CALL name|(15)[,(address,...)[,VL]]"""
    expansion, operands = call.Expansion(statement, serial), keywords.Operands(statement)
    if not operands.positional:
        raise AsmError("CALL: the name is missing", 0)
    routine, routine_at = operands.positional.pop(0)
    text, at = operands.positional.pop(0) if operands.positional else ("", 0)
    last = bool(operands.positional) and operands.positional[0][0].upper() == "VL"
    if last:
        operands.positional.pop(0)
    operands.done()
    if text and call.registers(text) is None:
        raise AsmError(f"{text}: the parameters stand in parentheses", at)
    parts = list(split_operands(text[1:-1], at + 1)) if text else []
    over, data = expansion.label("O"), expansion.label("D")
    if statement.name:
        expansion.add("DS", "0H", statement.name)
    expansion.add("CNOP", "0,4")
    expansion.add("BRAS", f"14,{over}")
    inner = call.registers(routine)
    expansion.add("DC", "A(0)" if inner is not None else f"V({routine})", data)
    if parts:
        expansion.add("DS", f"{len(parts)}A")
    expansion.add("DS", "0H", over)
    for i, (text, at) in enumerate(parts):
        call.load(expansion, text, at, "0", ("%r14",), absolute=True)
        expansion.add("ST", f"0,{4 * i + 4}(,14)")
    if parts and last:
        expansion.add("OI", f"{4 * len(parts)}(14),X'80'")
    if parts:
        expansion.add("LA", "1,4(,14)")
    if inner is None:
        expansion.add("L", "15,0(,14)")
        expansion.add("BALR", "14,15")
    else:
        expansion.add("BALR", f"14,{inner}", at=routine_at + 1)
        expansion.check(routine_at, lambda translated: None if translated[1] == "%r15" else
                        f"CALL {routine}: a name or (15) is expected")
    return expansion.lines


def eoj(statement, serial):
    """EOJ [RC=number|(reg)]"""
    expansion, operands = call.Expansion(statement, serial), keywords.Operands(statement)
    code, _ = operands.take("RC", "0")
    operands.done()
    inner = call.registers(code)
    expansion.add("LA" if inner is None else "LR", f"1,{code if inner is None else inner}", statement.name)
    over = expansion.label("O")
    expansion.add("CNOP", "0,4")
    expansion.add("BRAS", f"14,{over}")
    expansion.add("DC", "V(VSEEOJ)")
    expansion.add("L", "15,0(,14)", over)
    expansion.add("BALR", "14,15")
    return expansion.lines


def wto(statement, serial):
    """WTO 'text' or WTO TEXT=address|(reg), where a halfword with the length and the text are"""
    expansion, operands = call.Expansion(statement, serial), keywords.Operands(statement)
    text, at = operands.take("TEXT")
    if text is None:
        if not operands.positional:
            raise AsmError("WTO: the text is missing", 0)
        quoted, at = operands.positional.pop(0)
        if not (len(quoted) > 2 and quoted[0] == quoted[-1] == "'"):
            raise AsmError(f"{quoted}: the text stands in quotes", at)
    operands.done()
    over, data = expansion.label("O"), expansion.label("D")
    if statement.name:
        expansion.add("DS", "0H", statement.name)
    expansion.add("CNOP", "0,4")
    expansion.add("BRAS", f"14,{over}")
    expansion.add("DC", "V(VSEWTO)", data)
    if text is None:
        expansion.add("DC", f"AL2({expansion.label('E')}-{expansion.label('S')})", expansion.label("T"))
        expansion.add("DC", f"C{quoted}", expansion.label("S"))
        expansion.add("EQU", "*", expansion.label("E"))
    expansion.add("DS", "0H", over)
    if text is None:
        expansion.add("LA", f"1,{expansion.label('T')}-{data}(,14)")
    else:
        call.load(expansion, text, at, "1", ("%r14",))
    expansion.add("L", "15,0(,14)")
    expansion.add("BALR", "14,15")
    return expansion.lines


def wait(statement, serial):
    """WAIT address|(reg): until the ECB is posted"""
    expansion, operands = call.Expansion(statement, serial), keywords.Operands(statement)
    if not operands.positional:
        raise AsmError("WAIT: the ECB is missing", 0)
    text, at = operands.positional.pop(0)
    operands.done()
    if statement.name:
        expansion.add("DS", "0H", statement.name)
    call.load(expansion, text, at, "1", ())
    over = expansion.label("O")
    expansion.add("CNOP", "0,4")
    expansion.add("BRAS", f"14,{over}")
    expansion.add("DC", "V(VSEWAIT)")
    expansion.add("L", "15,0(,14)", over)
    expansion.add("BALR", "14,15")
    return expansion.lines


MACROS = {"SAVE": save, "RETURN": return_, "CALL": call_, "EOJ": eoj, "WTO": wto, "WAIT": wait}
