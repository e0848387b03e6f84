"""BOLT 8 and BOLT 1 against pyln-proto, as a client of lspd and as the peer of a wallet.

    transport.py DIRECTORY-OF-THE-PROGRAMS

Exits with 0 if both agree in everything, else with the first difference.
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
    init, is_disconnected, kind, listening, message, ping, reestablish)

programs = sys.argv[1]

# The wallet's TLV in init with its claim: epoch 1, some incarnation, some container.
CLAIM = bytes.fromhex("feba700001") + bytes([32]) + struct.pack("!QQ", 1, 7) + bytes(range(16))


def wallet_of(address):
    wallet = dial(address, bytes([7] * 32))
    wallet.send_message(init(CLAIM))
    first = wallet.read_message()
    check(kind(first) == INIT, f"lspd's first message is {kind(first)}")
    answer = wallet.read_message()
    check(kind(answer) == ANSWER and answer[2] == 1, "lspd does not accept the claim")
    return wallet


def with_lspd(home):
    process, address = listening(programs, home)
    try:
        # A node without a claim is not taken for the wallet, even if it dials first.
        early = dial(address, bytes([6] * 32))
        # Each side sends init at once.
        check(kind(early.read_message()) == INIT, "lspd sends no init to a node without a claim")
        wallet = wallet_of(address)
        spoken = wallet.read_message()
        check(kind(spoken) == REESTABLISH, "lspd sends no channel_reestablish")
        channel = spoken[2:34]
        wallet.send_message(ping(9, b"abc"))
        pong = wallet.read_message()
        check(pong == message(PONG, struct.pack("!H", 9) + bytes(9)), f"a wrong pong: {pong.hex()}")
        # An unknown odd type is ignored.
        wallet.send_message(message(40001, b"whatever"))
        for number in range(100):
            blob = struct.pack("!I", number)
            wallet.send_message(message(PEER_STORAGE, struct.pack("!H", len(blob)) + blob))
        wallet.send_message(ping(4))
        check(kind(wallet.read_message()) == PONG, "no pong after 100 backups")

        unknown = dial(address, bytes([8] * 32))
        check(kind(unknown.read_message()) == INIT, "lspd sends no init to an unknown node")
        unknown.send_message(init())
        # Gossip, as a large node sends it.
        for _ in range(100):
            unknown.send_message(message(CHANNEL_ANNOUNCEMENT, bytes(430)))
            unknown.send_message(message(CHANNEL_UPDATE, bytes(136)))
        unknown.send_message(ping(1))
        check(kind(unknown.read_message()) == PONG, "an unknown node's ping is not answered")
        # An unknown even type gets a warning and a disconnect.
        unknown.send_message(message(40000))
        check(kind(unknown.read_message()) == WARNING, "an unknown even type is not refused")
        check(is_disconnected(unknown), "lspd keeps the connection after an unknown even type")
        hostile.bad_clients_of(address)
        # Meanwhile the wallet's connection was undisturbed.
        wallet.send_message(ping(5))
        check(kind(wallet.read_message()) == PONG, "other connections disturbed the wallet's")
        # Only the opener, lspd, may change the fee. It sends a warning, as an error would fail the channel.
        wallet.send_message(reestablish(channel))
        wallet.send_message(fee(channel))
        said = wallet.read_message()
        check(kind(said) == WARNING and b"only the channel's opener" in said, "lspd accepts an update_fee from the wallet")
        check(is_disconnected(wallet), "lspd keeps the connection after an update_fee from the wallet")
    finally:
        end(process, "lspd")
    return "handshake, init, ping, an unknown node, hostile bytes"


def with_wallet(home):
    """The wallet dials a pyln peer, which does not know the TLV in init."""
    wallet = hostile.Wallet(programs, home)
    try:
        peer = wallet.server.accept()
        known = peer.remote_pubkey.serializeCompressed()
        first = peer.read_message()
        check(kind(first) == INIT, f"the wallet's first message is {kind(first)}")
        check(bytes.fromhex("feba700001") in first, "the wallet's init has no claim")
        peer.send_message(init())
        # Other implementations send these at once.
        peer.send_message(message(PEER_STORAGE, struct.pack("!H", 3) + b"abc"))
        for _ in range(100):
            peer.send_message(message(CHANNEL_ANNOUNCEMENT, bytes(430)))
            peer.send_message(message(CHANNEL_UPDATE, bytes(136)))
        peer.send_message(ping(7))
        check(peer.read_message() == message(PONG, struct.pack("!H", 7) + bytes(7)), "the wallet sends a wrong pong")
        peer.send_message(message(40001, b"whatever"))
        peer.send_message(ping(1))
        check(kind(peer.read_message()) == PONG, "an unknown odd type disturbs the wallet")
        peer.send_message(message(40000))
        check(is_disconnected(peer), "the wallet keeps the connection after an unknown even type")
        again = wallet.server.accept()
        check(again.remote_pubkey.serializeCompressed() == known, "the wallet reconnects as another node")
    finally:
        wallet.close()
    return "handshake, init, ping, unknown types"


def pings_to_lspd(home):
    process, address = listening(programs, home, "--chatter", str(pings.COUNT))
    try:
        wallet = wallet_of(address)
        check(kind(wallet.read_message()) == REESTABLISH, "lspd sends no channel_reestablish")
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
    return f"{pings.COUNT:,} pings of up to 65,535 bytes and their pongs, across {changes[0]} and {changes[1]} key rotations"


def hostile_to_wallet(home):
    count = hostile.peers_of_a_wallet(programs, home)
    hostile.silent_peer(programs, home)
    return f"dials again and works after {count} kinds of hostile peers and after a silent one"


def play(place, step):
    began = time.monotonic()
    what = step(place)
    return f"{what}: agreed ({time.monotonic() - began:.1f} s)"


scratch = tempfile.mkdtemp(prefix="baton-interop-")
try:
    # Two at a time; the longest is first, and mostly waits.
    with ThreadPoolExecutor(2) as threads:
        steps = [
            (who, threads.submit(play, f"{scratch}/{number}", step)) for number, (who, step) in enumerate([
                ("the wallet's node", hostile_to_wallet), ("the wallet's node", with_wallet), ("lspd", with_lspd),
                ("lspd", pings_to_lspd), ("the wallet's node", pings_to_wallet)])]
        for who, step in steps:
            print(f"  {who}: {step.result()}", flush=True)
finally:
    shutil.rmtree(scratch, ignore_errors=True)
