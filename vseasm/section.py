# SPDX-License-Identifier: Apache-2.0
"""A control section: what stands at each offset, and its text for GNU as."""

from errors import AsmError


class Section:
    def __init__(self, name, dummy):
        self.name, self.dummy = name, dummy
        self.location = self.end = 0
        self.items = {}  # offset -> (length, lines for GNU as); bytes are one item each

    def advance(self, length):
        self.location += length
        self.end = max(self.end, self.location)

    def align(self, to):
        self.advance(-self.location % to)

    def put_bytes(self, offset, data):
        for i, byte in enumerate(data):
            self._clear(offset + i, 1)
            self.items[offset + i] = (1, byte)

    def put(self, offset, length, text):
        self._clear(offset, length)
        self.items[offset] = (length, text)

    def _clear(self, offset, length):
        """Removes what ORG lets a later statement overlay: bytes, and whole items of other kinds."""
        for at in range(max(0, offset - 7), offset + length):
            found = self.items.get(at)
            if not found or at + found[0] <= offset:
                continue
            if at < offset or at + found[0] > offset + length:
                raise AsmError("overlays a part of an instruction or of an address constant")
            del self.items[at]

    def lines(self):
        """Yields the lines of GNU as."""
        at, data = 0, []
        for offset in sorted(self.items):
            length, item = self.items[offset]
            if data and (at != offset or not isinstance(item, int)):
                yield from _bytes(data)
                data = []
            if at < offset:
                yield f"\t.skip {offset - at}"
            if isinstance(item, int):
                data.append(item)
            else:
                yield f"\t{item}"
            at = offset + length
        yield from _bytes(data)
        if at < self.end:
            yield f"\t.skip {self.end - at}"


def _bytes(data):
    for i in range(0, len(data), 16):
        yield "\t.byte " + ",".join(str(byte) for byte in data[i:i + 16])
