# SPDX-License-Identifier: Apache-2.0
"""Checks that the table of published figures agrees with its text, and that the model contains none of them.

published.py limits TABLE     the program's values are in the published text
published.py constants TABLE  no published value that must follow from the structure (class R) is a
                              constant in the model
"""
import csv
import glob
import re
import sys

# Constants that only happen to equal such a value: each is a fact of its own.
ALLOWED = {
    100: 'percent; percent of a link per Gbps',
    116: 'a factor of the formula for the capacity of 3390 tracks',
    200: 'room for a text; nanoseconds of a slice; credits of a port of FEx4',
    240: 'most bytes of the control data of a TCCB',
    576: 'the least MTU of IPv4 (RFC 791), and of an ICMP message (RFC 1812)',
    720: 'credits of a curve that zdev plot draws',
    1600: 'MB/s of the bus of FEx8S, from the paper on it',
    1690: 'credits of a curve that zdev plot draws',
    3200: 'MB/s of the buses of FEx16S+ and FEx16SA, from the bus column; links have no such number, they count Gbps',
}


def rows(path):
    with open(path, encoding='utf-8', newline='') as f:
        return list(csv.DictReader(f, delimiter='\t', quoting=csv.QUOTE_NONE))


def numbers(text):
    """As the program reads them, and with the sign as text has it or without."""
    found = set()
    for token in re.findall(r'(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|(?<!\.)\.\d+', text):
        found.add(float(token.replace(',', '')))
    for token in re.findall(r'(\d+)K', text):
        found.update((float(token) * 1000, float(token) * 1024))
    return found


def limits(path):
    bad = []
    for row in rows(path):
        value, tolerance = numbers(row['value']), numbers(row['tolerance'])
        said = value | tolerance | numbers(row['conditions'])
        ours = 'ours' in row['note'] or 'FX-048' in row['note']
        for item in filter(None, (i.strip() for i in row['limits'].split(';'))):
            if item == '-':
                continue
            name, _, limit = item.partition('=')
            if '..' in limit:
                bounds = [float(b) for b in limit.split('..') if b]
                published = all(b in said for b in bounds)
                # "knee where R doubles": from one to two times, and more than two
                published = published or ('doubles' in row['tolerance'] and set(bounds) <= {1.0, 2.0})
                published = published or ('curve' in row['tolerance'] and ours)
                # T rows on Figures 19 and 20: at most 4 percent
                published = published or (row['class'] == 'T' and bounds == [4.0])
            else:
                number, _, allowed = limit.rstrip('?').partition('~')
                number = abs(float(number))
                # Counts of built or found objects, and identities: 1 or 0.
                published = number in said or number in (0, 1) or row['class'] == 'C' or ours
                if allowed.rstrip('%') not in ('', '0'):
                    room = float(allowed.rstrip('%'))
                    text = row['tolerance']
                    published = published and (
                        room in numbers(text) or ours
                        or ('exact' in text or 'rounding' in text) and row['class'] in 'CDR'
                        or text == '=ZI-11' or 'R if' in text)
            if not published:
                bad.append(f'{row["id"]}: {item}: neither in "{row["value"]}" nor in '
                           f'"{row["tolerance"]}"')
    return bad


# A number of C: hexadecimal (with a binary exponent or without), binary, decimal, octal; a suffix.
CONSTANT = re.compile(r"""(?<![\w.])(?:
        0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?\d+)?
        | 0[bB][01]+
        | (?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?
    )[uUlLfF]*(?![\w.])""", re.X)


def constant(token):
    text = token.lower()
    if text.startswith('0x'):
        # F is a digit here, unless there is an exponent.
        return float.fromhex(text.rstrip('ulf' if 'p' in text else 'ul'))
    text = text.rstrip('ulf')
    if text.startswith('0b'):
        return float(int(text, 2))
    if re.fullmatch('0[0-7]+', text):
        return float(int(text, 8))
    return float(text)


def constants(path):
    published = {}
    for row in rows(path):
        if row['class'] in ('R', 'R*'):
            for number in numbers(row['value']):
                digits = f'{number:.10g}'.replace('.', '').strip('0')
                # Two digits are in every program.
                if number >= 100 or len(digits) > 2:
                    published.setdefault(number, row['id'])
    bad = []
    sources = glob.glob('devemu/**/*.[ch]', recursive=True) + glob.glob('figures/*.[ch]')
    for source in sorted(s for s in sources if '/test-' not in s):
        with open(source, encoding='utf-8') as f:
            text = f.read()
        text = re.sub(r'/\*.*?\*/', lambda m: '\n' * m.group().count('\n'), text, flags=re.S)
        text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
        for nr, line in enumerate(text.split('\n'), 1):
            for token in CONSTANT.findall(line):
                number = constant(token)
                if number in published and number not in ALLOWED:
                    bad.append(f'{source}:{nr}: {token} is a published value of '
                               f'{published[number]}')
    return bad


if __name__ == '__main__':
    wrong = {'limits': limits, 'constants': constants}[sys.argv[1]](sys.argv[2])
    print('\n'.join(wrong))
    sys.exit(bool(wrong))
