"""What an app and an extension of one's own have in common: levels 1 and 2 of docs/protocols.md, without a channel."""
import fcntl, os, secrets, socket, sqlite3, struct, sys, time, zlib

CLAIMED, ESTABLISHED, RELEASED = 1, 3, 5


class Phone:
    """Descriptor 3."""

    def __init__(self, role):
        self.socket = socket.socket(fileno=int(os.environ["BATON_OS_FD"]))
        self.say("hello", role=role, pid=os.getpid())

    def say(self, verb, message=b"", **fields):
        head = [verb] + [f"{name}: {value}" for name, value in fields.items()]
        self.socket.send("\n".join(head + ["", ""]).encode() + message)

    def hear(self):
        packet = self.socket.recv(131072)
        if not packet:
            return "terminate", {}
        head, self.message = packet.split(b"\n\n", 1)
        verb, *lines = head.decode().split("\n")
        return verb, dict(line.split(": ", 1) for line in lines)


def bits(number):
    """An unsigned 64-bit pattern as SQLite has it."""
    return number - (1 << 64) if number >> 63 else number


def boot_clock():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


class Node:
    """The container, and the node that this process may own."""

    def __init__(self, role):
        options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
        self.role, self.group = role, options["--container"]
        # The directory and its locks, before anything else is opened.
        for name in ("", "/locks", "/presence"):
            os.makedirs(self.group + name, mode=0o700, exist_ok=True)
        names = ("locks/app.lock", "locks/extension.lock", "locks/app.intent", "heartbeat")
        app, extension, self.intent, self.beats = (self._opened(name) for name in names)
        self.lock = app if role == "app" else extension
        # Room for both slots; only ever lengthened, as the other process may have beaten in its own.
        if os.fstat(self.beats).st_size < 1024:
            os.ftruncate(self.beats, 1024)
        self.database = self._open_database()
        self.pid, self.start = os.getpid(), int(open("/proc/self/stat").read().rsplit(")", 1)[1].split()[19])
        self.boot = struct.unpack("<QQ", open(options["--clock"], "rb").read(24)[8:])
        self.owned, self.counter = None, 0

    def _opened(self, name):
        return os.open(f"{self.group}/{name}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)

    def _open_database(self):
        """With the tables of docs/schema/container.sql. The file is made first, so that it has its mode from the start."""
        if not os.path.lexists(f"{self.group}/node.sqlite"):
            os.close(self._opened("node.sqlite"))
        database = sqlite3.connect(f"{self.group}/node.sqlite", isolation_level=None)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        database.execute("BEGIN IMMEDIATE")
        if database.execute("PRAGMA user_version").fetchone()[0] == 0:
            schema = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "schema", "container.sql")
            statement = ""
            for line in open(schema, encoding="utf-8"):
                statement += line
                if sqlite3.complete_statement(statement):
                    database.execute(statement)
                    statement = ""
            database.execute("INSERT INTO meta VALUES ('container', ?)", (secrets.token_bytes(16),))
        database.execute("COMMIT")
        return database

    def highest(self):
        query = "SELECT epoch, role, incarnation FROM claims ORDER BY epoch DESC LIMIT 1"
        return self.database.execute(query).fetchone()

    def is_free(self, lock):
        probe = os.open(f"{self.group}/locks/{lock}", os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.flock(probe, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            return False
        finally:
            os.close(probe)

    def take(self):
        """The role's lock; False while the other process's test of it has it, which lasts a microsecond."""
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            return False

    def beat(self, phase):
        self.counter += 1
        number, slot = (1, 0) if self.role == "app" else (2, 512)
        beat = struct.pack(
            "<IBBBBQQI4xQQQqq52x", 0x424E5442, 1, number, phase, 0, self.owned[0], self.counter, self.pid,
            self.start, *self.boot, boot_clock(), time.time_ns())
        os.pwrite(self.beats, beat + struct.pack("<I", zlib.crc32(beat)), slot)

    def claim(self):
        """The node, if its holder is gone. A holder that is frozen is not taken over: that needs 5 s of looking."""
        seen = self.highest()
        if seen and not self.is_free(f"{seen[1]}.lock"):
            return False
        if not self.take():
            return False
        self.database.execute("BEGIN IMMEDIATE")
        if self.highest() != seen:
            self.database.execute("ROLLBACK")
            fcntl.flock(self.lock, fcntl.LOCK_UN)
            return False
        epoch, incarnation = (seen[0] if seen else 0) + 1, bits(secrets.randbits(64))
        self.database.execute(
            "INSERT INTO claims VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (epoch, self.role, self.pid, self.start, *map(bits, self.boot), incarnation, boot_clock(),
             time.time_ns(), epoch - 1, "holder-died" if seen else "never-claimed"))
        self.database.execute("COMMIT")
        self.owned, self.counter = (epoch, self.role, incarnation), 0
        self.beat(CLAIMED)
        return True

    def go_on(self):
        """Beats, unless another process holds the node by now: then this one is fenced, and has no node any more."""
        if self.highest() == self.owned:
            return self.beat(ESTABLISHED)
        self.owned = None
        fcntl.flock(self.lock, fcntl.LOCK_UN)

    def release(self):
        if self.owned:
            self.beat(RELEASED)
            self.owned = None
        fcntl.flock(self.lock, fcntl.LOCK_UN)
