#!/usr/bin/env python3
"""An app of one's own that takes the node and gives it back: levels 1 and 2 of docs/protocols.md.

It has no channel and speaks to no peer. In the project's directory: baton up --app docs/examples/own-app.py
"""
import fcntl, os, re, secrets, select, socket, sqlite3, struct, sys, time, zlib

options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
group = options["--container"]
phone = socket.socket(fileno=int(os.environ["BATON_OS_FD"]))
CLAIMED, ESTABLISHED, RELEASED = 1, 3, 5


def say(verb, **fields):
    phone.send("\n".join([verb] + [f"{name}: {value}" for name, value in fields.items()] + ["", ""]).encode())


def hear(packet):
    verb, *lines = packet.split(b"\n\n", 1)[0].decode().split("\n")
    return verb, dict(line.split(": ", 1) for line in lines)


# The directory and its locks, before anything else is opened.
for name in ("", "/locks", "/presence"):
    os.makedirs(group + name, mode=0o700, exist_ok=True)


def opened(name):
    return os.open(f"{group}/{name}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


role, _, intent, beats = (opened(name) for name in ("locks/app.lock", "locks/extension.lock", "locks/app.intent", "heartbeat"))
# Room for both slots; only ever lengthened, as the extension may have beaten in its own.
if os.fstat(beats).st_size < 1024:
    os.ftruncate(beats, 1024)

# The database, with the tables of docs/schema.md. The file is made first, so that it has its mode from the start.
if not os.path.lexists(f"{group}/node.sqlite"):
    os.close(opened("node.sqlite"))
node = sqlite3.connect(f"{group}/node.sqlite", isolation_level=None)
node.execute("PRAGMA journal_mode = WAL")
node.execute("PRAGMA synchronous = FULL")
if node.execute("PRAGMA user_version").fetchone()[0] == 0:
    page = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "schema.md"), encoding="utf-8").read()
    node.executescript("BEGIN IMMEDIATE;" + re.search("```sql\n(.*?)```", page, re.DOTALL)[1])
    node.execute("INSERT INTO meta VALUES ('container', ?)", (secrets.token_bytes(16),))
    node.execute("COMMIT")

pid, start = os.getpid(), int(open("/proc/self/stat").read().rsplit(")", 1)[1].split()[19])
boot_high, boot_low = struct.unpack("<QQ", open(options["--clock"], "rb").read(24)[8:])
owned, counter = None, 0


def bits(number):
    """An unsigned 64-bit pattern as SQLite has it."""
    return number - (1 << 64) if number >> 63 else number


def boot_clock():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def highest():
    return node.execute("SELECT epoch, role, incarnation FROM claims ORDER BY epoch DESC LIMIT 1").fetchone()


def is_free(lock):
    probe = os.open(f"{group}/locks/{lock}.lock", os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.flock(probe, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False
    finally:
        os.close(probe)


def beat(phase):
    global counter
    counter += 1
    slot = struct.pack(
        "<IBBBBQQI4xQQQqq52x", 0x424E5442, 1, 1, phase, 0, owned[0], counter, pid, start, boot_high, boot_low,
        boot_clock(), time.time_ns())
    os.pwrite(beats, slot + struct.pack("<I", zlib.crc32(slot)), 0)


def claim():
    """The node, if its holder is gone. A holder that is frozen is not taken over here: that needs 5 s of looking."""
    global owned, counter
    seen = highest()
    if seen and not is_free(seen[1]):
        return
    fcntl.flock(role, fcntl.LOCK_EX | fcntl.LOCK_NB)
    node.execute("BEGIN IMMEDIATE")
    if highest() != seen:
        node.execute("ROLLBACK")
        fcntl.flock(role, fcntl.LOCK_UN)
        return
    epoch, incarnation = (seen[0] if seen else 0) + 1, bits(secrets.randbits(64))
    node.execute(
        "INSERT INTO claims VALUES (?, 'app', ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (epoch, pid, start, bits(boot_high), bits(boot_low), incarnation, boot_clock(), time.time_ns(), epoch - 1,
         "holder-gone" if seen else "never-claimed"))
    node.execute("COMMIT")
    owned, counter = (epoch, "app", incarnation), 0
    beat(CLAIMED)
    say("status", text="own app: has the node", epoch=epoch)


def release():
    global owned
    if owned:
        beat(RELEASED)
        owned = None
    fcntl.flock(role, fcntl.LOCK_UN)


say("hello", role="app", pid=pid)
wants = False
while True:
    if owned and highest() != owned:
        owned = None  # fenced: another process owns the node
        fcntl.flock(role, fcntl.LOCK_UN)
    elif owned:
        beat(ESTABLISHED)
    elif wants:
        claim()
    readable, _, _ = select.select([phone], [], [], 2 if owned else 0.25 if wants else None)
    if not readable:
        continue
    packet = phone.recv(131072)
    verb, fields = hear(packet) if packet else ("terminate", {})
    if verb == "enter-foreground":
        fcntl.flock(intent, fcntl.LOCK_EX)
        wants = True
    elif verb == "enter-background":
        wants = False
        fcntl.flock(intent, fcntl.LOCK_UN)
        release()  # before the word that it is done: an app that is stopped with a lock is killed
        say("status", text="own app: at home")
        say("background-done", time=fields["time"])
    elif verb == "terminate":
        break
release()
