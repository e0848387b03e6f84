"""BOLT 8 and BOLT 1 against pyln-proto, which others wrote: as a client of lspd, and as the peer of a wallet.

    transport.py DIRECTORY-OF-THE-PROGRAMS

Ends with 0 when both agree in everything, else with the first difference.
"""
import shutil
import struct
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import hostile
import pings
from others import (
    ANSWER, CHANNEL_ANNOUNCEMENT, CHANNEL_UPDATE, INIT, PEER_STORAGE, PONG, REESTABLISH, WARNING, check, dial, end, fee,
    init, is_hung_up_on, kind, listening, message, ping, reestablish)

programs = sys.argv[1]

# The private record by which a wallet shows its claim: epoch 1, some incarnation, some container.
CLAIM = bytes.fromhex("feba700001") + bytes([32]) + struct.pack("!QQ", 1, 7) + bytes(range(16))


def wallet_of(address):
    wallet = dial(address, bytes([7] * 32))
    wallet.send_message(init(CLAIM))
    init = wallet.read_message()
    check(kind(init) == INIT, f"lspd begins with {kind(init)}")
    answer = wallet.read_message()
    check(kind(answer) == ANSWER and answer[2] == 1, "lspd does not take the claim")
    return wallet


def with_lspd(home):
    process, address = listening(programs, home)
    try:
        # Who shows no claim is not taken for the wallet, though it is the first that comes.
        early = dial(address, bytes([6] * 32))
        # Each side greets at once.
        check(kind(early.read_message()) == INIT, "a node without a claim is not greeted")
        wallet = wallet_of(address)
        spoken = wallet.read_message()
        check(kind(spoken) == REESTABLISH, "lspd does not speak of the channel")
        channel = spoken[2:34]
        wallet.send_message(ping(9, b"abc"))
        pong = wallet.read_message()
        check(pong == message(PONG, struct.pack("!H", 9) + bytes(9)), f"a wrong pong: {pong.hex()}")
        # Unknown and odd: nothing happens.
        wallet.send_message(message(40001, b"whatever"))
        for number in range(100):
            blob = struct.pack("!I", number)
            wallet.send_message(message(PEER_STORAGE, struct.pack("!H", len(blob)) + blob))
        wallet.send_message(ping(4))
        check(kind(wallet.read_message()) == PONG, "no pong after 100 backups")

        visitor = dial(address, bytes([8] * 32))
        check(kind(visitor.read_message()) == INIT, "a visitor is not greeted")
        visitor.send_message(init())
        # What a large node says of its channels.
        for _ in range(100):
            visitor.send_message(message(CHANNEL_ANNOUNCEMENT, bytes(430)))
            visitor.send_message(message(CHANNEL_UPDATE, bytes(136)))
        visitor.send_message(ping(1))
        check(kind(visitor.read_message()) == PONG, "a visitor's ping is not answered")
        # Unknown and even: a warning, and the end.
        visitor.send_message(message(40000))
        check(kind(visitor.read_message()) == WARNING, "an even type that nobody knows is not refused")
        check(is_hung_up_on(visitor), "lspd stays after an error")
        hostile.strangers_at(address)
        # And all that time the wallet was undisturbed.
        wallet.send_message(ping(5))
        check(kind(wallet.read_message()) == PONG, "the wallet was disturbed by others")
        # The fee is lspd's to change. An error would fail the channel.
        wallet.send_message(reestablish(channel))
        wallet.send_message(fee(channel))
        said = wallet.read_message()
        check(kind(said) == WARNING and b"only the channel's opener" in said, "lspd takes a fee from the wallet")
        check(is_hung_up_on(wallet), "lspd stays after a fee from the wallet")
    finally:
        end(process, "lspd")
    return "handshake, init, ping, a visitor, hostile bytes"


def with_wallet(home):
    """The wallet dials a peer that is not ours, and does not know our record in init."""
    wallet = hostile.Wallet(programs, home)
    try:
        peer = wallet.server.accept()
        known = peer.remote_pubkey.serializeCompressed()
        init = peer.read_message()
        check(kind(init) == INIT, f"the wallet begins with {kind(init)}")
        check(bytes.fromhex("feba700001") in init, "the wallet's init does not show its claim")
        peer.send_message(init())
        # As other software does right away.
        peer.send_message(message(PEER_STORAGE, struct.pack("!H", 3) + b"abc"))
        for _ in range(100):
            peer.send_message(message(CHANNEL_ANNOUNCEMENT, bytes(430)))
            peer.send_message(message(CHANNEL_UPDATE, bytes(136)))
        peer.send_message(ping(7))
        check(peer.read_message() == message(PONG, struct.pack("!H", 7) + bytes(7)), "a wrong pong of the wallet")
        peer.send_message(message(40001, b"whatever"))
        peer.send_message(ping(1))
        check(kind(peer.read_message()) == PONG, "an odd type that nobody knows disturbs the wallet")
        peer.send_message(message(40000))
        check(is_hung_up_on(peer), "the wallet stays after an even type that nobody knows")
        again = wallet.server.accept()
        check(again.remote_pubkey.serializeCompressed() == known, "the wallet comes back as another node")
    finally:
        wallet.close()
    return "handshake, init, ping, what it does not know"


def pings_to_lspd(home):
    process, address = listening(programs, home, "--chatter", str(pings.COUNT))
    try:
        wallet = wallet_of(address)
        check(kind(wallet.read_message()) == REESTABLISH, "lspd does not speak of the channel")
        return told(pings.carry(wallet, "through lspd"))
    finally:
        end(process, "lspd")


def pings_to_wallet(home):
    wallet = hostile.Wallet(programs, home, "--chatter", str(pings.COUNT))
    try:
        return told(pings.carry(wallet.established(), "through the wallet's node"))
    finally:
        wallet.close()


def told(changes):
    return f"{pings.COUNT:,} pings of up to 65,535 bytes and their pongs, across {changes[0]} and {changes[1]} changes of the keys"


def hostile_to_wallet(home):
    count = hostile.peers_of_a_wallet(programs, home)
    hostile.silent_peer(programs, home)
    return f"dials again and works after {count} kinds of peers that mean no good, and after one that is silent"


def play(place, step):
    began = time.monotonic()
    what = step(place)
    return f"{what}: agreed ({time.monotonic() - began:.1f} s)"


scratch = tempfile.mkdtemp(prefix="baton-interop-")
try:
    # Two at a time: the longest is first, and mostly waits.
    with ThreadPoolExecutor(2) as threads:
        steps = [
            (who, threads.submit(play, f"{scratch}/{number}", step)) for number, (who, step) in enumerate([
                ("the wallet's node", hostile_to_wallet), ("the wallet's node", with_wallet), ("lspd", with_lspd),
                ("lspd", pings_to_lspd), ("the wallet's node", pings_to_wallet)])]
        for who, step in steps:
            print(f"  {who}: {step.result()}", flush=True)
finally:
    shutil.rmtree(scratch, ignore_errors=True)
