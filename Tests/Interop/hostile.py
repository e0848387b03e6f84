"""Peers that mean no good, made of pyln-proto: towards lspd, and as the peer of a wallet."""
import os
import socket
import subprocess
import time

from others import (
    ADD, INIT, PING, PONG, REESTABLISH, SPOILT, WARNING, Server, add, check, commit, dial, end, fee, init, is_hung_up_on,
    kind, malformed, message, ping, program, reestablish, sealed)


def strangers_at(address):
    """Who comes to lspd with something else than a handshake, or spoils a message."""
    node, place = address.split("@")
    host, port = place.split(":")
    act_one = bytes([0]) + bytes.fromhex(node) + bytes(16)
    for bad in [bytes(50), bytes([1]) + act_one[1:], act_one, b"GET / HTTP/1.1\r\n\r\n" * 4]:
        stranger = socket.create_connection((host, int(port)), 60)
        stranger.sendall(bad)
        try:
            check(stranger.recv(1) == b"", "a wrong first act is answered")
        except ConnectionResetError:
            pass
        stranger.close()
    for name, spoil in SPOILT:
        stranger = dial(address, os.urandom(32))
        stranger.send_message(init())
        check(kind(stranger.read_message()) == INIT, "a visitor is not greeted")
        stranger.connection.inner.sendall(spoil(sealed(stranger, message(40001, b"x"))))
        check(is_hung_up_on(stranger), f"lspd stays after {name}")


class Wallet:
    """Our app, with a server of pyln's in the place of its peer."""

    # A channel that has run for so long shows that dialling is worth while: the next dial comes soon.
    PROVEN = 1.1

    def __init__(self, programs, home, *options, server=None):
        os.makedirs(home, exist_ok=True)
        self.server = server or Server()
        # Where the extension finds the same wallet.
        self.place = [
            "--container", f"{home}/AppGroup", "--keychain", f"{home}/Keychain", "--journal", f"{home}/journal", "--peer",
            self.server.address]
        self.process = program(programs, "mainappd", *self.place, *options, stdout=subprocess.DEVNULL)

    def greeted(self):
        peer = self.server.accept()
        check(kind(peer.read_message()) == INIT, "the wallet does not begin with init")
        return peer

    def established(self):
        peer = self.greeted()
        peer.send_message(init())
        peer.send_message(reestablish())
        said = peer.read_message()
        check(kind(said) == REESTABLISH, f"the wallet answers channel_reestablish with {kind(said)}")
        check(peer.read_message() == ping(0), "no ping is behind the wallet's channel_reestablish")
        peer.send_message(message(PONG, bytes(2)))
        return peer

    def works(self, after):
        """It dials again, and all is well on the new connection."""
        peer = self.established()
        for size in [0, 9, 300]:
            peer.send_message(ping(size))
            check(peer.read_message() == message(PONG, size.to_bytes(2, "big") + bytes(size)), f"a wrong pong after {after}")
        time.sleep(self.PROVEN)
        return peer

    def close(self):
        end(self.process, "the wallet")
        self.server.close()


def refuse(wallet, after, peer, says_why=False):
    """What comes before the end is a warning if somebody is to be told: an error would fail the channel."""
    if says_why:
        check(kind(peer.read_message()) == WARNING, f"the wallet does not say what is wrong with {after}")
    check(is_hung_up_on(peer), f"the wallet stays after {after}")
    return wallet.works(after)


def peers_of_a_wallet(programs, home):
    """Returns in how many ways."""
    wallet = Wallet(programs, f"{home}/hostile", "--chatter", "100000", "--ping-after", "0")
    count = 0
    try:
        peer = wallet.works("its start")
        for name, spoil in SPOILT:
            peer.connection.inner.sendall(spoil(sealed(peer, message(40001, b"x"))))
            peer = refuse(wallet, name, peer)
        for name, said, says_why in [
            ("an even type that nobody knows", message(40000), False),
            ("65,535 bytes of nothing", bytes(65535), False),
            ("a message that is cut off", add(0)[:100], False),
            ("a second init", init(), False),
            ("a second channel_reestablish", reestablish(), True),
            ("a commitment that changes nothing", commit(), True),
            ("an HTLC out of turn", add(5), True),
            ("a fee", fee(), True),
            ("a failure of an HTLC that is not there", malformed(0xC005), True),
            ("a failure by a code that is none for it", malformed(0x400F), True),
        ]:
            peer.send_message(said)
            peer = refuse(wallet, name, peer, says_why)
        for name, early in [
            ("an HTLC before init", [add(0)]), ("a commitment before init", [commit()]),
            ("an HTLC before channel_reestablish", [init(), add(0)]), ("a fee before channel_reestablish", [init(), fee()]),
        ]:
            peer.connection.inner.close()
            peer = wallet.greeted()
            for said in early:
                peer.send_message(said)
            peer = refuse(wallet, name, peer)
        # Of a peer that never reads, what waits for it is 1 MiB at the most.
        try:
            for _ in range(400):
                peer.send_message(ping(65_531))
        except OSError:
            pass
        deaf, peer = peer, wallet.works("pongs that nobody reads")
        check(is_hung_up_on(deaf), "the wallet stays after pongs that nobody reads")
        peer.connection.inner.close()
        # Neither a handshake, nor an end: the dial has its time.
        silent = wallet.server.accept_bare()
        peer = wallet.works("a peer that does not shake hands")
        silent.close()
        count = len(SPOILT) + 10 + 4 + 2
    finally:
        wallet.close()
    return count


def silent_peer(programs, home):
    """A wallet pings whoever says nothing, and dials anew when no answer comes."""
    wallet = Wallet(programs, f"{home}/silent", "--ping-after", "300ms", "--chatter", "100")
    try:
        peer = wallet.established()
        for _ in range(3):
            check(kind(peer.read_message()) == PING, "the wallet does not ping a peer that is silent")
            peer.send_message(message(PONG, bytes(2)))
        check(kind(peer.read_message()) == PING, "the wallet does not ping again")
        check(is_hung_up_on(peer), "the wallet stays with a peer that does not answer")
        again = wallet.established()
        check(kind(again.read_message()) == PING, "the wallet does not ping on its next connection")
    finally:
        wallet.close()
