"""A wallet without guardrails: what docs/examples/naive-app.py and naive-extension.py have in common.

Each process reads the channel once, when it starts, and goes on from its memory: no claim, no lock, no beat. It speaks
BOLT 8 and as much of BOLT 2 and 11 as one payment at a time needs. Never use it but to see what happens then.
"""
import ctypes, hashlib, hmac, json, os, secrets, socket, struct, sys, time
import own_node

sodium, secp = ctypes.CDLL("libsodium.so.23"), ctypes.CDLL("libsecp256k1.so.1")
secp.secp256k1_context_create.restype = ctypes.c_void_p
CONTEXT = ctypes.c_void_p(secp.secp256k1_context_create(0x301))
LETTERS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


def sha256(data):
    return hashlib.sha256(data).digest()


def public_key(secret):
    key, out, size = ctypes.create_string_buffer(64), ctypes.create_string_buffer(33), ctypes.c_size_t(33)
    secp.secp256k1_ec_pubkey_create(CONTEXT, key, secret)
    secp.secp256k1_ec_pubkey_serialize(CONTEXT, out, ctypes.byref(size), key, 0x102)
    return out.raw


def shared(secret, point):
    key, out = ctypes.create_string_buffer(64), ctypes.create_string_buffer(32)
    secp.secp256k1_ec_pubkey_parse(CONTEXT, key, point, ctypes.c_size_t(33))
    secp.secp256k1_ecdh(CONTEXT, out, key, secret, None, None)
    return out.raw


def sign(digest, secret):
    raw, out, recovery = ctypes.create_string_buffer(65), ctypes.create_string_buffer(64), ctypes.c_int()
    secp.secp256k1_ecdsa_sign_recoverable(CONTEXT, raw, digest, secret, None, None)
    secp.secp256k1_ecdsa_recoverable_signature_serialize_compact(CONTEXT, out, ctypes.byref(recovery), raw)
    return out.raw + bytes([recovery.value])


def seal(key, number, head, text):
    out, length = ctypes.create_string_buffer(len(text) + 16), ctypes.c_ulonglong()
    nonce = bytes(4) + struct.pack("<Q", number)
    sodium.crypto_aead_chacha20poly1305_ietf_encrypt(
        out, ctypes.byref(length), text, ctypes.c_ulonglong(len(text)), head, ctypes.c_ulonglong(len(head)), None,
        nonce, key)
    return out.raw


def unseal(key, number, head, sealed):
    out, length = ctypes.create_string_buffer(max(len(sealed) - 16, 1)), ctypes.c_ulonglong()
    nonce = bytes(4) + struct.pack("<Q", number)
    if sodium.crypto_aead_chacha20poly1305_ietf_decrypt(
        out, ctypes.byref(length), None, sealed, ctypes.c_ulonglong(len(sealed)), head, ctypes.c_ulonglong(len(head)),
        nonce, key):
        raise ConnectionError("the peer's message cannot be decrypted")
    return out.raw[: length.value]


def derive(chain, secret):
    root = hmac.digest(chain, secret, "sha256")
    first = hmac.digest(root, b"\1", "sha256")
    return first, hmac.digest(root, first + b"\2", "sha256")


class Wire:
    """BOLT 8, as its initiator. Without the change of keys after 500 messages."""

    def __init__(self, address, secret):
        peer, place = address.split("@")
        host, port = place.rsplit(":", 1)
        peer, own = bytes.fromhex(peer), secrets.token_bytes(32)
        self.socket = socket.create_connection((host, int(port)), timeout=10)
        chain = sha256(b"Noise_XK_secp256k1_ChaChaPoly_SHA256")
        known = sha256(sha256(chain + b"lightning") + peer)
        known = sha256(known + public_key(own))
        chain, key = derive(chain, shared(own, peer))
        tag = seal(key, 0, known, b"")
        known = sha256(known + tag)
        self.socket.sendall(b"\0" + public_key(own) + tag)
        answer = self.exactly(50)
        point, tag = answer[1:34], answer[34:]
        known = sha256(known + point)
        chain, key = derive(chain, shared(own, point))
        unseal(key, 0, known, tag)
        known = sha256(known + tag)
        mine = seal(key, 1, known, public_key(secret))
        known = sha256(known + mine)
        chain, key = derive(chain, shared(secret, point))
        self.socket.sendall(b"\0" + mine + seal(key, 0, known, b""))
        self.writes, self.reads = derive(chain, b"")
        self.written, self.read = 0, 0

    def exactly(self, size):
        data = b""
        while len(data) < size:
            more = self.socket.recv(size - len(data))
            if not more:
                raise ConnectionError("the peer has disconnected")
            data += more
        return data

    def send(self, kind, body):
        text = struct.pack(">H", kind) + body
        length = seal(self.writes, self.written, b"", struct.pack(">H", len(text)))
        self.socket.sendall(length + seal(self.writes, self.written + 1, b"", text))
        self.written += 2

    def receive(self):
        size = struct.unpack(">H", unseal(self.reads, self.read, b"", self.exactly(18)))[0]
        text = unseal(self.reads, self.read + 1, b"", self.exactly(size + 16))
        self.read += 2
        return struct.unpack(">H", text[:2])[0], text[2:]


class NaiveNode:
    """The channel as this process remembers it, and in a file that it never reads again."""

    def __init__(self, role):
        options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
        # Only for the judge, which reads its tables: nothing is ever written there.
        own_node.Node(role)
        self.path, self.peer_file = f"{options['--container']}/naive.json", options["--peer-file"]
        self.wire = None
        self.state = {"seed": secrets.token_hex(32), "received": 0, "revoked": 0, "last": "00" * 32, "preimages": {}}
        if os.path.exists(self.path):
            with open(self.path) as file:
                self.state = json.load(file)
        self.secret = bytes.fromhex(self.state["seed"])
        self.htlcs, self.uncommitted = [], False
        self.save()

    def save(self):
        with open(f"{self.path}.new", "w") as file:
            json.dump(self.state, file)
        os.replace(f"{self.path}.new", self.path)

    def connect(self):
        with open(self.peer_file) as file:
            self.wire = Wire(file.read().strip(), self.secret)
        self.htlcs, self.uncommitted = [], False
        self.wire.send(16, struct.pack(">H", 0) + struct.pack(">H", 8) + bytes.fromhex("0000080800002082"))

    def disconnect(self):
        if self.wire:
            self.wire.socket.close()
        self.wire = None

    def own_secret(self, number):
        secret = bytearray(sha256(b"per-commitment seed" + self.channel + b"\0"))
        for bit in reversed(range(48)):
            if ((1 << 48) - 1 - number) >> bit & 1:
                secret[bit // 8] ^= 1 << bit % 8
                secret = bytearray(sha256(secret))
        return bytes(secret)

    def commit(self, count):
        self.wire.send(132, self.channel + bytes(64) + struct.pack(">H", count) + bytes(64 * count))

    def go_on(self):
        """One message of the peer. Returns "connected", "settled", what the peer says against it, or None."""
        kind, body = self.wire.receive()
        state = self.state
        if kind == 18:
            self.wire.send(19, body[:2] + bytes(struct.unpack(">H", body[:2])[0]))
        elif kind in (1, 17):
            return "the peer says: " + body[34:].decode(errors="replace")
        elif kind == 136:
            self.channel = body[:32]
            self.wire.send(136, self.channel + struct.pack(">QQ", state["received"] + 1, state["revoked"])
                           + bytes.fromhex(state["last"]) + bytes(33))
            return "connected"
        elif kind == 128:
            self.htlcs.append((body[32:40], body[48:80].hex()))
            self.uncommitted = True
        elif kind == 132:
            state["received"] += 1
            self.save()
            self.wire.send(133, self.channel + self.own_secret(state["received"] - 1) + bytes(33))
            if self.uncommitted:
                self.uncommitted = False
                self.commit(len(self.htlcs))
            else:
                return "settled"
        elif kind == 133:
            state["revoked"], state["last"] = state["revoked"] + 1, body[32:64].hex()
            self.save()
            if self.htlcs:
                for number, payment in self.htlcs:
                    self.wire.send(130, self.channel + number + bytes.fromhex(state["preimages"][payment]))
                self.htlcs = []
                self.commit(0)
        return None

    def invoice(self, amount_msat):
        """BOLT 11."""
        preimage = secrets.token_bytes(32)
        self.state["preimages"][sha256(preimage).hex()] = preimage.hex()
        self.save()

        def words(data):
            bits = "".join(f"{byte:08b}" for byte in data)
            return [int(bits[at:at + 5].ljust(5, "0"), 2) for at in range(0, len(bits), 5)]

        def field(letter, data):
            return [LETTERS.index(letter), len(data) // 32, len(data) % 32] + data

        now = int(time.time())
        data = [now >> 5 * place & 31 for place in reversed(range(7))]
        data += field("s", words(secrets.token_bytes(32))) + field("p", words(sha256(preimage)))
        data += field("d", words(b"naive")) + field("9", [16, 8, 0])
        prefix = f"lnbcrt{amount_msat * 10}p"
        bits = "".join(f"{word:05b}" for word in data)
        signed = int(bits.ljust((len(bits) + 7) // 8 * 8, "0"), 2).to_bytes((len(bits) + 7) // 8, "big")
        data += words(sign(sha256(prefix.encode() + signed), self.secret))
        check = 1
        spread = [ord(letter) >> 5 for letter in prefix] + [0] + [ord(letter) & 31 for letter in prefix]
        for word in spread + data + [0] * 6:
            top, check = check >> 25, (check & 0x1FFFFFF) << 5 ^ word
            for place, value in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
                check ^= value if top >> place & 1 else 0
        check ^= 1
        data += [check >> 5 * place & 31 for place in reversed(range(6))]
        return prefix + "1" + "".join(LETTERS[word] for word in data)
