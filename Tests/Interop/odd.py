"""Damaged and odd containers, each made from a sound one: baton doctor must name what is wrong with each, baton inspect
--check must end with the right code, and neither may change a file. Called by documents.py, which validates the JSON.

Processes that hold a container are made here too: a claim row and a beat of a process of this script.
"""
import hashlib
import os
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import time
import zlib

# Opens the database or the locks that its arguments name, as a wallet process does, and waits.
HOLDER = """
import fcntl, os, signal, sqlite3, sys
directory, *words = sys.argv[1:]
kept = []
for word in words:
    if word.endswith(".lock"):
        file = open(f"{directory}/locks/{word}", "r+")
        fcntl.flock(file, fcntl.LOCK_EX)
        kept.append(file)
    else:
        base = sqlite3.connect(f"{directory}/node.sqlite", isolation_level=None)
        base.execute("SELECT count(*) FROM claims").fetchone()
        kept.append(base)
        if word == "transaction":
            base.execute("BEGIN IMMEDIATE")
print("ready", flush=True)
sys.stdin.read()
"""


def boot():
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        digits = file.read().strip().replace("-", "")
    return int(digits[:16], 16), int(digits[16:], 16)


def start_time(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return int(file.read().rsplit(")", 1)[1].split()[19])


def signed(number):
    return number - (1 << 64) if number >= 1 << 63 else number


def tree(directory):
    """Each file with its time and content."""
    facts = {}
    for place, directories, names in os.walk(directory):
        for name in directories + names:
            path = os.path.join(place, name)
            status = os.lstat(path)
            content = b""
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    content = hashlib.sha256(file.read()).digest()
            facts[path] = (status.st_mode, status.st_mtime_ns, status.st_size, content)
    return facts


class Odd:
    def __init__(self, documents, whole):
        self.documents = documents
        self.whole = whole
        self.count = 0
        self.processes = []
        self.directory = ""

    def fresh(self):
        self.count += 1
        self.directory = os.path.join(self.documents.scratch, f"odd-{self.count}")
        shutil.copytree(self.whole, self.directory, ignore=shutil.ignore_patterns("*.sock"))
        return self.directory

    def sql(self, *statements):
        base = sqlite3.connect(f"{self.directory}/node.sqlite", isolation_level=None)
        for statement in statements:
            base.execute(*statement) if isinstance(statement, tuple) else base.execute(statement)
        base.close()

    def last_epoch(self):
        base = sqlite3.connect(f"{self.directory}/node.sqlite")
        epoch = base.execute("SELECT max(epoch) FROM claims").fetchone()[0]
        base.close()
        return epoch

    def holder(self, *words):
        process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, self.directory, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process.stdout.readline()
        self.processes.append(process)
        return process

    def claim(self, process, role="app"):
        """The next claim, of that process."""
        epoch = self.last_epoch()
        high, low = boot()
        row = (epoch + 1, role, process.pid, start_time(process.pid), signed(high), signed(low), 7,
               time.clock_gettime_ns(time.CLOCK_BOOTTIME), time.time_ns(), epoch, "holder-died")
        self.sql((f"INSERT INTO claims VALUES ({', '.join('?' * len(row))})", row))
        return epoch + 1

    def beat(self, process, epoch, ago=0.0, role="app"):
        high, low = boot()
        slot = struct.pack(
            "<IBBBBQQQQQQqq", 0x424E5442, 1, 1 if role == "app" else 2, 3, 0, epoch, 9, process.pid,
            start_time(process.pid), high, low,
            time.clock_gettime_ns(time.CLOCK_BOOTTIME) - int(ago * 1e9), time.time_ns())
        slot += bytes(124 - len(slot))
        slot += struct.pack("<I", zlib.crc32(slot))
        with open(f"{self.directory}/heartbeat", "r+b") as file:
            file.seek(0 if role == "app" else 512)
            file.write(slot)

    def expect(self, what, kinds, code, deep=False, about=None):
        """Doctor's findings on the container are these, besides notes on this machine; the check has that code."""
        about = about or self.directory
        before = tree(about)
        check = self.documents.run(["inspect", about, "--check"], code)
        self.documents.hold("error" if "error" in check[0] else "inspect", check[0], [what, "inspect"])
        words = ["doctor", about] + (["--deep"] if deep else [])
        found = self.documents.run(words, code)[0]
        self.documents.hold("doctor", found, [what, "doctor"])
        machine = ("memory-unlocked", "memory-inexact", "connections-stay-open")
        names = {finding["kind"] for finding in found["findings"]} - set(machine)
        if names != set(kinds):
            raise SystemExit(f"odd.py: {what}: doctor found {sorted(names)}, and not {sorted(kinds)}")
        gravities = [("broken", "wrong", "note").index(finding["gravity"]) for finding in found["findings"]]
        if gravities != sorted(gravities):
            raise SystemExit(f"odd.py: {what}: the gravest finding does not come first")
        after = tree(about)
        if before != after:
            changed = [path for path in {**before, **after} if before.get(path) != after.get(path)]
            raise SystemExit(f"odd.py: {what}: inspect or doctor changed {', '.join(changed)}")

    def end(self):
        for process in self.processes:
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()
        self.processes = []


def at_rest(odd):
    odd.fresh()
    odd.expect("a sound container", [], 0)
    directory = odd.fresh()
    process = odd.holder("app.lock", "open")
    odd.beat(process, odd.claim(process))
    odd.end()
    odd.expect("a holder that was killed", ["holder-dead"], 0)
    directory = odd.fresh()
    os.unlink(f"{directory}/locks/app.lock")
    odd.expect("no lock file", ["lock-file-missing"], 1)
    found = odd.documents.run(["doctor", directory, "--fix"], 0)[0]
    odd.documents.hold("doctor", found, ["doctor", "--fix"])
    if len(found["fixed"]) != 1 or os.stat(f"{directory}/locks/app.lock").st_size:
        raise SystemExit(f"odd.py: doctor --fix did not create the lock file: {found}")
    directory = odd.fresh()
    with open(f"{directory}/heartbeat", "r+b") as file:
        file.write(b"Z" * 1024)
    odd.expect("a damaged heartbeat", ["heartbeat-damaged"], 1)
    directory = odd.fresh()
    os.chmod(directory, 0o777)
    os.chmod(f"{directory}/node.sqlite", 0o644)
    odd.expect("rights of others", ["open-to-others", "readable-by-others"], 2)
    odd.documents.run(["doctor", directory, "--fix"], 0)
    odd.expect("rights that were taken away", [], 0)
    directory = odd.fresh()
    with open(f"{directory}/notes.txt", "w", encoding="utf-8") as file:
        file.write("shopping\n")
    odd.expect("a file of another program", ["foreign-file"], 0)
    with open(f"{directory}/notes.txt", "w", encoding="utf-8") as file:
        file.write("x" * 100000 + "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi")
    odd.documents.run(["inspect", directory, "--check"], 0)
    found = odd.documents.run(["doctor", directory], 2)[0]
    odd.documents.hold("doctor", found, ["doctor"])
    if found["findings"][0]["kind"] != "secret-in-the-clear":
        raise SystemExit(f"odd.py: doctor did not find the key: {found}")


def databases(odd):
    directory = odd.fresh()
    with open(f"{directory}/node.sqlite", "r+b") as file:
        file.seek(4096 * 2 + 8)
        file.write(b"Z" * 4000)
    odd.expect("a page of garbage", ["database-damaged"], 2)
    directory = odd.fresh()
    for name in os.listdir(directory):
        if name.startswith("node.sqlite"):
            os.unlink(f"{directory}/{name}")
    open(f"{directory}/node.sqlite", "wb").close()
    odd.expect("an empty database beside a heartbeat", ["database-lost"], 2)
    odd.fresh()
    # The index no longer has the rows that its definition names; only a check of indexes sees it.
    odd.sql("INSERT INTO invoices VALUES (x'01', 1, '', x'01', 1)", "PRAGMA writable_schema = ON",
            "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_waiting_parts_1') "
            "WHERE name = 'sqlite_autoindex_invoices_1'")
    found = odd.documents.run(["doctor", odd.directory, "--deep"], 2)[0]
    if "database-damaged" not in [finding["kind"] for finding in found["findings"]]:
        raise SystemExit(f"odd.py: doctor --deep did not find the damaged index: {found}")
    odd.fresh()
    odd.sql("DROP TRIGGER claims_are_never_removed", "DELETE FROM claims WHERE epoch = 1")
    odd.expect("a claim is missing", ["claims-missing"], 2)
    odd.fresh()
    odd.sql(("INSERT INTO node_writes (epoch, incarnation, what, at_mono_ns) VALUES (?, 1, 'x', 1)",
             (odd.last_epoch() + 5,)))
    odd.expect("a write without a claim", ["write-without-claim"], 2)
    odd.fresh()
    odd.sql("PRAGMA user_version = 99")
    odd.expect("another schema", ["other-schema"], 1)


def held(odd):
    odd.fresh()
    process = odd.holder("app.lock", "open")
    odd.beat(process, odd.claim(process), ago=60)
    odd.expect("a frozen holder", ["holder-frozen"], 1)
    process.send_signal(signal.SIGSTOP)
    odd.expect("a stopped holder", ["holder-stopped"], 1)
    odd.end()
    odd.fresh()
    process = odd.holder("transaction")
    process.send_signal(signal.SIGSTOP)
    odd.expect("stopped inside a transaction", ["stopped-in-transaction"], 1)
    odd.end()
    odd.fresh()
    process = odd.holder("open")
    odd.beat(process, odd.claim(process))
    odd.expect("an owner without its lock", ["owner-without-lock"], 1)
    odd.end()
    odd.fresh()
    process = odd.holder("open")
    old = odd.claim(process)
    other = odd.holder("extension.lock", "open")
    odd.beat(other, odd.claim(other, "extension"), role="extension")
    odd.beat(process, old)
    odd.expect("a beat without a lock", ["beat-without-lock"], 1)
    odd.end()
    odd.fresh()
    process = odd.holder("open")
    odd.claim(process)
    odd.holder("app.lock", "open")
    odd.expect("a lock that is another's", ["two-owners"], 2)
    odd.end()
    odd.fresh()
    process = odd.holder("app.lock", "open")
    odd.beat(process, odd.claim(process) + 4)
    odd.expect("a beat above every claim", ["beat-above-claims"], 2)
    odd.end()


def containers(documents):
    odd = Odd(documents, os.path.join(documents.home, "AppGroup"))
    try:
        at_rest(odd)
        databases(odd)
        held(odd)
    finally:
        odd.end()
    print(f"  {odd.count} damaged or odd containers are named as they are, and unchanged")


def older_copy(documents):
    """The phone's own container, put back from an older copy while the peer runs."""
    home = documents.home
    older = os.path.join(documents.scratch, "older")
    shutil.copytree(f"{home}/AppGroup", older, ignore=shutil.ignore_patterns("*.sock"))
    documents.take("up", "up")
    documents.take("app", "app", "open")
    deadline = time.monotonic() + 60
    while not documents.run(["status"], 0)[0]["lspd"]["channel_established"]:
        if time.monotonic() > deadline:
            raise SystemExit("odd.py: the app did not connect")
    newer = os.path.join(documents.scratch, "newer")
    documents.take("app", "app", "quit")
    while documents.run(["status"], 0)[0]["iosd"]["app"].get("pid"):
        if time.monotonic() > deadline:
            raise SystemExit("odd.py: the app did not end")
    os.rename(f"{home}/AppGroup", newer)
    difference = documents.take("inspect-diff", "inspect", older, "--diff", newer, status=1)
    if not any(fact["name"] == "epoch" for fact in difference["facts"]):
        raise SystemExit(f"odd.py: inspect --diff does not show the claim: {difference}")
    shutil.copytree(older, f"{home}/AppGroup")
    documents.take("inspect-diff", "inspect", older, "--diff", f"{home}/AppGroup")
    found = documents.take("doctor", "doctor", home, status=2)
    kinds = {finding["kind"] for finding in found["findings"] if finding["gravity"] != "note"}
    if kinds != {"epoch-behind-peer"}:
        raise SystemExit(f"odd.py: doctor found {sorted(kinds)} in an older copy")
    documents.take("down", "down")
