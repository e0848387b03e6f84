"""A headless Chromium, driven by its debugging protocol over two pipes. Needs Python's library alone."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class Chromium:
    def __init__(self):
        program = shutil.which("chromium")
        if program is None:
            raise SystemExit("browser.py: chromium is missing; run scripts/setup chromium")
        self.profile = tempfile.mkdtemp(prefix="baton-chromium-")
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()

        def join():
            # The protocol's descriptors are 3 and 4.
            high_in, high_out = os.dup(theirs_in), os.dup(theirs_out)
            os.dup2(high_in, 3)
            os.dup2(high_out, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--mute-audio",
             "--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-dev-shm-usage",
             f"--user-data-dir={self.profile}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=join, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.reader, self.writer = ours_in, ours_out
        self.buffer = b""
        self.number = 0
        self.events = []
        self.session = None
        self.tab()

    def tab(self):
        """A new tab, which all that follows is about; returns the session of the one before."""
        before, self.session = self.session, None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{domain}.enable")
        return before

    def back(self, session):
        """To the tab of that session. A tab behind another one draws no frames."""
        self.session = session
        self.ask("Page.bringToFront")

    def ask(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.writer, data):]
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit(f"browser.py: {method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def read(self, seconds=120):
        limit = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            if not select.select([self.reader], [], [], max(0, limit - time.monotonic()))[0]:
                raise SystemExit("browser.py: chromium did not answer in time")
            piece = os.read(self.reader, 1 << 16)
            if not piece:
                raise SystemExit("browser.py: chromium has ended")
            self.buffer += piece
        line, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(line)

    def run(self, code):
        """The value of an expression; a promise is awaited."""
        done = self.ask("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in done:
            raise SystemExit(f"browser.py: {code}: {done['exceptionDetails']}")
        return done["result"].get("value")

    def open(self, url, width=1280, height=800, dark=False):
        self.events.clear()
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.ask(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        # A change of the fragment alone loads nothing.
        self.ask("Page.navigate", url="about:blank")
        self.ask("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def reload(self):
        """As by F5."""
        self.events.clear()
        self.ask("Page.reload")
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.read())

    def wait(self, condition, seconds=60):
        limit = time.monotonic() + seconds
        while not self.run(f"Boolean({condition})"):
            if time.monotonic() > limit:
                raise SystemExit(f"browser.py: gave up waiting for {condition}")
            self.run("new Promise((done) => requestAnimationFrame(done))")

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))

    def problems(self):
        """Errors of the page, refused content, and requests to anything but files."""
        found = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(parameters["exceptionDetails"].get("text", "an exception"))
            elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
                found.append(parameters["entry"]["text"])
            elif method == "Page.javascriptDialogOpening":
                found.append("a dialog opened")
            elif method == "Network.requestWillBeSent" and not parameters["request"]["url"].startswith(
                    ("file:", "about:")):
                found.append(f"requests {parameters['request']['url']}")
        return found

    def close(self):
        os.close(self.writer)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.reader)
        shutil.rmtree(self.profile, ignore_errors=True)
