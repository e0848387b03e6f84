"""Hostile peers over pyln-proto: clients of lspd, and the peer of a wallet."""
import os
import socket
import subprocess
import time

from others import (
    ADD, INIT, PING, PONG, REESTABLISH, DAMAGES, WARNING, Server, add, check, commit, dial, end, fee, init, is_disconnected,
    kind, malformed, message, ping, program, reestablish, sealed)


def bad_clients_of(address):
    """Clients of lspd with a wrong handshake or a damaged message."""
    node, place = address.split("@")
    host, port = place.split(":")
    act_one = bytes([0]) + bytes.fromhex(node) + bytes(16)
    for bad in [bytes(50), bytes([1]) + act_one[1:], act_one, b"GET / HTTP/1.1\r\n\r\n" * 4]:
        client = socket.create_connection((host, int(port)), 60)
        client.sendall(bad)
        try:
            check(client.recv(1) == b"", "lspd answers a wrong act one")
        except ConnectionResetError:
            pass
        client.close()
    for name, damage in DAMAGES:
        client = dial(address, os.urandom(32))
        client.send_message(init())
        check(kind(client.read_message()) == INIT, "lspd sends no init to an unknown node")
        client.connection.inner.sendall(damage(sealed(client, message(40001, b"x"))))
        check(is_disconnected(client), f"lspd keeps the connection after {name}")


class Wallet:
    """The wallet's app, with a pyln server as its peer."""

    # Seconds after which a channel counts as working, so that the wallet's next dial comes soon.
    PROVEN = 1.1

    def __init__(self, programs, home, *options, server=None):
        os.makedirs(home, exist_ok=True)
        self.server = server or Server()
        # The extension's options for the same wallet.
        self.place = [
            "--container", f"{home}/AppGroup", "--keychain", f"{home}/Keychain", "--journal", f"{home}/journal", "--peer",
            self.server.address]
        self.process = program(programs, "mainappd", *self.place, *options, stdout=subprocess.DEVNULL)

    def connected(self):
        peer = self.server.accept()
        check(kind(peer.read_message()) == INIT, "the wallet's first message is not init")
        return peer

    def established(self):
        peer = self.connected()
        peer.send_message(init())
        peer.send_message(reestablish())
        said = peer.read_message()
        check(kind(said) == REESTABLISH, f"the wallet answers channel_reestablish with {kind(said)}")
        check(peer.read_message() == ping(0), "the wallet sends no ping after channel_reestablish")
        peer.send_message(message(PONG, bytes(2)))
        return peer

    def works(self, after):
        """Checks that the wallet dials again and the new connection works."""
        peer = self.established()
        for size in [0, 9, 300]:
            peer.send_message(ping(size))
            check(peer.read_message() == message(PONG, size.to_bytes(2, "big") + bytes(size)), f"a wrong pong after {after}")
        time.sleep(self.PROVEN)
        return peer

    def close(self):
        end(self.process, "the wallet")
        self.server.close()


def refuse(wallet, after, peer, is_warned=False):
    """If a reason is sent it is a warning: an error would fail the channel."""
    if is_warned:
        check(kind(peer.read_message()) == WARNING, f"the wallet sends no warning after {after}")
    check(is_disconnected(peer), f"the wallet keeps the connection after {after}")
    return wallet.works(after)


def peers_of_a_wallet(programs, home):
    """Returns the number of kinds."""
    wallet = Wallet(programs, f"{home}/hostile", "--chatter", "100000", "--ping-after", "0")
    count = 0
    try:
        peer = wallet.works("its start")
        for name, damage in DAMAGES:
            peer.connection.inner.sendall(damage(sealed(peer, message(40001, b"x"))))
            peer = refuse(wallet, name, peer)
        for name, said, is_warned in [
            ("an unknown even type", message(40000), False),
            ("65,535 zero bytes", bytes(65535), False),
            ("a truncated message", add(0)[:100], False),
            ("a second init", init(), False),
            ("a second channel_reestablish", reestablish(), True),
            ("a commitment_signed without updates", commit(), True),
            ("an HTLC id out of order", add(5), True),
            ("an update_fee of the wrong side", fee(), True),
            ("a failure of an unknown HTLC", malformed(0xC005), True),
            ("a malformed failure with another failure code", malformed(0x400F), True),
        ]:
            peer.send_message(said)
            peer = refuse(wallet, name, peer, is_warned)
        for name, early in [
            ("an HTLC before init", [add(0)]), ("a commitment_signed before init", [commit()]),
            ("an HTLC before channel_reestablish", [init(), add(0)]), ("an update_fee before channel_reestablish", [init(), fee()]),
        ]:
            peer.connection.inner.close()
            peer = wallet.connected()
            for said in early:
                peer.send_message(said)
            peer = refuse(wallet, name, peer)
        # At most 1 MiB is buffered for a peer that does not read.
        try:
            for _ in range(400):
                peer.send_message(ping(65_531))
        except OSError:
            pass
        unread, peer = peer, wallet.works("pongs that are never read")
        check(is_disconnected(unread), "the wallet keeps the connection after pongs that are never read")
        peer.connection.inner.close()
        # Neither a handshake nor a close: the dial times out.
        silent = wallet.server.accept_bare()
        peer = wallet.works("a peer without a handshake")
        silent.close()
        count = len(DAMAGES) + 10 + 4 + 2
    finally:
        wallet.close()
    return count


def silent_peer(programs, home):
    """The wallet pings a silent peer, and reconnects if no pong comes."""
    wallet = Wallet(programs, f"{home}/silent", "--ping-after", "300ms", "--chatter", "100")
    try:
        peer = wallet.established()
        for _ in range(3):
            check(kind(peer.read_message()) == PING, "the wallet does not ping a silent peer")
            peer.send_message(message(PONG, bytes(2)))
        check(kind(peer.read_message()) == PING, "the wallet does not ping again")
        check(is_disconnected(peer), "the wallet keeps the connection to a peer without pongs")
        again = wallet.established()
        check(kind(again.read_message()) == PING, "the wallet does not ping on its next connection")
    finally:
        wallet.close()
