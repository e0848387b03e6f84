"""Thousands of pings across BOLT 8 key rotations."""
import os
import struct

from others import PONG, check, message, ping

COUNT = 10_000
SIZES = [0, 1, 2, 17, 300, 1500]
# With its type and two sizes such a ping has a message's largest size.
LARGEST = 65_529
# Pings in flight at a time.
BATCH = 50
# A key rotates after 1000 uses, two per message.
MESSAGES_PER_KEY = 500


class Keys:
    """Counts one connection's key rotations at the other end."""

    def __init__(self, connection):
        self.connection = connection
        self.sent, self.received = connection.sk, connection.rk
        self.changes = [0, 0]

    def look(self):
        if self.connection.sk != self.sent:
            self.sent = self.connection.sk
            self.changes[0] += 1
        if self.connection.rk != self.received:
            self.received = self.connection.rk
            self.changes[1] += 1


def carry(connection, what):
    """Checks that pongs come in order with the requested sizes. Returns each key's number of rotations."""
    keys = Keys(connection)
    for first in range(0, COUNT, BATCH):
        sizes = []
        for number in range(first, min(first + BATCH, COUNT)):
            # The largest one rarely: it costs 64 KiB each way.
            size = SIZES[number % len(SIZES)] if number % 500 else LARGEST
            sizes.append(size)
            connection.send_message(ping(size, os.urandom(size)))
            keys.look()
        for size in sizes:
            pong = connection.read_message()
            keys.look()
            check(pong == message(PONG, struct.pack("!H", size) + bytes(size)), f"a wrong pong {what}: {pong[:40].hex()}")
    least = COUNT // MESSAGES_PER_KEY
    check(min(keys.changes) >= least, f"{what} the keys rotated {keys.changes} times, and not {least}")
    return keys.changes
