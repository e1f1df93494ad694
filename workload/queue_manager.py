#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A queue manager of the table mq, with one sender and one receiver channel.

  queue_manager.py NAME PORT PEER-NAME PEER-ADDRESS PEER-PORT [dual | HOLD]

Its receiver channel listens at PORT, its sender channel connects to the peer (conname PEER-ADDRESS(PEER-PORT)). With "dual" it
listens at one socket for IPv4 and IPv6, and has the name of the paper's server. The queue RING
is remote: at a peer of the other name it is sent on. A message that comes for RING goes to the queue BACK of the peer; one
that comes for BACK is got by the job that waits for it.

Commands come on standard input, one JSON object a line: {"jobs": 10, "messages": 1000, "size": 4000} puts and gets that many
messages in all. The answer is a line: the sum of the jobs' rates, each a count and an interval, and the mean time of a
message by another clock. {} asks for the bytes that all its channels have sent and received so far.

{"hold": 30} is answered at once. At the 30th message that comes from then on, the receiving channels write {"held": 30} and
wait until {"release": true}, which has no answer. HOLD is such a number for the first messages.

A channel named CLIENT.SVRCONN is a client channel, with queues of its own."""

import asyncio
import json
import os
import socket
import stat
import sys
import time

import mq_calls
import mq_frames
from mq_frames import FrameError

SECONDS = 60  # without a segment, while one has to come
RING, BACK = "RING", "BACK"


class Gate:
    """Holds the receiving channels at a message, so that something can be done in the middle."""

    def __init__(self):
        self.at = self.left = None  # the message to wait at, and how many are left to it
        self.open = asyncio.Event()
        self.open.set()

    def hold(self, messages):
        self.at = self.left = messages

    async def message(self):
        if self.left is not None:
            self.left -= 1
            if not self.left:
                self.left = None
                self.open.clear()
                print(json.dumps({"held": self.at}), flush=True)
        await self.open.wait()


class Manager:
    def __init__(self, name, peer):
        self.name, self.peer = name, peer
        self.gate = Gate()
        self.local = {}  # queues of clients, by name
        self.waiting = {}  # correlation: future of the job
        self.to_send = asyncio.Queue()  # the transmission queue: (queue, correlation, data)
        self.sent = self.received = 0  # bytes of channels
        self.connected, self.failed = asyncio.Event(), asyncio.get_running_loop().create_future()

    def fail(self, error):
        if not self.failed.done():
            self.failed.set_exception(error)

    async def segment(self, reader):
        length, kind, flags = mq_frames.take(await reader.readexactly(mq_frames.TSH.size))
        body = await reader.readexactly(length)
        self.received += mq_frames.TSH.size + length
        return kind, flags, body

    def write(self, writer, segments):
        self.sent += len(segments)
        writer.write(segments)

    async def receive(self, reader, writer):
        """The receiver channel."""
        assembler = mq_frames.Assembler()
        try:
            kind, _, body = await asyncio.wait_for(self.segment(reader), SECONDS)
            if kind != mq_frames.INITIAL_DATA:
                raise FrameError("no initial data")
            if mq_frames.channel_of(body) == mq_calls.CHANNEL:
                await self.serve_client(reader, writer)
                return
            self.write(writer, mq_frames.initial(f"{self.peer}.{self.name}", self.name))
            while True:
                kind, flags, body = await self.segment(reader)
                if flags & mq_frames.CLOSE_CHANNEL:
                    break
                if kind != mq_frames.MESSAGE_DATA:
                    raise FrameError(f"a segment of type {kind}")
                await self.gate.message()
                done = assembler.add(flags, body)
                if flags & mq_frames.CONFIRM_REQUEST:
                    self.write(writer, mq_frames.status())
                if done:
                    self.arrive(*done)
        except asyncio.IncompleteReadError as error:
            if error.partial:
                self.fail(EOFError("a channel ends within a segment"))
        except (OSError, FrameError, asyncio.TimeoutError) as error:
            self.fail(error)
        except asyncio.CancelledError:
            pass  # this queue manager ends
        finally:
            writer.close()

    async def serve_client(self, reader, writer):
        """A client channel: its calls, up to MQDISC."""
        self.write(writer, mq_frames.initial(mq_calls.CHANNEL, self.name))
        queue, verb = None, None
        while verb != mq_calls.DISC:
            verb, _, body = await self.segment(reader)
            _, _, rest = mq_calls.take(body)
            reason, answer = 0, b""
            if verb == mq_calls.CONN:
                answer = rest
            elif verb == mq_calls.OPEN:
                queue = self.local.setdefault(mq_calls.queue_of(rest), asyncio.Queue())
                answer = rest
            elif verb in (mq_calls.PUT, mq_calls.GET) and not queue:
                reason = mq_calls.NOT_OPEN
            elif verb == mq_calls.PUT:
                await self.gate.message()
                queue.put_nowait(mq_calls.put_data(rest))
                answer = rest[:-len(mq_calls.put_data(rest))]
            elif verb == mq_calls.GET:
                try:
                    answer = mq_calls.got(await asyncio.wait_for(queue.get(), mq_calls.WAIT_SECONDS))
                except asyncio.TimeoutError:
                    reason = mq_calls.NO_MESSAGE
            elif verb not in (mq_calls.CLOSE, mq_calls.DISC):
                raise FrameError(f"a call of type {verb:#x}")
            self.write(writer, mq_calls.reply(verb, 1 if queue else 0, reason, answer))

    def arrive(self, queue, correlation, data):
        if queue == RING:
            self.to_send.put_nowait((BACK, correlation, data))
        elif queue == BACK and correlation in self.waiting:
            self.waiting.pop(correlation).set_result(data)
        else:
            self.fail(FrameError(f"no queue {queue}, or no job that waits"))

    async def send(self, address, port):
        """The sender channel."""
        for _ in range(600):
            try:
                reader, writer = await asyncio.open_connection(address, port)
                break
            except ConnectionRefusedError:
                await asyncio.sleep(0.1)  # the peer starts
        else:
            raise ConnectionRefusedError(f"no queue manager at {address}({port})")
        self.write(writer, mq_frames.initial(f"{self.name}.{self.peer}", self.name))
        kind, _, _ = await asyncio.wait_for(self.segment(reader), SECONDS)
        if kind != mq_frames.INITIAL_DATA:
            raise FrameError("no initial data")
        self.connected.set()
        sequence = 0
        try:
            while True:
                queue, correlation, data = await self.to_send.get()
                sequence += 1
                confirm = sequence % mq_frames.BATCH == 0
                self.write(writer, mq_frames.message(sequence, queue, self.peer, correlation, data, confirm))
                await writer.drain()
                if confirm:  # the end of a batch
                    kind, flags, _ = await asyncio.wait_for(self.segment(reader), SECONDS)
                    if kind != mq_frames.STATUS_DATA or flags:
                        raise FrameError("a batch is not confirmed")
        except asyncio.CancelledError:
            self.write(writer, mq_frames.status(mq_frames.CLOSE_CHANNEL))
            writer.close()
            raise

    async def job(self, nr, count, data):
        """Puts a message, gets it, puts the next one. Returns its rate, and the mean time of its messages by another clock."""
        total, first = 0, time.monotonic()
        for one in range(count):
            correlation = b"%08d%08d" % (nr, one) + bytes(8)
            got = self.waiting[correlation] = asyncio.get_running_loop().create_future()
            begin = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
            self.to_send.put_nowait((RING, correlation, data))
            if await got != data:
                raise FrameError(f"message {one} of job {nr} has other bytes")
            total += time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW) - begin
        return count / (time.monotonic() - first), total / 1e9 / count

    async def drive(self, jobs, messages, size):
        data = [os.urandom(size) for _ in range(jobs)]
        each = await asyncio.gather(*(self.job(nr, messages // jobs, data[nr]) for nr in range(jobs)))
        rate = sum(rate for rate, _ in each)
        # A faster job has more messages in the same time.
        return {"messages": messages // jobs * jobs, "rate": rate, "seconds": sum(of * mean for of, mean in each) / rate}


async def commands(manager):
    reader = asyncio.StreamReader()
    if stat.S_ISREG(os.fstat(sys.stdin.fileno()).st_mode):  # of a job step
        reader.feed_data(sys.stdin.buffer.read())
        reader.feed_eof()
    else:
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    await manager.connected.wait()
    print(json.dumps({"ready": manager.name}), flush=True)
    while line := await reader.readline():
        command = json.loads(line)
        if "hold" in command:
            manager.gate.hold(command["hold"])
            print(json.dumps({"hold": command["hold"]}), flush=True)
        elif "release" in command:
            manager.gate.open.set()
        else:
            answer = await manager.drive(**command) if command else {"sent": manager.sent, "received": manager.received}
            print(json.dumps(answer), flush=True)


async def listen(manager, port, dual):
    if not dual:
        return await asyncio.start_server(manager.receive, "", port, limit=1 << 20)
    with open("/proc/self/comm", "w", encoding="ascii") as file:
        file.write("mqpvchin")  # the name that the paper's NETSTAT has
    listener = socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True)
    return await asyncio.start_server(manager.receive, sock=listener, limit=1 << 20)


async def main():
    name, port, peer, address, peer_port, *rest = sys.argv[1:]
    manager = Manager(name, peer)
    if rest and rest != ["dual"]:
        manager.gate.hold(int(rest[0]))
    server = await listen(manager, int(port), rest == ["dual"])
    sender = asyncio.create_task(manager.send(address, int(peer_port)))
    work = asyncio.create_task(commands(manager))
    done, _ = await asyncio.wait({sender, work, manager.failed}, return_when=asyncio.FIRST_COMPLETED)
    server.close()
    sender.cancel()
    await asyncio.wait({sender}, timeout=5)
    for task in done:
        if task.exception():
            sys.exit(f"{name}: {task.exception() or type(task.exception()).__name__}")


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        pass
