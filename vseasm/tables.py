# SPDX-License-Identifier: Apache-2.0
"""The words of EZASMI and SOCKET, as libvsesock's tables have them: a file that libvsesock/asm/macro-list.c has printed."""


class Tables:
    """types: TYPE -> its keywords; lacking: TYPE -> why there is none of it; functions, connections, fields: of SOCKET."""

    def __init__(self, text):
        self.types, self.lacking, self.functions, self.connections, self.fields = {}, {}, [], [], []
        for line in text.splitlines():
            kind, *words = line.split()
            if kind == "type":
                self.types[words[0]] = words[1:]
            elif kind == "lacking":
                self.lacking[words[0]] = " ".join(words[1:])
            else:
                getattr(self, kind).extend(words)
