"""Writes Bitkit's two pushes with PyPI's coincurve and cryptography, and pushes them to a phone with `baton push`: the
real extension shows the right text and stores the right record, from code that shares nothing with Baton. Then the same
two pushes announce a payment that lspd holds, on a phone with all four programs: the real app completes it.

  sealed.py BIN

Called by iosd it is the first phone's app: it makes the key for pushes, and answers its silent pushes.
"""
import base64
import hashlib
import json
import os
import secrets
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

from coincurve import PrivateKey, PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

PATIENCE = 60
LABEL = b"bitkit-notifications"
HELD = "Open now to receive - funds are being held"
UNREADABLE = "Open Bitkit to check for new activity"
ALERT = {
    "alert": {"title": "Payment Incoming", "body": "Open Bitkit to receive"},
    "sound": "default", "interruption-level": "time-sensitive", "mutable-content": 1,
}


def check(condition, what):
    if not condition:
        raise SystemExit(f"sealed.py: {what}")


def seal(plain, receiver, iv_size=16):
    """As Blocktank's servers: ECDH, SHA-256 twice over the compressed point and a label, AES-256-GCM."""
    sender = PrivateKey(secrets.token_bytes(32))
    point = PublicKey(receiver).multiply(sender.secret).format(compressed=True)
    key = hashlib.sha256(hashlib.sha256(point + LABEL).digest()).digest()
    iv = secrets.token_bytes(iv_size)
    sealed = AESGCM(key).encrypt(iv, plain, None)
    return {
        "cipher": base64.b64encode(sealed[:-16]).decode(), "iv": iv.hex(),
        "publicKey": sender.public_key.format(compressed=True).hex(), "tag": sealed[-16:].hex(),
    }


def news(kind, **payload):
    return json.dumps({
        "source": "blocktank", "type": kind, "payload": payload, "createdAt": "2026-01-18T13:33:52.555Z",
    }, separators=(",", ":")).encode()


def app():
    """A wallet's app of another implementation."""
    phone = socket.socket(fileno=int(os.environ["BATON_OS_FD"]))

    def say(verb, body=b"", **fields):
        lines = [verb] + [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
        phone.send("\n".join(lines + ["", ""]).encode() + body)

    words = sys.argv[1:]
    group = words[words.index("--keychain-group") + 1]
    say("hello", role="app", pid=os.getpid())
    say(
        "keychain-write", PrivateKey.from_hex(os.environ["BATON_PUSH_KEY"]).secret, request="key", group=group,
        account="push-key", protection="after-first-unlock", only_new="yes")
    while packet := phone.recv(131072):
        head = packet.split(b"\n\n", 1)[0].decode().split("\n")
        fields = dict(line.split(": ", 1) for line in head[1:])
        if head[0] == "push":
            say("push-done", id=fields["id"], result="no-data")
        elif head[0] in ("keychain-answer", "keychain-refused"):
            say("status", text="has its key")
        elif head[0] == "enter-background":
            say("background-done")
        elif head[0] == "terminate":
            break


class Baton:
    """A phone, through the command line."""

    def __init__(self, directory, scratch):
        self.baton = os.path.join(directory, "baton")
        self.home = os.path.join(scratch, "phone")
        self.scratch = scratch

    def is_alive(self):
        return True

    def ask(self, *words):
        done = subprocess.run(
            [self.baton, "--home", self.home, "--json", *words], capture_output=True, text=True, check=False,
            timeout=PATIENCE)
        return json.loads(done.stdout or "{}") if done.returncode == 0 else None

    def until(self, what, condition):
        end = time.monotonic() + PATIENCE
        while not (found := condition()):
            check(self.is_alive(), "iosd ended")
            check(time.monotonic() < end, f"there is never {what}")
            time.sleep(0.01)
        return found

    def push(self, payload):
        file = os.path.join(self.scratch, "push.apns")
        with open(file, "w", encoding="utf-8") as out:
            json.dump(payload, out)
        answer = self.ask("push", file)
        check(answer, "baton push failed")
        return answer["id"]

    def notification_of(self, push):
        def find():
            return next((row for row in self.ask("list", "notifications") or [] if row.get("push") == push), None)
        return self.until(f"a notification of push {push}", find)

    def text_of(self, push):
        row = self.notification_of(push)
        return row["title"], row["body"]

    def records(self):
        path = os.path.join(self.home, "AppGroup", "incoming.sqlite")
        if not os.path.exists(path):
            return []
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
            # The extension makes the file before its table.
            if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'incoming'").fetchone():
                return []
            return database.execute(
                "SELECT hex(payment_hash), amount_msat, kind, is_held, hold_ends_at, state FROM incoming"
                " ORDER BY number").fetchall()


class Phone(Baton):
    """With an app of another implementation, and no peer."""

    def __init__(self, directory, scratch, key):
        super().__init__(directory, scratch)
        script = os.path.join(scratch, "app")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nexec '{sys.executable}' '{os.path.abspath(__file__)}' \"$@\"\n")
        os.chmod(script, 0o700)
        self.process = subprocess.Popen(
            [os.path.join(directory, "iosd"), "--home", self.home, "--wallet", "bitkit", "--app", script],
            env={**os.environ, "BATON_PUSH_KEY": key.to_hex()})

    def is_alive(self):
        return self.process.poll() is None


def completes(directory):
    """The wallet's own key, a payment of lspd's, and the app that receives it."""
    sats = 4321
    with tempfile.TemporaryDirectory() as scratch:
        phone = Baton(directory, scratch)

        try:
            check(phone.ask("up", "--wallet", "bitkit", "--hold-seconds", "300"), "baton up failed")
            check(phone.ask("app", "open") is not None, "the app cannot be opened")
            invoice = phone.until("an invoice", lambda: phone.ask("invoice", str(sats)))
            ledger = os.path.join(phone.home, "lsp", "ledger.sqlite")

            def key():
                with sqlite3.connect(f"file:{ledger}?mode=ro", uri=True) as database:
                    return database.execute("SELECT key FROM push_keys ORDER BY id DESC LIMIT 1").fetchone()

            receiver = phone.until("a push key of the wallet's", key)[0]
            phone.ask("app", "quit")
            phone.until("the app's end", lambda: ((phone.ask("status") or {}).get("iosd") or {}).get("app", {}).get("state") == "not running")
            check(phone.ask("pay", invoice["invoice"], "--no-wait") is not None, "the payment cannot be requested")
            payment = invoice["payment_hash"]
            phone.until("lspd's own announcement", phone.records)
            # The two files, for the payment that lspd holds; with an end of the hold that tells them from lspd's.
            hold = int(time.time()) + 200
            phone.push({
                "aps": {"content-available": 1}, "payment_hash": payment, "amount_msat": sats * 1000,
                "type": "incoming_htlc_wake",
            })
            plain = news("incomingHtlc", paymentHash=payment, amountMsat=sats * 1000, held=True, holdExpiresAt=hold)
            push = phone.push({"aps": ALERT, "payload": seal(plain, receiver)})
            row = phone.notification_of(push)
            check((row["title"], row["body"]) == ("Payment Incoming", HELD), f"the text is {row}")
            record = (payment.upper(), sats * 1000, "incomingHtlc", 1, hold, "incoming")
            check(phone.records() == [record], f"the records are {phone.records()}, and not {record}")
            check(phone.ask("app", "tap", str(row["id"])) is not None, "the notification cannot be tapped")
            phone.until(
                "the completed payment on the screen",
                lambda: (phone.ask("app", "screen") or {}).get("text") == f"Received {sats} sats")
            phone.until("a store without its record", lambda: phone.records() == [])
            print(f"the app has completed a payment that these pushes announced: Received {sats} sats")
        finally:
            phone.ask("down")


def main(directory):
    key = PrivateKey(secrets.token_bytes(32))
    receiver = key.public_key.format(compressed=True)
    with tempfile.TemporaryDirectory() as scratch:
        phone = Phone(directory, scratch, key)
        try:
            phone.until("a phone", lambda: os.path.exists(os.path.join(phone.home, "os", "iosd.sock")))
            phone.until("an open app", lambda: phone.ask("app", "open") is not None)
            phone.until("a key", lambda: "has its key" in json.dumps(phone.ask("status") or {}))
            phone.ask("app", "quit")
            told = pushes(phone, receiver)
            print(f"{told} pushes written with coincurve and cryptography: each text, and each record")
        finally:
            phone.process.terminate()
            phone.process.wait(PATIENCE)
    completes(directory)


def pushes(phone, receiver):
    """The seed's two files first, then each kind in both places of the payload, then corrupt ones."""
    wake = {
        "aps": {"content-available": 1}, "payment_hash": secrets.token_hex(32), "amount_msat": 100000,
        "type": "incoming_htlc_wake",
    }
    phone.push(wake)
    hold = int(time.time()) + 20
    payment = secrets.token_hex(32)
    held = news("incomingHtlc", paymentHash=payment, amountMsat=100000, held=True, holdExpiresAt=hold)
    channel = secrets.token_hex(32)
    cases = [
        (held, ("Payment Incoming", HELD)),
        (news("incomingHtlc", paymentHash=payment, amountMsat=100000, held=False),
         ("Payment Incoming", "Open Bitkit to receive")),
        (news("cjitPaymentArrived", paymentHash=channel, amountMsat=5),
         ("Payment Incoming", "Open now to receive via new channel")),
        (news("orderPaymentConfirmed"), ("Channel Ready", "Open Bitkit to complete setup")),
        (news("mutualClose"), ("Channel Closed", "Funds moved to savings")),
        (news("incomingHtlc"), ("Payment Incoming", "Open Bitkit to receive")),
        (news("wakeToTimeout"), ("Bitkit", UNREADABLE)),
        (b"no JSON", ("Bitkit", UNREADABLE)),
    ]
    count = 1
    for number, (plain, text) in enumerate(cases):
        for iv_size in (16, 12):
            sealed = seal(plain, receiver, iv_size)
            beside = {"aps": ALERT, "payload": sealed}
            inside = {"aps": {**ALERT, "alert": {**ALERT["alert"], "payload": sealed}}}
            for payload in (beside, inside):
                shown = phone.text_of(phone.push(payload))
                check(shown == text, f"push {count}, {plain!r}, shows {shown}")
                count += 1
        if number == 0:
            check(
                phone.records() == [(payment.upper(), 100000, "incomingHtlc", 1, hold, "incoming")],
                f"the record is {phone.records()}")
    check(
        phone.records() == [
            (payment.upper(), 100000, "incomingHtlc", 0, None, "incoming"),
            (channel.upper(), 5, "cjitPaymentArrived", 0, None, "incoming"),
        ], f"the records are {phone.records()}")
    stranger = PrivateKey(secrets.token_bytes(32)).public_key.format(compressed=True)
    for member in ("cipher", "iv", "publicKey", "tag", None):
        sealed = seal(held, receiver if member else stranger)
        if member:
            sealed[member] = sealed[member][:-8] + "00000000"
        shown = phone.text_of(phone.push({"aps": ALERT, "payload": sealed}))
        check(shown == ("Bitkit", UNREADABLE), f"with a changed {member} the text is {shown}")
        count += 1
    return count


if __name__ == "__main__":
    if "BATON_OS_FD" in os.environ:
        app()
    else:
        main(sys.argv[1])
