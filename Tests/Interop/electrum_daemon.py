"""Debian's Electrum without a network: on regtest, with a server that does not exist."""
import base64
import json
import os
import re
import socket
import subprocess
import time
import urllib.request

from others import PATIENCE, check

# A log line about a peer: level, name, text.
LINE = re.compile(r"\| ([A-Z]) \| P/lnpeer\.Peer\.\[LNWallet, ([0-9a-f]{10})-\S+\] \| (.*)")
# Log lines about a peer without errors. One is about a channel that Electrum does not know.
HARMLESS = [
    r"handshake done for ", r"Sending INIT$", r"Received (INIT|CHANNEL_REESTABLISH)$",
    r"Received channel_reestablish for unknown channel ", r"Disconnecting: LightningPeerConnectionClosed\(\)$"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Electrum:
    def __init__(self, home):
        self.home = home
        self.log = f"{home}/log"
        self.rpc = free_port()
        place = f"127.0.0.1:{free_port()}"
        os.makedirs(f"{home}/regtest")
        with open(f"{home}/regtest/config", "w", encoding="utf-8") as config:
            json.dump({
                "config_version": 3, "lightning_listen": place, "server": f"127.0.0.1:{free_port()}:t",
                "auto_connect": False, "oneserver": True, "use_gossip": False, "check_updates": False,
                "rpcsock": "tcp", "rpcport": self.rpc, "rpcuser": "u", "rpcpassword": "p"}, config)
        subprocess.run(self.command("--offline", "create"), check=True, stdout=subprocess.DEVNULL)
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(self.command("-v", "daemon"), stdout=log, stderr=log)
        self.wait(lambda: self.answers("ping"), "Electrum answers")
        self.call("load_wallet")
        self.address = self.call("nodeid")
        self.wait(self.listens, "Electrum listens")

    def command(self, *words):
        return ["electrum", "--regtest", "--dir", self.home, *words]

    def call(self, method, *words):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.rpc}/", json.dumps({"id": 1, "method": method, "params": words}).encode(),
            {"Authorization": "Basic " + base64.b64encode(b"u:p").decode()})
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:
            answer = json.load(response)
        check("error" not in answer, f"Electrum refuses {method}: {answer.get('error')}")
        return answer["result"]

    def answers(self, method):
        check(self.process.poll() is None, "Electrum has ended: " + self.lately())
        try:
            self.call(method)
            return True
        except OSError:
            return False

    def listens(self):
        host, port = self.address.split("@")[1].split(":")
        try:
            socket.create_connection((host, int(port)), PATIENCE).close()
            return True
        except ConnectionRefusedError:
            return False

    def wait(self, condition, what):
        until = time.monotonic() + PATIENCE
        while not condition():
            check(time.monotonic() < until, f"not within {PATIENCE} s: {what}; " + self.lately())
            time.sleep(0.05)

    def peer(self, node):
        return next((peer for peer in self.call("list_peers") if peer["node_id"] == node), None)

    def lately(self):
        """The log's last lines without those about the server."""
        with open(self.log, encoding="utf-8") as log:
            return "".join([line for line in log if "/network | " not in line and "/interface." not in line][-5:])

    def said_of(self, node):
        """Level and text of the log's lines about this node, in order."""
        with open(self.log, encoding="utf-8") as log:
            lines = [found for found in map(LINE.search, log) if found and found[2] == node[:10]]
        return [(found[1], found[3]) for found in lines]

    def count(self, node, what):
        return sum(said.startswith(what) for _, said in self.said_of(node))

    def check_no_error(self, node):
        for level, said in self.said_of(node):
            is_harmless = level in "DI" and any(re.match(harmless, said) for harmless in HARMLESS)
            check(is_harmless, f"Electrum logs: {said}")

    def check_unharmed(self):
        with open(self.log, encoding="utf-8") as log:
            for line in log:
                check("Traceback" not in line and "| E |" not in line, f"Electrum fails: {line}")

    def close(self):
        """Called by a wallet at its end; Electrum goes on for other connections."""

    def stop(self):
        self.call("stop")
        check(self.process.wait(PATIENCE) == 0, "Electrum did not exit with 0: " + self.lately())
