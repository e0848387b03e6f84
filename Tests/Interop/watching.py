"""Drives `baton watch` in tmux: a real phone, pressed keys, the screen as a terminal shows it, other sizes, no colour, and
every way to end or stop it, after each of which the terminal must be as it was.

  watching.py BIN
"""
import os
import signal
import subprocess
import sys
import tempfile
import time


def fail(words):
    raise SystemExit(f"watching.py: {words}")


class Tmux:
    """One window with a shell, on a server of its own."""

    def __init__(self, scratch, environment):
        self.socket = os.path.join(scratch, "tmux")
        self.do("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "bash --norc --noprofile --noediting",
                environment=environment)
        self.do("set-option", "-g", "window-size", "manual")

    def do(self, *words, environment=None):
        done = subprocess.run(
            ["tmux", "-S", self.socket, *words], capture_output=True, text=True, timeout=60, env=environment)
        if done.returncode != 0:
            fail(f"tmux {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    def screen(self, *options):
        return self.do("capture-pane", "-p", *options)

    def press(self, *keys):
        self.do("send-keys", *keys)

    def shown(self, name):
        return self.do("display-message", "-p", f"#{{{name}}}").strip()

    def wait(self, *texts, without=(), seconds=60):
        """Until all the texts are on the screen together; returns it."""
        limit = time.monotonic() + seconds
        while True:
            screen = self.screen()
            if all(text in screen for text in texts) and not any(text in screen for text in without):
                return screen
            if time.monotonic() > limit:
                fail(f"gave up waiting for {texts} without {without} on the screen:\n{screen}")
            time.sleep(0.02)

    def end(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True, check=False, timeout=60)


class Watching:
    def __init__(self, directory, scratch):
        self.baton = os.path.join(os.path.abspath(directory), "baton")
        self.home = os.path.join(scratch, "phone")
        environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TMUX")}
        environment |= {"BATON_HOME": self.home, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        self.environment = environment
        self.do("up")
        self.tmux = Tmux(scratch, environment)
        self.tmux.wait("bash-")
        self.settings = self.stty()

    def do(self, *words, status=0, **options):
        done = subprocess.run([self.baton, *words], capture_output=True, text=True, timeout=300,
                              env=self.environment | options, check=False)
        if done.returncode != status:
            fail(f"baton {' '.join(words)} ended {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def stty(self):
        """The terminal's settings, read from outside, but for its size."""
        with open(self.tmux.shown("pane_tty"), encoding="utf-8") as terminal:
            return subprocess.run(["stty", "-a"], stdin=terminal, capture_output=True, text=True, check=True,
                                  timeout=60).stdout.split("\n", 1)[1]

    def begin(self, prefix=""):
        self.tmux.press("-R", "clear", "Enter")
        self.tmux.press(f"{prefix}'{self.baton}' watch; echo ended $?", "Enter")
        self.tmux.wait("baton watch", "holder", "q leave")

    def pid(self):
        shell = self.tmux.shown("pane_pid")
        found = subprocess.run(["pgrep", "-P", shell, "-x", "baton"], capture_output=True, text=True, check=False,
                               timeout=60).stdout.split()
        if len(found) != 1:
            fail(f"{len(found)} processes watch, and not one")
        return int(found[0])

    def restored(self, how, text):
        self.tmux.wait(text)
        if self.tmux.shown("alternate_on") != "0" or self.tmux.shown("cursor_flag") != "1":
            fail(f"after {how} the terminal shows the alternate screen, or no cursor")
        if self.stty() != self.settings:
            fail(f"after {how} the terminal's settings differ: {self.stty()} and not {self.settings}")

    # What is tried

    def keys(self):
        self.begin()
        self.tmux.wait("no process: the wallet has never run", "ends      none yet")
        self.tmux.press("o")
        self.tmux.wait("open: the app is in front", "held by mainappd", "connected, channel established")
        self.tmux.press("p")
        self.tmux.wait("1 payment received", "received 1,000 sat, ")
        self.tmux.press("f")
        self.tmux.wait("freeze: the app (process ", "is stopped; `thaw` continues it")
        self.tmux.press("t")
        self.tmux.wait("thaw: the app (process ", "goes on")
        self.tmux.press("x")
        self.tmux.wait("swipe away: the app is ", "swiped away by the user")
        self.tmux.press("p")
        self.tmux.wait("pay: held", "held by notifyextd", "2 payments received")
        self.tmux.press("o")
        self.tmux.wait("held by mainappd")
        self.tmux.press("k")
        self.tmux.wait("kill: the app (process ", "is killed", "SIGKILL", without=["held by mainappd"])
        self.tmux.press("t")
        self.tmux.wait("thaw: no holder of the node is frozen")
        self.tmux.press("u")
        self.tmux.wait("push: push 2", "2, visible")
        self.tmux.press("?")
        self.tmux.wait("stop the holder of the node with SIGSTOP", without=["pushes "])
        self.tmux.press("?")
        self.tmux.wait("pushes ", without=["SIGSTOP"])

    def beats(self):
        """The counter goes on while nothing is pressed."""
        self.tmux.press("o")
        screen = self.tmux.wait("held by mainappd", "established, beat ")
        counter = int(screen.split("established, beat ")[1].split(",")[0])
        self.tmux.wait(f"established, beat {counter + 1},")
        self.tmux.wait(f"established, beat {counter + 2},")

    def sizes(self):
        for columns, rows, keys in ((40, 10, "o  h  x"), (200, 60, "q leave"), (80, 24, "q leave")):
            self.tmux.do("resize-window", "-x", str(columns), "-y", str(rows))
            limit = time.monotonic() + 60
            while True:
                lines = self.tmux.screen().rstrip("\n").split("\n")
                if len(lines) == rows and keys in lines[-1] and lines[0].startswith("baton watch") \
                        and lines[0].endswith("UTC") and len(lines[0]) == columns:
                    break
                if time.monotonic() > limit:
                    fail(f"at {columns} by {rows} the screen is {len(lines)} lines:\n" + "\n".join(lines))
                time.sleep(0.02)

    def stop(self):
        self.tmux.press("C-z")
        self.restored("^Z", "Stopped")
        self.tmux.press("fg", "Enter")
        self.tmux.wait("holder", "q leave", without=["Stopped"])
        # A stop that no program notices: the shell has the terminal meanwhile.
        os.kill(self.pid(), signal.SIGSTOP)
        self.tmux.wait("Stopped")
        self.tmux.press("fg", "Enter")
        self.tmux.wait("holder", "q leave", without=["Stopped"])
        self.tmux.press("q")
        self.restored("q after two stops", "Stopped")

    def ends(self):
        self.begin()
        self.tmux.press("q")
        self.restored("q", "ended 0")
        for name, code in (("SIGTERM", 143), ("SIGHUP", 129), ("SIGABRT", 134), ("SIGSEGV", 139), ("SIGTRAP", 133)):
            self.begin("SWIFT_BACKTRACE=enable=no ")
            os.kill(self.pid(), getattr(signal, name))
            self.restored(name, f"ended {code}")
        for key, code in (("C-c", 130), ("C-\\", 131)):
            self.begin()
            self.tmux.press(key)
            self.restored(key, f"ended {code}")

    def colours(self):
        self.begin()
        if "\x1b[1m" not in self.tmux.screen("-e"):
            fail("there are no colours")
        self.tmux.press("q")
        self.tmux.wait("ended 0")
        self.begin("NO_COLOR=1 ")
        self.tmux.wait("lspd")
        if "\x1b[" in self.tmux.screen("-e"):
            fail("there are colours in spite of NO_COLOR")
        self.tmux.press("q")
        self.tmux.wait("ended 0")

    def without(self):
        """Where nothing can be drawn, one sentence says what to do."""
        words = self.do("watch", status=64)
        if "standard output is not a terminal; use `baton watch --once`" not in words or words.count("\n") != 1:
            fail(f"without a terminal it says: {words}")
        self.tmux.press("-R", "clear", "Enter")
        self.tmux.press(f"TERM=dumb '{self.baton}' watch; echo ended $?", "Enter")
        self.tmux.wait("TERM is dumb", "ended 64")
        lines = self.do("watch", "--once").split("\n")
        if len(lines) != 25 or "q leave" not in lines[23]:
            fail(f"--once prints {len(lines)} lines: {lines}")

    def all(self):
        try:
            self.without()
            self.keys()
            self.beats()
            self.sizes()
            self.stop()
            self.ends()
            self.colours()
        finally:
            self.tmux.end()
            self.do("down")


def main():
    with tempfile.TemporaryDirectory() as scratch:
        Watching(sys.argv[1], scratch).all()
    print("watch in tmux: eight keys, a beat, three sizes, ^Z and SIGSTOP, q and seven other ends, colours and none")


main()
