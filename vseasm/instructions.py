# SPDX-License-Identifier: Apache-2.0
"""The machine instructions that are known, by the operands that they take. GNU as knows their codes.

A form is the length in bytes and a letter an operand:

  R  a register            M  a mask, or a number that is not a register
  X  D(X,B)                B  D(B)
  L  D(L,B), L up to 256   l  the same, L up to 16
  I  an immediate number   J  the address of a place in the same section
"""

_FORMS = {
    "2RR": "LR AR SR MR DR CR CLR NR OR XR LTR LCR LNR LPR ALR SLR BALR BASR BCTR MVCL CLCL",
    "2MR": "BCR",
    "2R": "SPM BR NOPR BER BNER BHR BLR BNHR BNLR BZR BNZR BOR BNOR BPR BMR BNPR BNMR",
    "4RX": "L ST LA LH STH A S M D N O X C CL AH SH MH CH AL SL IC STC CVB CVD EX BAL BAS BCT MS",
    "4MX": "BC",
    "4X": "B NOP BE BNE BH BL BNH BNL BZ BNZ BO BNO BP BM BNP BNM",
    "4RRB": "LM STM BXH BXLE CS CDS MVCLE CLCLE",
    "4RB": "SLL SRL SLA SRA SLDL SRDL SLDA SRDA",
    "4RMB": "ICM STCM CLM",
    "4BI": "MVI CLI NI OI XI TM",
    "4B": "TS STCK STCKF",
    "6LB": "MVC CLC NC OC XC TR TRT MVN MVZ ED EDMK MVCIN",
    "6ll": "PACK UNPK ZAP AP SP MP DP CP MVO",
    "6lBI": "SRP",
    "4RI": "LHI AHI MHI CHI LGHI AGHI TMLL TMLH TMHL TMHH IILL IILH",
    "4RJ": "BRAS JAS BRCT JCT",
    "4RRJ": "BRXH BRXLE JXH JXLE",
    "4MJ": "BRC",
    "4J": "J JE JNE JH JL JNH JNL JZ JNZ JO JNO JP JM JNP JNM",
    "6RJ": "LARL BRASL JASL",
    "6MJ": "BRCL",
    "6J": "JLU JLE JLNE JLH JLL JLNH JLNL JLZ JLNZ",
    "4R": "IPM",
    "4RR": "MVST CLST SRST LGR AGR SGR CGR LTGR LGFR LLGFR LLGTR LCGR NGR OGR XGR MSR MSGR MLR DLR ALCR SLBR LBR LHR LLCR LLHR",
    "6RX": "LG STG AG SG CG CLG NG OG XG LGF LLGF LLGT LLGC LLGH LLC LLH LB LGB LGH LY STY AY SY CY CLY NY OY XY LHY STHY AHY SHY CHY "
           "ICY STCY LAY LRV LRVH STRV STRVH LRVG STRVG ML DL",
    "6RRB": "LMG STMG LMY STMY CSG CSY SLLG SRLG SLAG SRAG RLL",
    "6BI": "MVIY CLIY NIY OIY XIY TMY",
    "6RI": "LGFI LLILF LLIHF AFI AGFI CFI CGFI CLFI ALFI NILF OILF XILF IILF",
}

FORMS = {name: form for form, names in _FORMS.items() for name in names.split()}

# With displacements of 20 bits.
LONG = {name for form in ("6RX", "6RRB", "6BI") for name in _FORMS[form].split()}

# Names of GNU as that differ.
GNU = {"NOP": "bc 0,", "NOPR": "bcr 0,", "JAS": "bras", "JCT": "brct", "JXH": "brxh", "JXLE": "brxle", "JASL": "brasl",
       "JLU": "jg", "JLE": "jge", "JLNE": "jgne", "JLH": "jgh", "JLL": "jgl", "JLNH": "jgnh", "JLNL": "jgnl", "JLZ": "jgz",
       "JLNZ": "jgnz"}


def length_of(name):
    return int(FORMS[name][0])


def operands_of(name):
    return FORMS[name][1:]
