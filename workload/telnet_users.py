#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The users of the table telnet: each connects, logs on, does a seeded workload with think time, and logs off.

  telnet_users.py ADDRESS PORT USERS COMMANDS THINK-SECONDS

Prints JSON: the time from the first connect to the last end, bytes both ways, and of each user its text, or why it failed.
The text has no words of the telnet protocol, and its lines end in "\\n"."""

import asyncio
import json
import random
import sys
import time

IAC, SE, SB, WILL, REFUSE, DO, DONT = 255, 240, 250, 251, 252, 253, 254  # REFUSE is WON'T of RFC 854
ECHO, SUPPRESS_GO_AHEAD = 1, 3
PROMPT = "READY> "
SECONDS = 120  # without a byte
WORDS = ("query", "query", "query", "indicate", "spool")


def workload(user, commands):
    """Returns the commands of a user: always the same ones."""
    chance = random.Random(user)
    for _ in range(commands):
        word = chance.choice(WORDS)
        yield f"{word} {chance.randint(1, 40)}" if word == "query" else word, chance.expovariate(1)


class Protocol:
    """Takes telnet's own words out of what has come (RFC 854), and refuses all options but two of the server's."""

    def __init__(self):
        self.rest = b""

    def take(self, data):
        """Returns the text of data and the answer to its options."""
        data, text, answer, at = self.rest + data, bytearray(), bytearray(), 0
        while at < len(data):
            if data[at] != IAC:
                text.append(data[at])
                at += 1
                continue
            left = data[at:at + 3]
            if len(left) < 2:
                break
            if left[1] in (WILL, REFUSE, DO, DONT):
                if len(left) < 3:
                    break
                if left[1] == DO:
                    answer += bytes([IAC, REFUSE, left[2]])
                elif left[1] == WILL:
                    answer += bytes([IAC, DO if left[2] in (ECHO, SUPPRESS_GO_AHEAD) else DONT, left[2]])
                at += 3
            elif left[1] == SB:
                end = data.find(bytes([IAC, SE]), at)
                if end < 0:
                    break
                at = end + 2
            else:
                if left[1] == IAC:
                    text.append(IAC)
                at += 2
        self.rest = data[at:]
        return bytes(text), bytes(answer)


class User:
    def __init__(self, nr, address, port, commands, think):
        self.nr, self.address, self.port, self.commands, self.think = nr, address, port, commands, think
        self.name = f"USER{nr:04}"
        self.sent = self.received = 0
        self.text, self.error = "", None

    async def run(self):
        try:
            reader, writer = await asyncio.wait_for(asyncio.open_connection(self.address, self.port), SECONDS)
            try:
                await self.session(reader, writer)
            finally:
                writer.close()
                await writer.wait_closed()
        except (OSError, EOFError, asyncio.TimeoutError) as error:
            self.error = f"{self.name}: {str(error) or type(error).__name__}"
        self.text = self.text.replace("\r\n", "\n").replace("\r", "").replace("\0", "")

    async def session(self, reader, writer):
        protocol = Protocol()

        def send(data):
            self.sent += len(data)
            writer.write(data)

        async def until(mark):
            """Reads to the mark, which is behind all that was there before."""
            start = len(self.text)
            while mark not in self.text[start:]:
                data = await asyncio.wait_for(reader.read(65536), SECONDS)
                if not data:
                    raise EOFError(f"the connection ends before \"{mark}\"")
                self.received += len(data)
                text, answer = protocol.take(data)
                self.text += text.decode("latin-1")
                if answer:
                    send(answer)

        await until("USERID: ")
        send(f"{self.name}\r\n".encode())
        await until("PASSWORD: ")
        send(b"secret\r\n")
        await until(PROMPT)
        for command, pause in workload(self.nr, self.commands):
            await asyncio.sleep(pause * self.think)
            send(f"{command}\r\n".encode())
            await until(PROMPT)
        send(b"logoff\r\n")
        await until(f"LOGOFF AT 12:00:00 FOR {self.name}\r\n")


async def main():
    address, port, users, commands = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    all_users = [User(nr, address, port, commands, float(sys.argv[5])) for nr in range(1, users + 1)]
    begin = time.monotonic()
    await asyncio.gather(*(user.run() for user in all_users))
    seconds = time.monotonic() - begin
    json.dump({"seconds": seconds, "bytes": sum(user.sent + user.received for user in all_users),
               "users": [{"text": user.text, "error": user.error} for user in all_users]}, sys.stdout)


if __name__ == "__main__":
    asyncio.run(main())
