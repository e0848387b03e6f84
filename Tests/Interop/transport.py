"""BOLT 8 and BOLT 1 against pyln-proto, which others wrote: as a client of lspd, and as the peer of a wallet.

    transport.py DIRECTORY-OF-THE-PROGRAMS

Ends with 0 when both agree in everything, else with the first difference.
"""
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time

from coincurve import PrivateKey as Signer
from pyln.proto.wire import LightningServerSocket, PrivateKey, connect

PATIENCE = 60
INIT, ERROR, PING, PONG, PEER_STORAGE, REESTABLISH = 16, 17, 18, 19, 7, 136
programs = sys.argv[1]


def check(is_so, what):
    if not is_so:
        raise SystemExit(f"transport.py: {what}")


def program(name, *arguments, **options):
    return subprocess.Popen([os.path.join(programs, name), *arguments], **options)


def node_id(secret):
    return Signer(secret).public_key.format().hex()


def read_address(process):
    words = process.stdout.readline().split()
    check(words[:3] == ["lspd", "listens", "on"], "lspd did not say where it listens")
    return words[3]


def dial(address, secret):
    node, place = address.split("@")
    host, port = place.split(":")
    connection = connect(PrivateKey(secret), bytes.fromhex(node), host, int(port))
    settle(connection)
    return connection


def settle(connection):
    connection.connection.settimeout(PATIENCE)
    connection.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    # pyln reads a header with one recv and calls less than all of it an error.
    receive = connection.connection.recv

    class Whole:
        def __init__(self, inner):
            self.inner = inner

        def __getattr__(self, name):
            return getattr(self.inner, name)

        def recv(self, count):
            got = b""
            while len(got) < count:
                more = receive(count - len(got))
                if not more:
                    return got
                got += more
            return got

    connection.connection = Whole(connection.connection)


def message(kind, body=b""):
    return struct.pack("!H", kind) + body


def kind(received):
    return struct.unpack("!H", received[:2])[0]


def init(claim=b""):
    # Nothing global; data_loss_protect, static_remotekey and peer storage, all odd.
    features = bytes(reversed([0b10, 0b100000, 0, 0, 0, 0b1000]))
    return message(INIT, struct.pack("!HH", 0, len(features)) + features + claim)


# The private record by which a wallet shows its claim: epoch 1, some incarnation, some container.
CLAIM = bytes.fromhex("feba700001") + bytes([32]) + struct.pack("!QQ", 1, 7) + bytes(range(16))


def is_hung_up_on(connection):
    try:
        while connection.connection.inner.recv(65536):
            pass
        return True
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False


def with_lspd(home):
    process = program("lspd", "--home", home, stdout=subprocess.PIPE, text=True)
    try:
        address = read_address(process)
        wallet = dial(address, bytes([7] * 32))
        # Who shows no claim is not taken for the wallet, though it is the first that comes.
        early = dial(address, bytes([6] * 32))
        early.send_message(init())
        check(kind(early.read_message()) == INIT, "a node without a claim is not greeted")
        wallet.send_message(init(CLAIM))
        greeting = wallet.read_message()
        check(kind(greeting) == INIT, f"lspd answers init with {kind(greeting)}")
        check(kind(wallet.read_message()) == REESTABLISH, "lspd does not speak of the channel")
        wallet.send_message(message(PING, struct.pack("!HH", 9, 3) + b"abc"))
        pong = wallet.read_message()
        check(pong == message(PONG, struct.pack("!H", 9) + bytes(9)), f"a wrong pong: {pong.hex()}")
        # Unknown and odd: nothing happens. 600 messages more: the keys change once.
        wallet.send_message(message(40001, b"whatever"))
        for number in range(600):
            blob = struct.pack("!I", number)
            wallet.send_message(message(PEER_STORAGE, struct.pack("!H", len(blob)) + blob))
        wallet.send_message(message(PING, struct.pack("!HH", 4, 0)))
        check(kind(wallet.read_message()) == PONG, "no pong after 600 messages")

        visitor = dial(address, bytes([8] * 32))
        visitor.send_message(init())
        check(kind(visitor.read_message()) == INIT, "a visitor is not greeted")
        visitor.send_message(message(PING, struct.pack("!HH", 1, 0)))
        check(kind(visitor.read_message()) == PONG, "a visitor's ping is not answered")

        # Unknown and even: an error, and the end.
        visitor.send_message(message(40000))
        check(kind(visitor.read_message()) == ERROR, "an even type that nobody knows is not refused")
        check(is_hung_up_on(visitor), "lspd stays after an error")
        hostile(address)
        # And all that time the wallet was undisturbed.
        wallet.send_message(message(PING, struct.pack("!HH", 5, 0)))
        check(kind(wallet.read_message()) == PONG, "the wallet was disturbed by others")
    finally:
        process.terminate()
        check(process.wait(PATIENCE) == 0, "lspd did not end in good order")


def hostile(address):
    node, place = address.split("@")
    host, port = place.split(":")
    act_one = bytes([0]) + bytes.fromhex(node) + bytes(16)
    for bad in [bytes(50), bytes([1]) + act_one[1:], act_one, b"GET / HTTP/1.1\r\n\r\n" * 4]:
        stranger = socket.create_connection((host, int(port)), PATIENCE)
        stranger.sendall(bad)
        try:
            check(stranger.recv(1) == b"", "a wrong first act is answered")
        except ConnectionResetError:
            pass
        stranger.close()
    for name, spoil in [
        ("a wrong tag of a length", lambda sealed: bytes([sealed[0] ^ 1]) + sealed[1:]),
        ("a wrong tag of a message", lambda sealed: sealed[:-1] + bytes([sealed[-1] ^ 1])),
        ("a message that comes twice", lambda sealed: sealed + sealed),
        ("a message without its length", lambda sealed: sealed[18:] + bytes(18)),
    ]:
        stranger = dial(address, os.urandom(32))
        stranger.send_message(init())
        check(kind(stranger.read_message()) == INIT, "a visitor is not greeted")
        sent = []
        inner = stranger.connection
        stranger.connection = type("Catcher", (), {"send": lambda self, part: sent.append(part)})()
        stranger.send_message(message(40001, b"x"))
        stranger.connection = inner
        inner.inner.sendall(spoil(b"".join(sent)))
        check(is_hung_up_on(stranger), f"lspd stays after {name}")


def with_wallet(home):
    """The wallet dials a peer that is not ours, and does not know our record in init."""
    secret = bytes([9] * 32)
    server = LightningServerSocket(PrivateKey(secret))
    server.bind(("127.0.0.1", 0))
    server.listen(8)
    server.settimeout(PATIENCE)
    address = f"{node_id(secret)}@127.0.0.1:{server.getsockname()[1]}"
    process = program(
        "mainappd", "--container", f"{home}/AppGroup", "--keychain", f"{home}/Keychain", "--journal",
        f"{home}/journal", "--peer", address, stdout=subprocess.DEVNULL)
    try:
        peer, _ = server.accept()
        settle(peer)
        known = peer.remote_pubkey.serializeCompressed().hex()
        greeting = peer.read_message()
        check(kind(greeting) == INIT, f"the wallet begins with {kind(greeting)}")
        check(bytes.fromhex("feba700001") in greeting, "the wallet's init does not show its claim")
        peer.send_message(init())
        peer.send_message(message(PING, struct.pack("!HH", 7, 0)))
        check(peer.read_message() == message(PONG, struct.pack("!H", 7) + bytes(7)), "a wrong pong of the wallet")
        peer.send_message(message(40001, b"whatever"))
        peer.send_message(message(PING, struct.pack("!HH", 1, 0)))
        check(kind(peer.read_message()) == PONG, "an odd type that nobody knows disturbs the wallet")
        peer.send_message(message(40000))
        check(is_hung_up_on(peer), "the wallet stays after an even type that nobody knows")
        again, _ = server.accept()
        check(again.remote_pubkey.serializeCompressed().hex() == known, "the wallet comes back as another node")
    finally:
        process.terminate()
        check(process.wait(PATIENCE) == 0, "the wallet did not end in good order")
        server.close()


COUNT = 10_000
SIZES = [0, 1, 2, 17, 300, 1500, 65535]


def carry(connection, what):
    for number in range(COUNT):
        # The largest now and then: each is 64 KiB twice over.
        size = SIZES[number % (len(SIZES) - 1)] if number % 500 else SIZES[-1]
        said = os.urandom(size)
        connection.send_message(said)
        check(connection.read_message() == said, f"message {number} {what} came back as another")


def echoes():
    process = program("TestEcho", "listen", stdout=subprocess.PIPE, text=True)
    try:
        connection = dial(process.stdout.readline().strip(), os.urandom(32))
        carry(connection, "to our listener")
    finally:
        process.terminate()
        process.wait(PATIENCE)
    secret = os.urandom(32)
    server = LightningServerSocket(PrivateKey(secret))
    server.bind(("127.0.0.1", 0))
    server.listen(1)
    server.settimeout(PATIENCE)
    address = f"{node_id(secret)}@127.0.0.1:{server.getsockname()[1]}"
    process = program("TestEcho", "dial", address, stdout=subprocess.DEVNULL)
    try:
        connection, _ = server.accept()
        settle(connection)
        check(connection.read_message() == b"hello", "our dialler's first message did not come")
        carry(connection, "to our dialler")
    finally:
        process.terminate()
        process.wait(PATIENCE)


scratch = tempfile.mkdtemp(prefix="baton-interop-")
try:
    for step, what in [
        (lambda: with_lspd(f"{scratch}/lspd"), "lspd: handshake, init, ping, a visitor, key rotation, hostile bytes"),
        (lambda: with_wallet(f"{scratch}/wallet"), "the wallet's node: handshake, init, ping, what it does not know"),
        (echoes, f"{COUNT:,} messages of up to 65,535 bytes each way, from both ends, across {COUNT // 500 - 1} changes of each key"),
    ]:
        os.makedirs(f"{scratch}/wallet", exist_ok=True)
        began = time.monotonic()
        step()
        print(f"  {what}: agreed ({time.monotonic() - began:.1f} s)", flush=True)
finally:
    shutil.rmtree(scratch, ignore_errors=True)
