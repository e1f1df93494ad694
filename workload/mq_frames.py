# SPDX-License-Identifier: Apache-2.0
"""Segments of a message channel between two queue managers, in the form that Wireshark's dissector "mq" knows.

All numbers are big-endian. A message is one or more segments of at most MAX_SEGMENT bytes; the first one of a message has
the transmission queue header (MQXQH) and the message descriptor (MQMD, version 1) before its data."""

import struct

TSH = struct.Struct(">4sIBBBB8sIHH")  # StrucId, length, byte order, type, two flags, LUW, encoding, CCSID, reserved
MSH = struct.Struct(">4sIIII")  # StrucId, sequence number, length here, 0, length of the message
XQH = struct.Struct(">4sI48s48s")
MD = struct.Struct(">4sIIIiIII8siI24s24sI48s48s12s32s32sI28s8s8s4s")
ID = struct.Struct(">4sBBBBHHIII20sBBH48sIH")
INITIAL_DATA, MESSAGE_DATA, STATUS_DATA = 1, 4, 5
CONFIRM_REQUEST, CLOSE_CHANNEL, FIRST, LAST = 0x01, 0x08, 0x10, 0x20
BIG_ENDIAN, ENCODING, CCSID = 1, 0x311, 850
MAX_SEGMENT, MAX_MESSAGE, BATCH = 32766, 100 << 20, 50
FAP_LEVEL, HEARTBEAT_SECONDS = 4, 300
SPLIT_MESSAGES = 0x08  # capability: a message may be many segments
HEADERS = XQH.size + MD.size
NEVER, NOT_PERSISTENT, DATAGRAM = -1, 0, 8


class FrameError(Exception):
    """The peer has sent what is no frame of a channel."""


def name(text, size=48):
    return text.encode("ascii").ljust(size)


def segment(kind, flags, body):
    return TSH.pack(b"TSH ", TSH.size + len(body), BIG_ENDIAN, kind, flags, 0, bytes(8), ENCODING, CCSID, 0) + body


def initial(channel, manager):
    """The first segment of each side."""
    return segment(INITIAL_DATA, 0, ID.pack(b"ID  ", FAP_LEVEL, SPLIT_MESSAGES, 0, 0, 0, BATCH, MAX_SEGMENT, MAX_MESSAGE, 999999999,
                                            name(channel, 20), 0, 0, CCSID, name(manager), HEARTBEAT_SECONDS, 0))


def channel_of(body):
    """Returns the name of the channel that the first segment names."""
    if len(body) < ID.size or body[:4] != b"ID  ":
        raise FrameError("no initial data")
    return ID.unpack_from(body)[10].decode("ascii", "replace").rstrip()


def status(flags=0):
    """Length, code and value: no error."""
    return segment(STATUS_DATA, flags, struct.pack(">III", 12, 0, 0))


def descriptor(correlation):
    return MD.pack(b"MD  ", 1, 0, DATAGRAM, NEVER, 0, ENCODING, CCSID, name("", 8), 0, NOT_PERSISTENT, bytes(24), correlation, 0, name(""),
                   name(""), name("", 12), bytes(32), name("", 32), 0, name("", 28), name("", 8), name("", 8), name("", 4))


def message(sequence, queue, manager, correlation, data, confirm):
    """Returns the segments of a message to a queue of another queue manager."""
    whole = XQH.pack(b"XQH ", 1, name(queue), name(manager)) + descriptor(correlation) + data
    room = MAX_SEGMENT - TSH.size - MSH.size
    parts, at = [], 0
    while at < len(whole):
        part = whole[at:at + room]
        last = at + len(part) == len(whole)
        flags = (FIRST if not at else 0) | (LAST if last else 0) | (CONFIRM_REQUEST if last and confirm else 0)
        parts.append(segment(MESSAGE_DATA, flags, MSH.pack(b"MSH ", sequence, len(part), 0, len(whole)) + part))
        at += len(part)
    return b"".join(parts)


def take(head):
    """Returns the length that follows a TSH, its type and its flags."""
    struct_id, length, order, kind, flags, *_ = TSH.unpack(head)
    if struct_id != b"TSH " or order != BIG_ENDIAN:
        raise FrameError(f"no TSH: {head[:4]!r}")
    if not TSH.size <= length <= MAX_SEGMENT:
        raise FrameError(f"a segment of {length} bytes")
    return length - TSH.size, kind, flags


class Assembler:
    """Puts the segments of messages together."""

    def __init__(self):
        self.parts, self.have, self.whole, self.sequence = [], 0, None, 1

    def add(self, flags, body):
        """Returns (queue, correlation, data) of a message that is complete now, or None."""
        if len(body) < MSH.size:
            raise FrameError("a segment without an MSH")
        struct_id, sequence, here, _, whole = MSH.unpack_from(body)
        if struct_id != b"MSH " or here != len(body) - MSH.size or sequence != self.sequence:
            raise FrameError(f"message {sequence}, not {self.sequence}, or no MSH")
        if bool(flags & FIRST) != (self.whole is None) or whole > MAX_MESSAGE + HEADERS or self.whole not in (None, whole):
            raise FrameError("a segment that belongs to no message")
        self.whole = whole
        self.parts.append(body[MSH.size:])
        self.have += here
        if self.have > whole or bool(flags & LAST) != (self.have == whole):
            raise FrameError(f"{self.have} bytes of a message of {whole}")
        if self.have < whole:
            return None
        text = b"".join(self.parts)
        self.parts, self.have, self.whole = [], 0, None
        self.sequence += 1
        if len(text) < HEADERS or text[:4] != b"XQH " or text[XQH.size:XQH.size + 4] != b"MD  ":
            raise FrameError("a message without MQXQH and MQMD")
        queue = text[8:56].decode("ascii", "replace").rstrip()
        return queue, MD.unpack_from(text, XQH.size)[12], text[HEADERS:]
