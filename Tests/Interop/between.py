"""A relay between a wallet and Electrum with two BOLT 8 connections: a node for the wallet, a dialler for Electrum.

Every message is passed on unchanged, both ways. One is added: a `channel_reestablish` for the wallet's channel, which
Electrum does not send, as it has no channel, and without which the wallet does not send its own.
"""
import hashlib
import socket
import threading
from collections import Counter

from others import ERROR, INIT, PATIENCE, PING, PONG, REESTABLISH, WARNING, Server, check, dial, kind, reestablish

WALLET, PEER = "the wallet", "Electrum"


class Passage:
    """One connection of the wallet and its connection to Electrum."""

    def __init__(self, wallet, peer):
        self.ends = {WALLET: wallet, PEER: peer}
        self.node = wallet.remote_pubkey.serializeCompressed().hex()
        self.said = {WALLET: Counter(), PEER: Counter()}
        self.change = threading.Condition()
        # The end that closed first.
        self.ended_by = None
        for connection in self.ends.values():
            connection.connection.settimeout(None)
        for speaker, hearer in [(WALLET, PEER), (PEER, WALLET)]:
            threading.Thread(target=self.carry, args=(speaker, hearer), daemon=True).start()

    def carry(self, speaker, hearer):
        try:
            while True:
                said = self.ends[speaker].read_message()
                self.ends[hearer].send_message(said)
                if speaker == PEER and kind(said) == INIT:
                    self.ends[WALLET].send_message(reestablish())
                with self.change:
                    self.said[speaker][kind(said)] += 1
                    self.change.notify_all()
        except (OSError, ValueError):
            with self.change:
                self.ended_by = self.ended_by or speaker
                self.change.notify_all()
            self.disconnect(hearer)

    def disconnect(self, end):
        try:
            self.ends[end].connection.inner.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def wait(self, condition, what, seconds=PATIENCE):
        with self.change:
            check(self.change.wait_for(condition, seconds), f"not within {seconds} s: {what}; sent so far: {self.said}")

    def has_pongs_of(self, end):
        return self.said[end][PONG] > 0

    def wait_until_established(self):
        """Waits for Electrum's pong to the ping behind the wallet's `channel_reestablish`."""
        self.wait(lambda: self.has_pongs_of(PEER) or self.ended_by, "the channel is re-established")

    def stays(self, seconds):
        with self.change:
            self.change.wait_for(lambda: self.ended_by, seconds)
        check(self.ended_by is None, f"{self.ended_by} closed the connection")

    def ends_by(self, end):
        self.wait(lambda: self.ended_by, f"{end} closes the connection")
        check(self.ended_by == end, f"{self.ended_by} closed the connection, and not {end}")

    def check_said(self):
        for end in (WALLET, PEER):
            check(self.said[end][INIT] == 1, f"{end} sent init {self.said[end][INIT]} times")
            check(self.said[end][WARNING] + self.said[end][ERROR] == 0, f"{end} sent an error or warning: {self.said}")
        check(self.said[WALLET][REESTABLISH] == 1, f"the wallet did not send exactly one channel_reestablish: {self.said}")
        # The last ping may be in flight when the wallet closes the connection.
        for asks, answers in [(WALLET, PEER), (PEER, WALLET)]:
            missing = self.said[asks][PING] - self.said[answers][PONG]
            check(0 <= missing <= 1, f"{missing} pings of {asks} are not answered")


class Between:
    """The node that the wallet dials."""

    def __init__(self, peer_address):
        self.peer_address = peer_address
        self.server = Server()
        self.address = self.server.address
        self.passages = []
        self.change = threading.Condition()
        # The same node id for Electrum on every connection.
        self.secret = hashlib.sha256(self.address.encode()).digest()
        self.server.socket.settimeout(None)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                wallet = self.server.accept()
            except (OSError, ValueError):
                return
            passage = Passage(wallet, dial(self.peer_address, self.secret))
            with self.change:
                self.passages.append(passage)
                self.change.notify_all()

    def passage(self, number):
        """The wallet's connection of this number, from 1 on."""
        with self.change:
            check(self.change.wait_for(lambda: len(self.passages) >= number, PATIENCE), f"the wallet did not open connection {number}")
            return self.passages[number - 1]

    def close(self):
        self.server.socket.shutdown(socket.SHUT_RDWR)
        self.server.close()
