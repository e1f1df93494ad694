#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A SOAP client by zeep: stores members, fetches them, and compares the bytes.

  soap-client.py URL CALLS SIZE [CALL]

Before that call of Store it writes a line, and goes on when it has read one. Its last line has the number of bytes."""

import random
import sys

import zeep


def main():
    url, calls, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    gate = int(sys.argv[4]) if len(sys.argv) > 4 else None
    members = zeep.Client(url + "?wsdl").service
    done = 0
    for nr in range(1, calls + 1):
        if nr == gate:
            print("middle", flush=True)
            sys.stdin.readline()
        data = random.Random(f"soap {nr}").randbytes(size)
        if members.Store(f"M{nr}", data) != size:
            sys.exit(f"call {nr}: Store tells another length")
        if members.Fetch(f"M{nr}") != data:
            sys.exit(f"call {nr}: Fetch has other bytes")
        done += 2 * size
    print(f"{done} BYTES EQUAL", flush=True)


main()
