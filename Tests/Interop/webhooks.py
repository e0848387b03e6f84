"""LSPS5 with a server of webhooks in Python, which checks each signature with coincurve: the wallet's requests over the
peer connection byte by byte, the notifications, and a payment that a notification wakes the wallet for.

  webhooks.py BIN
"""
import datetime
import hashlib
import http.server
import json
import os
import re
import socket
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import threading
import time

from coincurve import PublicKey
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

import others
from others import INIT, check, dial, end, init, kind, listening, message

SERVICE = 37913
ALPHABET = "ybndrfg8ejkmcpqxot1uwisza345h769"
# The wallet's claim in its init: epoch, incarnation, container.
CLAIM = "feba700001" + "20"


def eventually(condition, what, within=60):
    ends = time.monotonic() + within
    while time.monotonic() < ends:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    return check(False, what)


def signer(text, signature):
    """The node that has signed the text: zbase32 of a header, and r and s; of the double hash of the prefixed text."""
    bits = "".join(f"{ALPHABET.index(letter):05b}" for letter in signature)
    raw = bytes(int(bits[place:place + 8], 2) for place in range(0, len(bits) - len(bits) % 8, 8))
    check(len(signature) == 104 and len(raw) == 65, f"a signature has {len(signature)} letters")
    digest = hashlib.sha256(hashlib.sha256(b"Lightning Signed Message:" + text.encode()).digest()).digest()
    recovered = PublicKey.from_signature_and_message(raw[1:] + bytes([raw[0] - 31]), digest, hasher=None)
    return recovered.format().hex()


class Post:
    def __init__(self, path, headers, body):
        self.path, self.headers, self.body, self.at = path, headers, body, time.monotonic()
        self.stamp = headers.get("x-lsps5-timestamp")
        self.signature = headers.get("x-lsps5-signature")
        self.method = json.loads(body)["method"]


class Webhooks(http.server.ThreadingHTTPServer):
    """Keeps each post, after it has checked the signature, and answers with `status`; None: with nothing."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, node, context=None):
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                server.take(Post(self.path, self.headers, body))
                if server.status is None:
                    time.sleep(30)
                    return
                self.send_response(server.status)
                self.send_header("location", "/elsewhere")
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        if context:
            self.socket = context.wrap_socket(self.socket, server_side=True)
        self.node, self.status, self.posts, self.faults = node, 200, [], []
        self.url = f"http{'s' if context else ''}://127.0.0.1:{self.server_address[1]}/wake?token=a%20b"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def take(self, post):
        try:
            self.judge(post)
        except (SystemExit, Exception) as error:  # pylint: disable=broad-except
            self.faults.append(str(error))
        self.posts.append(post)

    def judge(self, post):
        check(post.headers["content-type"] == "application/json", "the body is not said to be JSON")
        check(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", post.stamp), f"a timestamp is {post.stamp}")
        stamp = datetime.datetime.strptime(post.stamp, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=datetime.timezone.utc)
        age = (datetime.datetime.now(datetime.timezone.utc) - stamp).total_seconds()
        check(-1 < age < 150, f"a timestamp is {age} s old")
        document = json.loads(post.body)
        check(set(document) == {"jsonrpc", "method", "params"} and document["jsonrpc"] == "2.0", f"a body is {post.body}")
        text = f"LSPS5: DO NOT SIGN THIS MESSAGE MANUALLY: LSP: At {post.stamp} I notify {post.body}"
        check(signer(text, post.signature) == self.node, "a signature is not the LSP's")
        check(signer(text + " ", post.signature) != self.node, "a signature is of another text")

    def methods(self):
        return [post.method.removeprefix("lsps5.") for post in self.posts]

    def await_methods(self, expected):
        eventually(lambda: len(self.posts) >= len(expected), f"{self.methods()} were posted, and not {expected}")
        check(self.methods() == expected, f"{self.methods()} were posted, and not {expected}")
        check(not self.faults, "; ".join(self.faults))


# MARK: Over the wire


class Wallet:
    """A wallet over pyln's connection: its claim, and then LSPS0."""

    def __init__(self, address, epoch, secret=bytes([7] * 32)):
        claim = bytes.fromhex(CLAIM) + epoch.to_bytes(8, "big") + (9).to_bytes(8, "big") + bytes([5] * 16)
        self.connection = dial(address, secret)
        self.connection.send_message(init(claim if epoch else b""))
        self.until(INIT)

    def until(self, wanted):
        while True:
            said = self.connection.read_message()
            if kind(said) == wanted:
                return said[2:]

    def raw(self, payload):
        self.connection.send_message(message(SERVICE, payload))
        return json.loads(self.until(SERVICE))

    def ask(self, method, params=None, **more):
        request = {"jsonrpc": "2.0", "id": os.urandom(10).hex(), "method": method, "params": params or {}, **more}
        answer = self.raw(json.dumps(request, ensure_ascii=False).encode())
        check(answer["id"] == request["id"] and answer["jsonrpc"] == "2.0", f"{method} is answered {answer}")
        return answer.get("result"), answer.get("error", {}).get("code"), answer.get("error", {}).get("data")

    def set(self, name, url):
        return self.ask("lsps5.set_webhook", {"app_name": name, "webhook": url})

    def leave(self):
        self.connection.connection.inner.close()


NO_REQUEST = [
    b"", b"{", b"[]", b"null", b"{} {}", b" { } {", b"\0", b"{}\0", b"\xff", b'"lsps5.list_webhooks"', b"[" * 10000,
    b'{"jsonrpc":"2.0","method":"lsps5.list_webhooks","params":{}}',
    b'{"jsonrpc":"2.0","id":null,"method":"lsps5.list_webhooks","params":{}}',
    b'{"jsonrpc":"2.0","id":"a","method":"lsps5.list_webhooks","params":[]}',
    b'[{"jsonrpc":"2.0","id":"a","method":"lsps5.list_webhooks","params":{}}]',
    b'{"jsonrpc":"2.0","id":"a","id":"b","method":"lsps5.list_webhooks","params":{}}',
    b'{"jsonrpc":"2.0","id":"a","method":"lsps5.list_webhooks","params":{}}' + b" " * 60000,
]


def hostile(directory, home):
    """Bytes that are no request, and each error of the specification."""
    process, address = listening(directory, home, "--only-webhooks", "--chatter", "1000")
    server = Webhooks(address.split("@")[0])
    wallet = Wallet(address, 1)
    for payload in NO_REQUEST:
        answer = wallet.raw(payload)
        check(answer["error"]["code"] == -32700 and answer["id"] is None, f"{payload[:60]} is answered {answer}")
    check(wallet.ask("lsps0.list_protocols")[0] == {"protocols": [5]}, "LSPS5 is not among the protocols")
    check(wallet.ask("lsps5.nothing")[1] == -32601, "an unknown method is known")
    check(wallet.ask("lsps5.list_webhooks", {"x": 1})[1:] == (-32602, {"unrecognized": ["x"]}), "a parameter is known")
    check(wallet.ask("lsps5.set_webhook", {"app_name": "a"})[1] == -32602, "a URL is not needed")
    for name, url, code in [
        ("a" * 65, server.url, 500), ("é" * 33, server.url, 500), ("a", server.url + "x" * 1024, 500),
        ("a", "nowhere", 501), ("a", "http://a b/", 501), ("a", "http://ü.org", 501), ("a", "http://u:p@127.0.0.1", 501),
        ("a", "ftp://127.0.0.1/", 502), ("a", "https://example.org/", 502), ("a", "http://169.254.169.254/", 502),
    ]:
        check(wallet.set(name, url)[1] == code, f"{name[:9]} {url[:40]} is not refused with {code}")
    check(wallet.ask("lsps5.remove_webhook", {"app_name": "a"})[1] == 1010, "an unknown name is removed")
    for number in range(10):
        result = wallet.set(f"é\n{number}", server.url)[0]
        check(result == {"num_webhooks": number + 1, "max_webhooks": 10, "no_change": False}, f"a webhook is {result}")
    check(wallet.set("one more", server.url)[1:] == (503, {"max_webhooks": 10}), "an eleventh webhook is taken")
    check(wallet.set("é\n3", server.url)[0]["no_change"] is True, "the same webhook is new")
    names = wallet.ask("lsps5.list_webhooks")[0]
    check(names == {"app_names": [f"é\n{number}" for number in range(10)], "max_webhooks": 10}, f"the list is {names}")
    server.await_methods(["webhook_registered"] * 10)
    stranger = Wallet(address, 0, bytes([8] * 32))
    check(stranger.set("a", server.url)[1] == 1003, "a node without a channel has a webhook")
    end(process, "lspd")
    return len(NO_REQUEST) + 25


def certificate(scratch):
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "webhooks")])
    now = datetime.datetime.now(datetime.timezone.utc)
    day = datetime.timedelta(days=1)
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(now - day).not_valid_after(now + day)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), False)
        .add_extension(x509.BasicConstraints(True, None), True).sign(key, hashes.SHA256()))
    path = os.path.join(scratch, "certificate.pem")
    with open(path, "wb") as file:
        file.write(made.public_bytes(serialization.Encoding.PEM))
        file.write(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    return path


def over_https(directory, home, scratch):
    """A certificate is checked, by its issuer and by the name."""
    path = certificate(scratch)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    process, address = listening(directory, home, "--only-webhooks", "--webhook-authorities", path)
    server = Webhooks(address.split("@")[0], context)
    wallet = Wallet(address, 1)
    wallet.set("by its name", server.url.replace("127.0.0.1", "localhost"))
    server.await_methods(["webhook_registered"])
    wallet.set("by another name", server.url)
    end(process, "lspd")
    process, address = listening(directory, home, "--only-webhooks")
    time.sleep(2)
    server.await_methods(["webhook_registered"])
    end(process, "lspd")


# MARK: Names that do not resolve

SILENT = ["unshare", "-rnm", "sh", "-c", 'ip link set lo up && mount --bind "$0" /etc/resolv.conf && exec "$@"']


def unresolved(directory, scratch):
    """In a network of its own, whose one name server never answers. False if this machine allows no such network."""
    servers = os.path.join(scratch, "resolv.conf")
    with open(servers, "w", encoding="ascii") as file:
        file.write("nameserver 127.0.0.1\noptions timeout:30 attempts:5\n")
    wrapped = [*SILENT, servers]
    if subprocess.run([*wrapped, "true"], capture_output=True, check=False).returncode != 0:
        return False
    done = subprocess.run(
        [*wrapped, sys.executable, __file__, directory, "--without-names"], capture_output=True, text=True, timeout=120,
        check=False)
    check(done.returncode == 0, f"without a name server: {done.stderr[-900:]}")
    return True


def without_names(directory):
    """lspd answers its wallet and its control socket all the while, also when the time for the webhook is over."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))
    with tempfile.TemporaryDirectory() as home:
        process, address = listening(directory, home, "--webhooks", "public", "--chatter", "1000")
        wallet = Wallet(address, 1)
        check(wallet.set("silent", "https://webhook.example.org/")[0]["num_webhooks"] == 1, "the webhook is not taken")
        check(server.recv(512), "the name is not asked for")
        longest, begun = 0, time.monotonic()
        while time.monotonic() - begun < 13:
            before = time.monotonic()
            names = wallet.ask("lsps5.list_webhooks")[0]["app_names"]
            check(names == ["silent"], f"the list is {names}")
            longest = max(longest, time.monotonic() - before)
            time.sleep(0.05)
        check(longest < 4, f"lspd did not answer for {longest:.1f} s")
        wallet.leave()
        with sqlite3.connect(f"file:{home}/lsp/ledger.sqlite?mode=ro", uri=True) as ledger:
            rows = ledger.execute("SELECT outcome, attempts FROM webhook_calls").fetchall()
        check(rows[0][0] == "timed-out" and rows[0][1] >= 2, f"the calls are {rows}")
        end(process, "lspd")


# MARK: A phone


class Phone:
    def __init__(self, directory, home):
        self.baton, self.home = os.path.join(directory, "baton"), home

    def run(self, *words, status=0, stdin=None):
        done = subprocess.run(
            [self.baton, "--home", self.home, "--json", *words], input=stdin, capture_output=True, text=True,
            timeout=120, check=False)
        check(
            done.returncode == status,
            f"baton {' '.join(words)} ended {done.returncode}: {done.stdout[-600:]}{done.stderr[-600:]}")
        return json.loads(done.stdout.splitlines()[-1]) if done.stdout and status == 0 else done.stderr

    def calls(self):
        return [(row["method"].removeprefix("lsps5."), row["outcome"]) for row in self.run("lsp", "webhooks")["calls"]]

    def pushes(self):
        return len(self.run("list", "pushes")["pushes"])

    def leave(self):
        self.run("app", "quit")
        eventually(lambda: not self.run("status")["lspd"]["wallet_connected"], "the app stays connected")

    def open(self):
        self.run("app", "open")
        eventually(lambda: self.run("status")["lspd"]["channel_established"], "the app does not connect")


def woken(phone):
    """The server stands for the wallet's own: it turns a notification into a push, and the extension receives."""
    phone.run("up", "--only-webhooks", "--webhook-cooldown", "3s")
    with open(os.path.join(phone.home, "lsp", "address"), encoding="ascii") as file:
        server = Webhooks(file.read().split("@")[0])
    phone.open()
    invoices = [phone.run("invoice", "1000")["invoice"] for _ in range(6)]
    check(phone.run("webhook", "list") == {"names": [], "max": 10}, "a new wallet has a webhook")
    phone.leave()
    phone.run("pay", invoices.pop(), "--hold-seconds", "1", status=5)
    check(not server.posts and not phone.pushes(), "without a webhook the wallet is woken")

    phone.open()
    check(phone.run("webhook", "set", "mine", server.url)["state"] == "set", "the webhook is not set")
    server.await_methods(["webhook_registered"])
    check(server.posts[0].path == "/wake?token=a%20b", f"the path is {server.posts[0].path}")
    check(phone.run("webhook", "set", "mine", server.url)["state"] == "unchanged", "the webhook is set again")
    check("use https" in phone.run("webhook", "set", "x", "https://example.org/", status=8), "another machine is called")
    check("in ASCII" in phone.run("webhook", "set", "x", "here", status=8), "a word is a URL")
    check("no webhook of this name" in phone.run("webhook", "remove", "x", status=8), "an unknown webhook is removed")
    phone.run("pay", invoices.pop())
    check("connected" in phone.run("lsp", "notify", "onion_message_incoming", status=8), "a connected wallet is notified")
    server.await_methods(["webhook_registered"])

    phone.leave()
    payment = subprocess.Popen(
        [phone.baton, "--home", phone.home, "pay", invoices.pop()], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    server.await_methods(["webhook_registered", "payment_incoming"])
    phone.run("push", "-", stdin=json.dumps(
        {"aps": {"alert": {"title": "Incoming", "body": "Open"}, "mutable-content": 1}, "reason": "IncomingPayment"}))
    check(payment.wait(60) == 0, "the payment is not received")
    return server, invoices


def orders(phone, server):
    """The other notifications, their cooldowns, and answers that are no 200."""
    eventually(lambda: not phone.run("status")["lspd"]["wallet_connected"], "the extension stays connected")
    seen = len(server.posts)
    for words in [["expiry_soon", "--timeout", "800144"], ["liquidity_management_request"], ["onion_message_incoming"]]:
        check(phone.run("lsp", "notify", *words)["calls"] == 1, f"{words} calls nobody")
    eventually(lambda: len(server.posts) == seen + 3, f"{server.methods()} were posted")
    bodies = [json.loads(post.body) for post in server.posts[seen:]]
    check({"timeout": 800144} in [body["params"] for body in bodies], f"no height is in {bodies}")
    check(phone.run("lsp", "notify", "onion_message_incoming")["calls"] == 0, "the cooldown is not kept")
    time.sleep(3)
    for status in [500, 302, 404]:
        server.status = status
        check(phone.run("lsp", "notify", "onion_message_incoming")["calls"] == 1, "the cooldown does not end")
        eventually(lambda: phone.calls()[-1] == ("onion_message_incoming", "answered-otherwise"), f"{phone.calls()}")
        time.sleep(3)
    check(len(server.posts) == seen + 6, "an answer is followed, or called again")
    check(all(post.path.startswith("/wake") for post in server.posts), "a redirect is followed")
    check(not server.faults, "; ".join(server.faults))


def silence(phone, server, invoices):
    """A server that does not answer: lspd goes on, calls again with the same signature, and ends with the wallet."""
    server.status = None
    seen = len(server.posts)
    phone.run("pay", invoices.pop(), "--hold-seconds", "30", "--no-wait")
    eventually(lambda: len(server.posts) > seen, "nothing is posted")
    begun = time.monotonic()
    phone.run("status")
    phone.run("pay", invoices[-1], "--hold-seconds", "0", status=5)
    check(time.monotonic() - begun < 8, "lspd waits for a webhook")
    eventually(lambda: len(server.posts) > seen + 1, "a call without an answer is not repeated")
    first, second = server.posts[seen:seen + 2]
    check(second.at - first.at >= 10, f"the second attempt came after {second.at - first.at:.1f} s")
    check((first.stamp, first.signature) == (second.stamp, second.signature), "the second attempt has another signature")
    phone.open()
    eventually(lambda: phone.calls()[-1] == ("payment_incoming", "not-needed"), f"{phone.calls()}")
    server.status = 200


def removed(phone, server, invoices):
    phone.run("webhook", "remove", "mine")
    check(phone.run("webhook", "list")["names"] == [], "the webhook is there")
    phone.leave()
    seen = len(server.posts)
    pushes = phone.pushes()
    phone.run("pay", invoices.pop(), "--hold-seconds", "1", status=5)
    check(len(server.posts) == seen and phone.pushes() == pushes, "a removed webhook is called")
    check(not server.faults, "; ".join(server.faults))
    phone.run("down")
    verdict = phone.run("judge", phone.home)
    check(verdict["passed"], f"the judge says {verdict}")


def main(directory):
    if sys.argv[2:] == ["--without-names"]:
        without_names(directory)
        return
    with tempfile.TemporaryDirectory() as scratch:
        requests = hostile(directory, os.path.join(scratch, "wire"))
        over_https(directory, os.path.join(scratch, "https"), scratch)
        if not unresolved(directory, scratch):
            print("  a name server that does not answer: skipped: this machine allows no network of its own")
        phone = Phone(directory, os.path.join(scratch, "phone"))
        try:
            server, invoices = woken(phone)
            orders(phone, server)
            silence(phone, server, invoices)
            removed(phone, server, invoices)
        finally:
            subprocess.run([phone.baton, "--home", phone.home, "down"], capture_output=True, check=False)
        print(f"  {requests} requests over the wire, {len(server.posts)} posts to a phone's webhook: each signature is the LSP's")


others.PATIENCE = 30
main(sys.argv[1])
