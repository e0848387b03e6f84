"""Opens the page of `baton serve` in a headless Chromium: it shows the node's holder, a payment that arrives while it is
open, and what its buttons do; hostile text does nothing; a page of another site reaches nothing. promtool checks the
metrics. Slow and many clients do not hold it up.

  serving.py BIN [--pictures DIR]
"""
import http.client
import http.server
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

from chromium import Chromium

HOSTILE = "<img src=x onerror=\"document.title='hacked'\">"


def fail(words):
    raise SystemExit(f"serving.py: {words}")


class Server:
    """A phone, and `baton serve` for it."""

    def __init__(self, directory, scratch, *words):
        self.baton = os.path.join(directory, "baton")
        self.home = os.path.join(scratch, f"phone {HOSTILE[:9]}")
        self.do("up")
        self.process = subprocess.Popen(
            [self.baton, "--home", self.home, "--json", "serve", *words], stdout=subprocess.PIPE, text=True)
        self.document = json.loads(self.process.stdout.readline())
        self.url, self.port, self.token = (self.document[name] for name in ("url", "port", "token"))

    def do(self, *words):
        done = subprocess.run(
            [self.baton, "--home", self.home, *words], capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            fail(f"baton {' '.join(words)} ended {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def ask(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        names = {"Authorization": f"Bearer {self.token}"} | {
            name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, {name: value for name, value in names.items() if value})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def end(self):
        self.process.terminate()
        self.process.wait(60)
        subprocess.run([self.baton, "--home", self.home, "down"], capture_output=True, check=False)


def problems(browser, server):
    """Requests to anything but the server count, too."""
    ours = f"requests http://127.0.0.1:{server.port}/"
    return [one for one in browser.problems() if not one.startswith((ours, "requests data:"))]


def press(browser, action, words):
    browser.run(f"document.getElementById('act-{action}').click()")
    browser.wait(f"document.getElementById('outcome').textContent.includes({json.dumps(words)})")


def text(browser, name):
    return browser.run(f"document.getElementById({json.dumps(name)}).innerText")


def watch(browser, server):
    browser.open(server.url)
    browser.wait("document.getElementById('holder').textContent.includes('has never run')")
    if browser.run("location.search") != "":
        fail("the token stays in the address")
    press(browser, "open", "the app is in front")
    browser.wait("document.getElementById('peer').textContent.includes('channel established')")
    invoice = server.do("invoice", "5000", "--text", HOSTILE).strip()
    press(browser, "quit", "the app is")
    browser.wait("document.getElementById('ends').textContent.includes('swiped away')")
    # A payment from outside arrives on the open page.
    server.do("pay", invoice)
    browser.wait("document.getElementById('payments').textContent.includes('received 5,000 sat')")
    browser.wait("document.getElementById('pushes').textContent.includes('visible')")
    press(browser, "pay", "pay: ")
    browser.wait("document.getElementById('received').textContent === '2 payments'")
    press(browser, "open", "the app is in front")
    browser.wait("document.getElementById('holder').textContent.includes('held by mainappd')")
    press(browser, "freeze", "is stopped")
    browser.wait("document.getElementById('heart').className === 'stopped'")
    press(browser, "thaw", "goes on")
    press(browser, "kill", "is killed")
    browser.wait("document.getElementById('ends').textContent.includes('SIGKILL')")
    press(browser, "kill", "no process holds the node")
    if not browser.run("document.getElementById('outcome').classList.contains('bad')"):
        fail("a refusal looks like a success")
    press(browser, "open", "the app is in front")
    beat = "Number((document.getElementById('beat').textContent.match(/beat (\\d+)/) ?? [])[1])"
    browser.wait(f"document.getElementById('holder').textContent.includes('held by mainappd') && {beat} >= 1")
    first = browser.run(beat)
    browser.wait(f"{beat} > {first}")
    if text(browser, "payments-count") != "(2 received)":
        fail(f"two numbers of one thing: {text(browser, 'payments-count')}")
    # F5: the tab has kept the token, which is neither in the address nor in what the server sends.
    browser.reload()
    browser.wait("document.getElementById('act-open')")
    press(browser, "open", "the app is in front")
    if server.token in browser.run("document.documentElement.outerHTML + location.href"):
        fail("a page that is loaded again has the token in its text or its address")
    # Another tab has the cookie alone.
    first = browser.tab()
    without_buttons(browser, server)
    if browser.run("document.title") != f"Baton: {server.home}" or browser.run("document.images.length"):
        fail("text of the phone has become HTML")
    if problems(browser, server):
        fail(f"the page: {problems(browser, server)}")
    browser.back(first)
    # The token of an earlier run on this port.
    browser.run("sessionStorage.setItem('token', '0'.repeat(32))")
    without_buttons(browser, server)


def without_buttons(browser, server):
    browser.open(f"http://127.0.0.1:{server.port}/")
    browser.wait("document.getElementById('link').textContent === 'live'")
    browser.wait("document.getElementById('outcome').textContent.includes('open the address')")
    if browser.run("document.querySelectorAll('button').length") or server.token in browser.run(
            "document.documentElement.outerHTML"):
        fail("without the token there are buttons")


def band(browser):
    return browser.run("[...document.getElementById('lane').children].map((one) => one.className)")


def silence(browser, server, shots):
    """A server that says nothing: the page shows what it does not know, also afterwards."""
    browser.open(server.url)
    browser.wait("document.getElementById('holder').textContent.startsWith('held by mainappd')")
    if band(browser)[0] != "unknown":
        fail("a page that was opened just now knows of two minutes ago")
    if band(browser).count("app") < 3:
        fail(f"the band begins with the page, not with the claim: {band(browser)[-12:]}")
    server.process.send_signal(signal.SIGSTOP)
    server.do("app", "quit")
    browser.wait("document.getElementById('link').textContent === 'no answer yet'")
    browser.wait("[...document.getElementById('lane').children].slice(-5).every((one) => one.className === 'unknown')")
    if not text(browser, "holder").startswith("unknown now; at ") or "app" not in band(browser):
        fail(f"a silent server's phone is {text(browser, 'holder')}; {band(browser)[-12:]}")
    if shots:
        for width, height in ((1280, 800), (390, 844)):
            browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                        mobile=width < 600)
            browser.picture(os.path.join(shots, f"serve-late-{width}.png"))
    server.process.send_signal(signal.SIGCONT)
    browser.wait("document.getElementById('link').textContent === 'live'")
    browser.wait("document.getElementById('heart').className === 'nobody'")
    cells = band(browser)
    last = len(cells) - 1 - cells[::-1].index("app")
    if cells[last + 1:].count("unknown") < 3:
        fail(f"the band has the silence as {cells[last - 2:]}")
    server.do("app", "open")


def pictures(browser, server, directory):
    for width, height in ((1280, 800), (390, 844)):
        for dark in (False, True):
            browser.open(server.url, width, height, dark)
            browser.wait("document.documentElement.dataset.looks > 1")
            if browser.run("document.documentElement.scrollWidth > innerWidth"):
                fail(f"the page is wider than {width} pixels")
            browser.picture(os.path.join(directory, f"serve-{width}{'-dark' if dark else ''}.png"))


def neighbour(browser, server):
    """A server on another port of this host, as of another user: the browser sends it our cookie."""
    got = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            got.append(self.headers.get("Cookie") or "")
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<title>neighbour</title>")

        def log_message(self, *words):
            pass

    other = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=other.serve_forever, daemon=True).start()
    try:
        browser.open(server.url)
        browser.wait("document.documentElement.dataset.looks > 0")
        if browser.run("sessionStorage.getItem('token')") != server.token:
            fail("the page has kept no token, so this shows nothing")
        browser.open(f"http://127.0.0.1:{other.server_address[1]}/")
        browser.wait("document.title === 'neighbour'")
        if browser.run("sessionStorage.length"):
            fail("another port reads what the page has kept")
        # From its page: the cookie goes along, and the Origin says whose page it is.
        browser.run(
            f"fetch('http://127.0.0.1:{server.port}/act', {{method: 'POST', credentials: 'include', mode: 'no-cors', "
            """body: '{"do":"kill"}'}).catch(() => 0)""")
    finally:
        other.shutdown()
    cookie = next((one for one in got if one.startswith(f"baton-{server.port}=")), None)
    if cookie is None:
        fail(f"the neighbour got no cookie, so this shows nothing: {got}")
    if server.token in cookie:
        fail("the neighbour has got the token")
    status, body = server.ask("GET", "/", Authorization=None, Cookie=cookie)
    if status != 200 or server.token in body:
        fail(f"with the neighbour's cookie the page is {status}, and has the token")
    for said in (None, f"Bearer {cookie.split('=')[1]}"):
        status, body = server.ask(
            "POST", "/act", '{"do":"kill"}', Authorization=said, Cookie=cookie, Content_Type="application/json")
        if status != 401:
            fail(f"the neighbour's cookie drives the phone: {status} {body}")


def foreign(browser, server):
    """A page of another site in the same browser, which has the cookie."""
    browser.open("data:text/html,<title>other</title>")
    got = browser.run(
        f"fetch('http://127.0.0.1:{server.port}/status.json', {{credentials: 'include'}})"
        ".then((answer) => answer.status, () => 'refused')")
    if got != "refused":
        fail(f"a page of another site reads the phone: {got}")
    status, body = server.ask("GET", "/status.json", Origin="http://evil.example")
    if status != 403:
        fail(f"a foreign Origin is answered {status}: {body}")
    status, body = server.ask("GET", "/status.json", Host=f"evil.example:{server.port}")
    if status != 421:
        fail(f"a foreign Host is answered {status}: {body}")


def crowd(server):
    """Clients that say nothing, and streams that nobody reads, hold up nobody."""
    head = f"Host: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\n\r\n"
    held = []
    for number in range(200):
        one = socket.create_connection(("127.0.0.1", server.port))
        if number % 4 == 0:
            one.sendall(f"GET /events HTTP/1.1\r\n{head}".encode())
        held.append(one)
    status, body = server.ask("GET", "/status.json")
    if status != 200:
        fail(f"beside 200 slow clients it answers {status}: {body}")
    for one in held:
        one.close()
    return json.loads(body)


def metrics(server):
    status, body = server.ask("GET", "/metrics")
    if status != 200:
        fail(f"/metrics is answered {status}: {body}")
    for name in ("baton_takeovers_total{", "baton_process_footprint_bytes{", "baton_payments_received_in_time_total 1",
                 "baton_background_tasks_completed_total", "baton_payments_received_total 2"):
        if name not in body:
            fail(f"{name} is missing from the metrics:\n{body}")
    checked = subprocess.run(["promtool", "check", "metrics"], input=body, capture_output=True, text=True, check=False)
    if checked.returncode != 0 or checked.stdout + checked.stderr:
        fail(f"promtool: {checked.stdout}{checked.stderr}")
    return body.count("\n# TYPE") + 1


def main():
    directory = sys.argv[1]
    shots = sys.argv[3] if len(sys.argv) > 3 and sys.argv[2] == "--pictures" else None
    if not shutil.which("promtool"):
        fail("promtool is missing; run scripts/setup prometheus")
    if shots:
        os.makedirs(shots, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        server = Server(directory, scratch, "--control")
        try:
            browser = Chromium()
            try:
                watch(browser, server)
                neighbour(browser, server)
                silence(browser, server, shots)
                if shots:
                    pictures(browser, server, shots)
                foreign(browser, server)
            finally:
                browser.close()
            count = metrics(server)
            crowd(server)
        finally:
            server.end()
    print(f"  serve: a payment arrives on the open page, eight actions, also after F5, another site reaches nothing, another port gets no token, a silent server is seen, {count} metrics")


main()
