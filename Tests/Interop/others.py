"""Shared by the scripts over pyln-proto: Baton's programs, pyln's connections, and a few messages."""
import os
import socket
import struct
import subprocess
import sys

from coincurve import PrivateKey as Signer
from pyln.proto.wire import LightningServerSocket, PrivateKey, connect

PATIENCE = 60
WARNING, INIT, ERROR, PING, PONG, PEER_STORAGE = 1, 16, 17, 18, 19, 7
ADD, COMMIT, REVOKE, FEE, MALFORMED, REESTABLISH = 128, 132, 133, 134, 135, 136
CHANNEL_ANNOUNCEMENT, CHANNEL_UPDATE = 256, 258
# Baton's own type: lspd's answer to a claim.
ANSWER = 0xBA71
CHANNEL = bytes(range(32))


def check(condition, what):
    if not condition:
        raise SystemExit(f"{os.path.basename(sys.argv[0])}: {what}")


def program(directory, name, *arguments, **options):
    return subprocess.Popen([os.path.join(directory, name), *arguments], **options)


def end(process, what):
    process.terminate()
    check(process.wait(PATIENCE) == 0, f"{what} did not exit with 0")


def listening(directory, home, *options):
    """An lspd and its address."""
    process = program(directory, "lspd", "--home", home, *options, stdout=subprocess.PIPE, text=True)
    words = process.stdout.readline().split()
    check(words[:3] == ["lspd", "listens", "on"], "lspd did not print its address")
    return process, words[3]


class Whole:
    """pyln does one recv for a header and one send for a message, and treats less than all of it as an error."""

    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def send(self, data):
        self.inner.sendall(data)

    def recv(self, count):
        got = b""
        while len(got) < count:
            more = self.inner.recv(count - len(got))
            if not more:
                return got
            got += more
        return got


def settle(connection):
    connection.connection.settimeout(PATIENCE)
    connection.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.connection = Whole(connection.connection)
    return connection


def dial(address, secret):
    node, place = address.split("@")
    host, port = place.split(":")
    return settle(connect(PrivateKey(secret), bytes.fromhex(node), host, int(port)))


class Server:
    """A pyln node that the wallet dials."""

    def __init__(self, secret=None):
        secret = secret or os.urandom(32)
        self.socket = LightningServerSocket(PrivateKey(secret))
        self.socket.bind(("127.0.0.1", 0))
        self.socket.listen(8)
        self.socket.settimeout(PATIENCE)
        node = Signer(secret).public_key.format().hex()
        self.address = f"{node}@127.0.0.1:{self.socket.getsockname()[1]}"

    def accept(self):
        return settle(self.socket.accept()[0])

    def accept_bare(self):
        """A connection without a handshake."""
        bare, _ = socket.socket.accept(self.socket)
        bare.settimeout(PATIENCE)
        return bare

    def close(self):
        self.socket.close()


def message(kind, body=b""):
    return struct.pack("!H", kind) + body


def kind(received):
    return struct.unpack("!H", received[:2])[0]


def ping(pong_size, ignored=b""):
    return message(PING, struct.pack("!HH", pong_size, len(ignored)) + ignored)


def init(claim=b""):
    # No global features; option_data_loss_protect, option_static_remotekey and option_provide_storage, all odd.
    features = bytes(reversed([0b10, 0b100000, 0, 0, 0, 0b1000]))
    return message(INIT, struct.pack("!HH", 0, len(features)) + features + claim)


def reestablish(channel=CHANNEL):
    """For a channel without updates."""
    return message(REESTABLISH, channel + struct.pack("!QQ", 1, 0) + bytes(32 + 33))


def add(number):
    return message(ADD, CHANNEL + struct.pack("!QQ", number, 1000) + bytes(32) + struct.pack("!I", 700144) + bytes(1366))


def commit():
    return message(COMMIT, CHANNEL + bytes(64) + struct.pack("!H", 0))


def fee(channel=CHANNEL):
    return message(FEE, channel + struct.pack("!I", 253))


def malformed(code):
    return message(MALFORMED, CHANNEL + struct.pack("!Q", 0) + bytes(32) + struct.pack("!H", code))


def is_disconnected(connection):
    """Reads and ignores what still comes."""
    try:
        while connection.connection.inner.recv(65536):
            pass
        return True
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False


def sealed(connection, said):
    """The bytes of one encrypted message, which the connection counts as sent."""
    parts = []
    inner = connection.connection
    connection.connection = type("Catcher", (), {"send": lambda self, part: parts.append(part)})()
    connection.send_message(said)
    connection.connection = inner
    return b"".join(parts)


# Damages to one message's bytes by a third party on the network or a peer with a wrong nonce.
DAMAGES = [
    ("a wrong tag of a length", lambda bytes_: bytes_[:17] + bytes([bytes_[17] ^ 1]) + bytes_[18:]),
    ("a wrong length", lambda bytes_: bytes([bytes_[0] ^ 1]) + bytes_[1:]),
    ("a wrong tag of a message", lambda bytes_: bytes_[:-1] + bytes([bytes_[-1] ^ 1])),
    ("a message that comes twice", lambda bytes_: bytes_ + bytes_),
    ("a message without its length", lambda bytes_: bytes_[18:] + bytes(18)),
]
