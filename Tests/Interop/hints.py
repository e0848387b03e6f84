"""`baton pay --retry hint` against a server of hints in Python: each kind of answer, and what the sender makes of it by
the server's own access log.

  hints.py BIN

The wallet is away and nothing is held for it, so each attempt fails at once. Needs Python's own library alone.
"""
import concurrent.futures
import json
import os
import socketserver
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

# From the end of an attempt to the next one, in seconds. Nothing comes earlier; how late it may come depends on the
# machine alone, which others may use.
SCHEDULE = [(1.0, 1.5), (3.0, 3.5), (7.0, 7.5)]
SOON = (1.0, 1.5)
# Of a float of some days in seconds.
RESOLUTION = 1e-6
# The gaps that were seen, by what they may be.
MEASURED = {}
LATE = 10.0


def check(condition, what):
    if not condition:
        raise SystemExit(f"hints.py: {what}")


class Access(socketserver.StreamRequestHandler):
    def handle(self):
        line = self.rfile.readline(65536).decode("latin-1").strip()
        self.server.log.append((time.monotonic(), line))
        while self.rfile.readline(65536) not in (b"\r\n", b"\n", b""):
            pass
        try:
            self.server.answer(self.wfile, len(self.server.log))
        except OSError:
            pass


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, answer):
        super().__init__(("127.0.0.1", 0), Access)
        self.log = []
        self.answer = answer
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


def page(body, status="200 OK", more=""):
    """An answer with this body."""
    body = body if isinstance(body, bytes) else body.encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n{more}Connection: close\r\n\r\n"
    return lambda file, count: file.write(head.encode() + body)


def hint(word, reason="disconnected", delay=None):
    document = {"hint": word, "reason": reason}
    if delay is not None:
        document["recommended_delay_ms"] = delay
    return page(json.dumps(document))


def silent(file, count):
    time.sleep(5)


def endless(file, count):
    """A header without end, a byte at a time."""
    file.write(b"HTTP/1.1 200 OK\r\n")
    for _ in range(100):
        file.write(b"X-More: 1\r\n")
        file.flush()
        time.sleep(0.1)


def cut(file, count):
    file.write(b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"hint":')


# Answers that are no hint: the schedule without hints serves.
NO_HINT = {
    "500": page('{"error":"busy"}', "500 Internal Server Error"),
    "404": page("", "404 Not Found"),
    "a redirect": page("", "302 Found", "Location: /elsewhere\r\n"),
    "no JSON": page("retry_now"),
    "an empty body": page(""),
    "a list": page("[]"),
    "another word": hint("retry_maybe"),
    "another reason": hint("do_not_retry", "asleep"),
    "no reason": page('{"hint":"do_not_retry"}'),
    "the same member twice": page('{"hint":"do_not_retry","hint":"retry_now","reason":"unknown"}'),
    "a negative delay": hint("do_not_retry", "unknown", -1),
    "a delay as a text": hint("do_not_retry", "unknown", "1000"),
    "no UTF-8": page(b'{"hint":"\xff","reason":"unknown"}'),
    "a megabyte": page(b'{"hint":"do_not_retry","reason":"unknown","x":"' + b"x" * 1048576 + b'"}'),
    "a body that is cut": cut,
    "no HTTP": lambda file, count: file.write(b"\0" * 100),
    "nothing": lambda file, count: None,
    "silence": silent,
    "a slow header": endless,
}


class Sender:
    def __init__(self, directory, home):
        self.baton = os.path.join(directory, "baton")
        self.home = home

    def run(self, *words, status=(0,)):
        done = subprocess.run(
            [self.baton, "--home", self.home, *words], capture_output=True, text=True, timeout=120)
        check(done.returncode in status, f"baton {' '.join(words)} ended {done.returncode}: {done.stdout[-600:]}{done.stderr[-600:]}")
        return done.stdout

    def invoice(self):
        return self.run("invoice", "1000").strip()

    def pay(self, name, answer, *words, status=(5,)):
        """The access log, the events, and the last document."""
        server = Server(answer)
        begun = time.monotonic()
        lines = self.run(
            "--json", "pay", self.invoices.pop(), "--retry", "hint", "--hint-url", server.url, "--hold-seconds", "0", *words,
            status=status).splitlines()
        ended = time.monotonic()
        server.shutdown()
        documents = [json.loads(line) for line in lines]
        return Payment(
            name, server.log, documents[:-1], documents[-1], begun, ended, self.attempts(documents[-1]["payment_hash"]))

    def pay_four_times(self, name, answer, *words):
        """With the longest deadline. The schedule leaves 2.5 s of it: a machine that is busy for longer is asked again."""
        for status in [(5, 7), (5, 7), (5,)]:
            payment = self.pay(name, answer, "--retry-deadline", "15", *words, status=status)
            if payment.last["attempts"] == 4 and payment.last["state"] == "failed":
                break
        return payment

    def attempts(self, payment_hash):
        """When lspd got and failed each attempt, in seconds of the clock that the access log has too."""
        ledger = sqlite3.connect(f"file:{self.home}/lsp/ledger.sqlite?mode=ro", uri=True)
        try:
            rows = ledger.execute(
                "SELECT requested_at_ns, settled_at_ns FROM payments WHERE payment_hash = ? ORDER BY id",
                [bytes.fromhex(payment_hash)]).fetchall()
        finally:
            ledger.close()
        return [(requested / 1e9, settled / 1e9) for requested, settled in rows]


    def pay_to(self, name, url, within=()):
        """Of a server of hints that has no log."""
        begun = time.monotonic()
        done = subprocess.run(
            [*within, self.baton, "--home", self.home, "--json", "pay", self.invoices.pop(), "--retry", "hint", "--hint-url", url,
             "--hold-seconds", "0"], capture_output=True, text=True, timeout=120)
        check(done.returncode == 5, f"{name}: ended {done.returncode}: {done.stdout[-600:]}{done.stderr[-600:]}")
        documents = [json.loads(line) for line in done.stdout.splitlines()]
        return Payment(name, [], documents[:-1], documents[-1], begun, time.monotonic(), [])


class Payment:
    def __init__(self, name, log, events, last, begun, ended, attempts):
        self.name, self.log, self.events, self.last = name, log, events, last
        self.begun, self.ended, self.attempts = begun, ended, attempts

    def gaps(self):
        """By the access log: from the end of an attempt to the question after the next one, without the time that lspd
        had that one for. The sender hears of the end later, and asks later than it hears: no gap is too short."""
        return [
            asked - self.attempts[place][1] - (self.attempts[place + 1][1] - self.attempts[place + 1][0])
            for place, (asked, _) in enumerate(self.log[1:])
        ]

    def planned(self):
        """The gaps as the sender has decided them, whatever the machine made of them: exact."""
        return [event["gap_us"] / 1e6 for event in self.events if event["event"] == "retry"]

    def expect(self, gaps, attempts, ended_by):
        check(self.last["attempts"] == attempts, f"{self.name}: {self.last['attempts']} attempts and not {attempts}: {self.last}")
        check(self.last["ended_by"] == ended_by, f"{self.name}: ended by {self.last['ended_by']} and not {ended_by}")
        check(self.last["code"] == "0x1007", f"{self.name}: the last error is {self.last['code']}")
        seen = self.gaps()
        check(len(seen) == len(gaps), f"{self.name}: {len(seen) + 1} questions and not {len(gaps) + 1}")
        for gap, (least, most), planned in zip(seen, gaps, self.planned()):
            check(gap >= max(least, planned) - RESOLUTION, f"{self.name}: a gap of {gap:.6f} s, decided as {planned:.6f} s, and not {least} to {most} s")
            check(gap <= most + LATE, f"{self.name}: a gap of {gap:.3f} s and not {least} to {most} s")
            MEASURED.setdefault((least, most), []).append(gap)
        for (asked, _), (_, ended) in zip(self.log, self.attempts):
            check(asked >= ended - RESOLUTION, f"{self.name}: a question {ended - asked:.6f} s before its attempt had ended")
        for gap, (least, most) in zip(self.planned(), gaps):
            check(least <= gap <= most, f"{self.name}: the sender decides on {gap:.6f} s and not {least} to {most} s")
        check(len(self.planned()) == attempts - 1, f"{self.name}: the sender decides on {self.planned()}: not {attempts - 1} gaps")
        for _, line in self.log:
            method, target, _ = line.split(" ")
            parts = urllib.parse.urlsplit(target)
            query = urllib.parse.parse_qs(parts.query)
            check(method == "GET" and parts.path == "/lsp/forwarding_hint", f"{self.name}: the sender asked {line}")
            check(len(query["recipient"][0]) == 66 and query["amount_msat"] == ["1000000"], f"{self.name}: the sender asked {line}")
        return self

    def ends_within(self, seconds):
        """The deadline counts from the sender's start, which is before lspd has its first attempt, and after `begun`: a
        busy machine starts a program late."""
        took = self.ended - self.begun
        check(took <= seconds + LATE, f"{self.name}: the sender had its answer after {took:.3f} s")
        late = [at - self.attempts[0][0] for at, _ in self.log if at - self.attempts[0][0] > seconds]
        check(not late, f"{self.name}: a question after the deadline: {late}")
        begun = [event["after_ms"] for event in self.events if event["event"] == "attempt"]
        check(all(at < 1000 * seconds for at in begun), f"{self.name}: an attempt after the deadline: {begun}")
        return self


def hints(sender):
    with concurrent.futures.ThreadPoolExecutor(64) as pool:
        def begin(*words):
            return pool.submit(sender.pay, *words)

        def begin_four(*words):
            return pool.submit(sender.pay_four_times, *words)

        plain = {name: begin_four(name, answer) for name, answer in NO_HINT.items()}
        now = begin_four("retry_now", hint("retry_now", delay=1000))
        standard = begin_four("retry_now without a delay", hint("retry_now"))
        later = begin("retry_later", hint("retry_later"))
        short = begin("retry_later, soon", hint("retry_later", delay=200))
        never = {
            reason: begin(f"do_not_retry, {reason}", hint("do_not_retry", reason, 1000))
            for reason in ["disconnected", "insufficient_liquidity", "recipient_channel_disabled", "unknown"]
        }
        endless_delays = [
            begin(f"{word} in 31 years", hint(word, delay=10**12)) for word in ["retry_now", "retry_later"]
        ]
        largest = begin("retry_now in 2^64-1 ms", hint("retry_now", delay=2**64 - 1), "--retry-deadline", "10")
        too_large = begin_four("a delay of 2^64 ms", hint("do_not_retry", delay=2**64))
        same = [begin_four("the same seed", NO_HINT["500"], "--seed", "7") for _ in range(2)]
        other = begin_four("another seed", NO_HINT["500"], "--seed", "8")

        # After the attempts: the first hint is asked for after the first attempt, and none after the last.
        for payment in [*plain.values(), too_large, *same, other]:
            payment.result().expect(SCHEDULE[:2], 4, "attempts").ends_within(15)
        check(
            all(event["cause"] != "the failure may pass" for event in plain["500"].result().events if event["event"] == "retry"),
            "the sender does not say why it has no hint")
        for payment in [now, standard]:
            payment.result().expect([SOON, SOON], 4, "attempts").ends_within(15)
        later.result().expect([(5.0, 5.5)], 2, "hint").ends_within(12)
        short.result().expect([(0.2, 0.7)], 2, "hint").ends_within(12)
        for reason, payment in never.items():
            done = payment.result().expect([], 1, "hint").ends_within(12)
            check(done.last["reason"] == reason, f"{done.name}: the reason is {done.last['reason']}")
        for payment in endless_delays:
            payment.result().expect([], 2, "deadline").ends_within(12)
        largest.result().expect([], 2, "deadline").ends_within(10)

    first, second = (payment.result() for payment in same)
    check(first.planned() == second.planned(), f"the same seed has gaps of {first.planned()} and {second.planned()} s")
    check(first.planned() != other.result().planned(), "another seed has the same gaps")
    return len(plain) + 16


def last_gap(sender):
    """The third gap, which no question follows, by lspd's rows."""
    done = sender.pay_four_times("the last gap", NO_HINT["500"])
    planned = done.planned()[-1]
    check(7.0 <= planned <= 7.5, f"the sender decides on {planned:.6f} s")
    gap = done.attempts[3][0] - done.attempts[2][1]
    check(planned - RESOLUTION <= gap <= planned + LATE, f"the last gap is {gap:.6f} s, decided as {planned:.6f} s")
    MEASURED.setdefault(SCHEDULE[2], []).append(gap)


def held(sender):
    """Held for longer than the sender waits: pending, not failed, and settled once the wallet comes."""
    invoice = sender.invoices.pop()
    lines = sender.run(
        "--json", "pay", invoice, "--retry", "hint", "--retry-deadline", "10", "--hold-seconds", "60", status=(7,)).splitlines()
    last = json.loads(lines[-1])
    check(last["state"] == "pending" and last["attempts"] == 1, f"a held payment is {last}")
    check(10_000 <= last["took_ms"] < 10_000 + 1000 * LATE, f"pending was said after {last['took_ms']} ms")
    again = json.loads(sender.run("--json", "pay", invoice, "--retry", "interim", status=(7,)).splitlines()[-1])
    check(again["state"] == "pending" and again["reason"] == "already-pending", f"paying again gives {again}")
    sender.run("app", "open")
    settled(sender, last["payment_hash"])
    again = json.loads(sender.run("--json", "pay", invoice, "--retry", "interim", status=(5,)).splitlines()[-1])
    check(again["state"] == "not-sent" and again["reason"] == "already-paid", f"paying a third time gives {again}")


SILENT_NAMES = """
ip link set lo up && mount --bind "$1" /etc/resolv.conf && rm -f "$1.bound" || exit 99
python3 -c 'import socket, time
names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
names.bind(("127.0.0.1", 53))
print("bound", flush=True)
time.sleep(120)' > "$1.bound" &
until [ -s "$1.bound" ]; do sleep 0.05; done
shift
"$@"
status=$?
kill $!
exit $status
"""


def dead_names(sender, scratch):
    """A server of hints whose name cannot be found: at once, or because the server of names never answers. The sender
    gives up each hint after a second, keeps its deadline, and ends without waiting for the resolver."""
    done = sender.pay_to("no such name", "http://dead.invalid:1")
    check(done.last["attempts"] >= 3 and done.last["ended_by"] in ["attempts", "deadline"], f"a dead name: {done.last}")
    done.ends_within(12)

    configuration = os.path.join(scratch, "resolv.conf")
    with open(configuration, "w", encoding="ascii") as file:
        file.write("nameserver 127.0.0.1\noptions timeout:30 attempts:2\n")
    space = ["unshare", "-rmn", "sh", "-c", SILENT_NAMES, "sh", configuration]
    if subprocess.run([*space, "true"], capture_output=True, timeout=60).returncode != 0:
        return "a server of names that never answers: not tried, as this user may make no namespaces"
    done = sender.pay_to("a silent server of names", "http://dead.example:1", within=space)
    check(done.last["attempts"] >= 3 and done.last["ended_by"] in ["attempts", "deadline"], f"silent names: {done.last}")
    check(
        all(event["cause"] == "the server of hints did not answer in time" for event in done.events if event["event"] == "retry"),
        f"silent names: {done.events}")
    done.ends_within(12)
    return "a server of names that never answers does not delay the sender"


def settled(sender, paymentHash):
    end = time.monotonic() + 30
    while time.monotonic() < end:
        rows = json.loads(sender.run("--json", "list", "payments"))
        if any(row.get("payment_hash") == paymentHash and row["state"] == "received" for row in rows):
            return
        time.sleep(0.1)
    check(False, f"the held payment did not settle: {rows}")


def main(directory):
    with tempfile.TemporaryDirectory() as scratch:
        sender = Sender(directory, os.path.join(scratch, "phone"))
        sender.run("up", "--build", "debug")
        try:
            sender.run("app", "open")
            # Away for good: no extension starts for a push.
            sender.run("device", "notifications", "off")
            sender.invoices = [sender.invoice() for _ in range(96)]
            sender.run("app", "quit")
            end = time.monotonic() + 30
            while json.loads(sender.run("--json", "status"))["lspd"]["wallet_connected"]:
                check(time.monotonic() < end, "the wallet stays connected")
                time.sleep(0.1)
            count = hints(sender)
            last_gap(sender)
            names = dead_names(sender, scratch)
            held(sender)
            sender.run("app", "home")
            print(f"{count} answers of a server of hints: no gap of its access log is shorter than the sender's rules have it")
            for (least, most), seen in sorted(MEASURED.items()):
                print(f"  {len(seen)} gaps of {least} to {most} s: {min(seen):.3f} to {max(seen):.3f} s")
            print(names)
            print("a payment held beyond the deadline is pending, and settles with one attempt")
            print(sender.run("judge").splitlines()[-1])
        finally:
            sender.run("down")


main(*sys.argv[1:])
