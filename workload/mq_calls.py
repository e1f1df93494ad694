# SPDX-License-Identifier: Apache-2.0
"""Calls on a client channel: MQCONN, MQOPEN, MQPUT, MQGET, MQCLOSE, MQDISC, in the form that Wireshark's dissector "mq" knows.

A segment has a TSH, then the head of a call: the length of the answer, completion code, reason and object handle; then the
call's own structures. All numbers are big-endian. A message and its call are one segment."""

import struct

import mq_frames
from mq_frames import FIRST, LAST, MD, FrameError, name

CHANNEL = "CLIENT.SVRCONN"  # a channel whose name ends so is a client's
CONN, DISC, OPEN, CLOSE, GET, PUT, REPLY = 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x10
HEAD = struct.Struct(">IIII")
CONNECT = struct.Struct(">48s28sI32s")  # queue manager, application, its type, accounting token
OD = struct.Struct(">4sII48s48s48s12s")
PMO = struct.Struct(">4sIIIIIII48s48s")
GMO = struct.Struct(">4sIIIII48s")
NUMBER = struct.Struct(">I")
MOST = 30000  # bytes of a message
WAIT_SECONDS = 30
QUEUE, INPUT_AND_OUTPUT, WAIT, UNIX = 1, 0x12, 1, 6
OK, FAILED, NO_SUCH_QUEUE, NO_MESSAGE, NOT_OPEN = 0, 2, 2085, 2033, 2019


def request(verb, handle, body):
    return mq_frames.segment(verb, FIRST | LAST, HEAD.pack(mq_frames.TSH.size + HEAD.size + len(body), OK, 0, handle) + body)


def reply(verb, handle, reason, body=b""):
    return mq_frames.segment(verb + REPLY, FIRST | LAST, HEAD.pack(mq_frames.TSH.size + HEAD.size + len(body), FAILED if reason else OK, reason, handle) + body)


def take(body):
    """Returns reason, handle, and what follows the head of a call."""
    if len(body) < HEAD.size:
        raise FrameError("a call without its head")
    _, _, reason, handle = HEAD.unpack_from(body)
    return reason, handle, body[HEAD.size:]


def connect():
    return CONNECT.pack(name(""), name("lfp-workload", 28), UNIX, bytes(32))


def open_queue(queue):
    return OD.pack(b"OD  ", 1, QUEUE, name(queue), name(""), name(""), name("", 12)) + NUMBER.pack(INPUT_AND_OUTPUT)


def queue_of(body):
    """Returns the name of the queue that MQOPEN names."""
    if len(body) < OD.size or body[:4] != b"OD  ":
        raise FrameError("MQOPEN without an MQOD")
    return OD.unpack_from(body)[3].decode("ascii", "replace").rstrip()


def close_queue():
    return NUMBER.pack(0)


def put(data):
    if len(data) > MOST:
        raise FrameError(f"a message of {len(data)} bytes by a client channel; at most {MOST}")
    return mq_frames.descriptor(bytes(24)) + PMO.pack(b"PMO ", 1, 0, 0, 0, 0, 0, 0, name(""), name("")) + NUMBER.pack(len(data)) + data


def put_data(body):
    """Returns the message of MQPUT."""
    return counted(body, MD.size + PMO.size, b"PMO ")


def get():
    return mq_frames.descriptor(bytes(24)) + GMO.pack(b"GMO ", 1, WAIT, 1000 * WAIT_SECONDS, 0, 0, name("")) + NUMBER.pack(MOST)


def got(data):
    """Returns the body of MQGET's answer."""
    return get()[:-NUMBER.size] + NUMBER.pack(len(data)) + data


def data_of(body):
    """Returns the message of MQGET's answer."""
    return counted(body, MD.size + GMO.size, b"GMO ")


def counted(body, at, options):
    if len(body) < at + NUMBER.size or body[:4] != b"MD  " or body[MD.size:MD.size + 4] != options:
        raise FrameError(f"a call without MQMD and {options.decode()}")
    (length,) = NUMBER.unpack_from(body, at)
    if len(body) != at + NUMBER.size + length:
        raise FrameError(f"{len(body) - at - NUMBER.size} bytes of a message of {length}")
    return body[at + NUMBER.size:]
