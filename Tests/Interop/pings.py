"""Thousands of pings, and the keys that change on the way."""
import os
import struct

from others import PONG, check, message, ping

COUNT = 10_000
SIZES = [0, 1, 2, 17, 300, 1500]
# With its type, its sizes and so much behind them a ping is as long as a message can be.
LARGEST = 65_529
# So many are under way at a time.
BATCH = 50
# A key serves for a thousand uses, two of them for each message.
MESSAGES_PER_KEY = 500


class Keys:
    """How often the keys of one connection were changed, as its other end sees it."""

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
    """Each is answered with as many bytes as it asks for, in its order. Returns how often each key has changed."""
    keys = Keys(connection)
    for first in range(0, COUNT, BATCH):
        sizes = []
        for number in range(first, min(first + BATCH, COUNT)):
            # The largest now and then: each is 64 KiB twice over.
            size = SIZES[number % len(SIZES)] if number % 500 else LARGEST
            sizes.append(size)
            connection.send_message(ping(size, os.urandom(size)))
            keys.look()
        for size in sizes:
            pong = connection.read_message()
            keys.look()
            check(pong == message(PONG, struct.pack("!H", size) + bytes(size)), f"a wrong pong {what}: {pong[:40].hex()}")
    least = COUNT // MESSAGES_PER_KEY
    check(min(keys.changes) >= least, f"{what} the keys changed {keys.changes} times, and not {least}")
    return keys.changes
