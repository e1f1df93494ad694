# SPDX-License-Identifier: Apache-2.0
"""Characters of a program: IBM-1047, which Python lacks. It is code page 037 with three pairs of characters exchanged."""

_EXCHANGED = bytes.maketrans(b"\xad\xba\xbd\xbb\x5f\xb0", b"\xba\xad\xbb\xbd\xb0\x5f")


def encode(text):
    return text.encode("cp037").translate(_EXCHANGED)
