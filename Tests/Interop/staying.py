"""How long lspd and the wallet stay connected with an unmodified Electrum.

    staying.py DIRECTORY-OF-THE-PROGRAMS [MINUTES]

Without MINUTES about 20 s, with frequent pings; with MINUTES the default pings. Exits with 1 at the first error or
warning of either side, the first connection that ends too early, or the first dial too many.
"""
import collections
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import hostile
from between import PEER, WALLET, Between
from coincurve import PrivateKey
from electrum_daemon import Electrum
from others import ERROR, INIT, PATIENCE, PING, PONG, WARNING, check, end, kind, listening, program

programs = sys.argv[1]
seconds = 60 * float(sys.argv[2]) if len(sys.argv) > 2 else 20
is_short = len(sys.argv) == 2
PINGS = ["--ping-after", "5s"] if is_short else []
# On a busy machine the first dial could time out after 2 s; --tor triples that.
PATIENT = PINGS + ["--tor"] if is_short else PINGS
# How long each owner of the node keeps its connection: the app, then the extension, which may live 30 s.
STAYS = {"app": 7, "extension": 7} if is_short else {"app": 75, "extension": 20}
PUSH = {"aps": {"alert": {"title": "Payment", "body": "A payment is on its way."}, "mutable-content": 1}, "reason": "IncomingPayment"}


def node_of(address):
    return address.split("@")[0]


def journaled(home):
    """Name, values and instant of every directive in the home's journals."""
    for name in sorted(os.listdir(f"{home}/journal")):
        with open(f"{home}/journal/{name}", encoding="utf-8") as journal:
            for line in map(json.loads, journal):
                for directive in line.get("directives", []):
                    for word, values in directive.items():
                        yield word, values, line["t"]


def troubles(home):
    said = [values["_0"] for word, values, _ in journaled(home) if word == "report"]
    return [report["trouble"]["_0"] for report in said if "trouble" in report]


def dials(home):
    return [instant / 1e9 for word, _, instant in journaled(home) if word == "dial"]


def node_in(home):
    """The wallet's node id, which is also its funding key."""
    name = os.listdir(f"{home}/journal")[0]
    with open(f"{home}/journal/{name}", encoding="utf-8") as journal:
        configurations = [line.get("configuration", {}) for line in map(json.loads, journal)]
    return next(known["fundingKey"] for known in configurations if "fundingKey" in known)


def wallet_behind(home, electrum):
    """App, extension, app, and so on: each keeps one connection until it releases the node."""
    between = Between(electrum.address)
    wallet = hostile.Wallet(programs, home, *PATIENT, server=between)
    push = f"{home}/payment.apns"
    with open(push, "w", encoding="utf-8") as file:
        json.dump(PUSH, file)
    number = 0

    def stay(who):
        nonlocal number
        number += 1
        passage = between.passage(number)
        passage.wait_until_established()
        passage.stays(STAYS[who])
        return passage

    began = time.monotonic()
    try:
        app = stay("app")
        while True:
            wallet.process.send_signal(signal.SIGUSR1)
            app.ends_by(WALLET)
            extension = program(
                programs, "notifyextd", *wallet.place, "--push", push, *PATIENT, stdout=subprocess.DEVNULL)
            passage = stay("extension")
            wallet.process.send_signal(signal.SIGUSR2)
            passage.ends_by(WALLET)
            check(extension.wait(PATIENCE) == 0, "the extension did not exit with 0")
            app = stay("app")
            if time.monotonic() - began >= seconds:
                break
        lasted = time.monotonic() - began
    finally:
        wallet.close()
    app.ends_by(WALLET)
    for passage in between.passages:
        passage.check_said()
    check(len({passage.node for passage in between.passages}) == 1, "app and extension are not one node")
    check(len(between.passages) == number, f"the wallet dialled {len(between.passages)} times for {number} owners")
    check(len(dials(home)) == number, f"the journals have {len(dials(home))} dials for {number} owners")
    check(not troubles(home), f"the wallet reports trouble: {troubles(home)}")
    node = PrivateKey(between.secret).public_key.format().hex()
    electrum.wait(lambda: electrum.count(node, "Disconnecting") == number, "Electrum notices every disconnect")
    check(electrum.count(node, "handshake done") == number, "Electrum was not dialled once per owner")
    electrum.check_no_error(node)
    total = {end: sum((passage.said[end] for passage in between.passages), collections.Counter()) for end in (WALLET, PEER)}
    return (f"{number} owners in turn, app and extension, in {lasted:.0f} s: as many dials, {total[WALLET][PING]} pings of "
            f"the wallet and {total[PEER][PING]} of Electrum answered, no error or warning")


def wallet_alone(home, electrum):
    """Without the relay: Electrum sends no channel_reestablish, so the wallet disconnects and dials ever more rarely."""
    began = time.monotonic()
    wallet = hostile.Wallet(programs, home, *PINGS, server=electrum)
    try:
        wallet.process.wait(seconds)
        check(False, "the wallet ended")
    except subprocess.TimeoutExpired:
        pass
    finally:
        wallet.close()
    lasted = time.monotonic() - began
    node = node_in(home)
    at = dials(home)
    gaps = [later - earlier for earlier, later in zip(at, at[1:])]
    check(len(at) >= 2, "the wallet does not dial again")
    # Long pauses vary by up to a quarter, and the longest is five minutes.
    is_growing = all(later > 0.75 * earlier for earlier, later in zip(gaps, gaps[1:])) and gaps[-1] > 2 * gaps[0]
    check(is_growing, f"the wallet does not dial ever more rarely: {[round(gap, 1) for gap in gaps[:10]]}")
    reasons = set(troubles(home))
    check(reasons == {"the peer sent init and no channel_reestablish for a channel with this wallet"}, f"the wallet reports other trouble: {reasons}")
    electrum.wait(lambda: electrum.count(node, "Disconnecting") == len(at), "Electrum notices every disconnect")
    electrum.check_no_error(node)
    return f"{len(at)} dials in {lasted:.0f} s, the last two {gaps[-1]:.1f} s apart, init from both sides each time, no error or warning"


def lspd_dialled(home, electrum):
    process, address = listening(programs, home, *PINGS)
    node = node_of(address)
    began = time.monotonic()
    try:
        electrum.call("add_peer", address)
        electrum.wait(lambda: (electrum.peer(node) or {}).get("initialized"), "Electrum is connected to lspd")
        known = electrum.peer(node)["address"]
        while time.monotonic() - began < seconds:
            time.sleep(1)
            peer = electrum.peer(node)
            check(peer and peer["initialized"] and peer["address"] == known, "Electrum lost lspd")
        lasted = time.monotonic() - began
    finally:
        end(process, "lspd")
    check(electrum.count(node, "handshake done") == 1, "Electrum dialled lspd again")
    electrum.check_no_error(node)
    said = frames(f"{home}/lsp/ledger.sqlite")
    check(said["in"][INIT] == said["out"][INIT] == 1, f"init was not sent exactly once: {said}")
    check(not any(said[way][bad] for way in said for bad in (WARNING, ERROR)), f"an error or warning was sent: {said}")
    for asks, answers in [("in", "out"), ("out", "in")]:
        missing = said[asks][PING] - said[answers][PONG]
        check(0 <= missing <= 1, f"{missing} pings {asks} are not answered: {said}")
    return (f"1 connection for {lasted:.0f} s, {said['out'][PING]} pings of lspd and {said['in'][PING]} of Electrum answered, "
            "no error or warning")


def frames(ledger):
    said = {"in": collections.Counter(), "out": collections.Counter()}
    with sqlite3.connect(ledger) as database:
        for direction, content in database.execute("SELECT direction, bytes FROM frames"):
            said[direction][kind(content)] += 1
    return said


scratch = tempfile.mkdtemp(prefix="baton-electrum-")
try:
    electrum = Electrum(f"{scratch}/electrum")
    try:
        with ThreadPoolExecutor() as threads:
            talks = [
                (who, threads.submit(talk, f"{scratch}/{number}", electrum)) for number, (who, talk) in enumerate([
                    ("Electrum dials lspd", lspd_dialled),
                    ("the wallet dials Electrum, channel_reestablish added by a relay", wallet_behind),
                    ("the wallet dials Electrum, without the relay", wallet_alone)])]
        for who, talk in talks:
            print(f"  {who}: {talk.exception() or talk.result()}", flush=True)
        if any(talk.exception() for _, talk in talks):
            raise SystemExit(1)
        electrum.stop()
        electrum.check_unharmed()
    finally:
        electrum.process.kill()
finally:
    shutil.rmtree(scratch, ignore_errors=True)
