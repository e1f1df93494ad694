#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A configuration disk as another version of lfp-via may write it: spoil.py DISK OLD NEW puts NEW in the place of OLD in each
whole generation (via/disk.h). Both texts have the same length."""

import struct
import sys
import zlib

HEAD, MAGIC = 512, b"LFPVIA1\n"


def main():
    path, old, new = sys.argv[1], sys.argv[2].encode(), sys.argv[3].encode()
    if len(old) != len(new):
        sys.exit("the texts differ in length")
    with open(path, "r+b") as disk:
        data = bytearray(disk.read())
        changed = 0
        for at in (0, len(data) // 2 // HEAD * HEAD):
            if data[at:at + 8] != MAGIC:
                continue
            length = struct.unpack_from(">I", data, at + 16)[0]
            archive = bytes(data[at + HEAD:at + HEAD + length])
            changed += archive.count(old)
            archive = archive.replace(old, new)
            data[at + HEAD:at + HEAD + length] = archive
            struct.pack_into(">I", data, at + 20, zlib.crc32(archive))
            struct.pack_into(">I", data, at + 24, zlib.crc32(data[at:at + 24]))
        disk.seek(0)
        disk.write(data)
    return 0 if changed else f"{path} does not have {sys.argv[2]}"


sys.exit(main())
