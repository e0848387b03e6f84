"""Runs baton's commands with --json and validates each document by docs/json/v1.schema.json with PyPI's jsonschema. A
member that the schema lacks fails too, and so does a kind of document that no command here wrote.

  documents.py BIN
"""
import copy
import json
import os
import subprocess
import sys
import tempfile
import urllib.request

import jsonschema

import odd

SCHEMA = "docs/json/v1.schema.json"
ADDRESS = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"
# Commands that take minutes or need a phone without its container; their types are in the schema all the same.
NOT_RUN = {"chaos", "soak", "restore", "ablation-rule", "ablation-other"}


def strict(schema):
    """Forbids members that are not named."""
    if isinstance(schema, dict):
        for inner in schema.values():
            strict(inner)
        if "properties" in schema:
            schema["additionalProperties"] = False
    elif isinstance(schema, list):
        for inner in schema:
            strict(inner)
    return schema


class Documents:
    def __init__(self, directory, scratch):
        self.baton = os.path.join(directory, "baton")
        self.home = os.path.join(scratch, "phone")
        self.scratch = scratch
        with open(SCHEMA, encoding="utf-8") as file:
            whole = json.load(file)
        jsonschema.Draft202012Validator.check_schema(whole)
        self.schemas = {
            name: jsonschema.Draft202012Validator(strict(copy.deepcopy(schema)))
            for name, schema in whole["$defs"].items()
        }
        self.seen = set()
        self.count = 0

    def hold(self, name, document, words):
        problems = [
            f"{'.'.join(map(str, error.path)) or 'the document'}: {error.message}"
            for error in self.schemas[name].iter_errors(document)
        ]
        if problems:
            raise SystemExit(f"documents.py: {' '.join(words)} does not match `{name}`: {problems[0]}\n{json.dumps(document)[:2000]}")
        self.seen.add(name)
        self.count += 1

    def run(self, words, status, stdin=None, home=True):
        done = subprocess.run(
            [self.baton, *(["--home", self.home] if home else []), "--json", *words], input=stdin, capture_output=True, text=True,
            timeout=300)
        if done.returncode != status:
            raise SystemExit(
                f"documents.py: baton {' '.join(words)} ended {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def take(self, name, *words, status=0, stdin=None, lines=1):
        """The last document; each line is validated by the schema of that name."""
        documents = self.run(words, status, stdin)
        if lines and len(documents) != lines:
            raise SystemExit(f"documents.py: baton {' '.join(words)} wrote {len(documents)} documents, and not {lines}")
        for document in documents:
            self.hold(name, document, words)
        return documents[-1]

    def retry(self, *words, status=0):
        """A line for each event, and the outcome."""
        for document in self.run(words, status):
            self.hold("pay-retry-event" if "event" in document else "pay", document, words)

    def serve(self):
        """Its address, a view, and the answer to an action."""
        words = ["serve", "--control"]
        process = subprocess.Popen(
            [self.baton, "--home", self.home, "--json", *words], stdout=subprocess.PIPE, text=True)
        try:
            address = json.loads(process.stdout.readline())
            self.hold("serve", address, words)
            for name, path, body in (("watch", "/status.json", None), ("serve-act", "/act", b'{"do":"home"}')):
                request = urllib.request.Request(
                    f"http://127.0.0.1:{address['port']}{path}", body,
                    {"Authorization": f"Bearer {address['token']}", "Content-Type": "application/json"})
                with urllib.request.urlopen(request, timeout=60) as answer:
                    self.hold(name, json.load(answer), [path])
        finally:
            process.terminate()
            process.wait(60)

    def demo(self):
        # It makes a phone of its own.
        documents = self.run(["demo", "--quick"], 0, home=False)
        for document in documents:
            self.hold("demo-event" if "kind" in document else "run", document, ["demo"])


def phone(documents):
    take = documents.take
    take("error", "status", status=69)
    take("up", "up", "--build", "debug")
    take("status", "status")
    take("app", "app", "open")
    invoice = take("invoice", "invoice", "5000", "--text", "Coffee")["invoice"]
    take("invoice", "invoice", "--read", invoice)
    take("invoice-cancel", "invoice", "--cancel", take("invoice", "invoice", "7")["invoice"])
    take("app", "app", "home")
    take("pay", "pay", invoice)
    take("pay", "pay", invoice, status=5)
    take("app", "app", "open")
    take("freeze", "freeze", "app")
    take("thaw", "thaw", "app")
    take("kill", "kill", "app")
    take("app", "app", "open")
    documents.retry("pay", take("invoice", "invoice", "5000")["invoice"], "--retry", "interim")
    take("lsp-fail", "lsp", "fail", "temporary_channel_failure", "--times", "1")
    take("status", "status")
    take("lsp-fail", "lsp", "fail", "temporary_channel_failure", "--times", "0")
    take("webhook", "webhook", "set", "notifier", "http://127.0.0.1:9/")
    take("webhook-list", "webhook", "list")
    take("lsp-webhooks", "lsp", "webhooks")
    take("pay-count", "pay", "--count", "3", "--rate", "50", "--amount", "21")
    parts = take("invoice", "invoice", "5000")["invoice"]
    take("pay", "pay", parts, "--parts", "2")
    take("pay", "send", take("invoice", "invoice", "21", "--external")["invoice"])
    take("withdraw", "withdraw", "1000", ADDRESS)
    take("app", "app", "quit")
    take("lsp-notify", "lsp", "notify", "onion_message_incoming")
    take("app", "app", "open")
    take("webhook", "webhook", "remove", "notifier")
    take("app", "app", "home")
    take("push", "push", "-", stdin='{"aps":{"alert":"Hello","content-available":1,"category":"x"}}')
    take("push", "push", "--silent")
    take("list-pushes", "list", "pushes")
    shown = take("list-notifications", "list", "notifications")
    take("list-categories", "list", "categories")
    there = [row["id"] for row in shown if not row.get("withdrawn")]
    take("app", "app", "dismiss", str(there[-1]))
    tasks = take("list-tasks", "list", "tasks")
    waiting = [row["identifier"] for row in tasks if row["state"] == "waiting"]
    take("app", "app", "launch-task", waiting[0])
    take("device", "device")
    take("device", "device", "battery", "40")
    take("device-clock", "device", "clock", "+1h")
    take("list-payments", "list", "payments")
    take("list-processes", "list", "processes", "--all")
    take("status", "status")
    take("watch", "watch", "--once")
    documents.serve()
    take("inspect", "inspect", "--all")
    take("device-reboot", "device", "reboot", "--unlock")
    take("list-processes", "list", "processes", "--all")
    take("down", "down")
    take("status", "status")
    take("list-payments", "list", "payments")
    take("inspect", "inspect")
    take("judge", "judge")
    take("timeline", "timeline")
    journal = os.path.join(documents.home, "journal")
    take("replay", "replay", *[os.path.join(journal, name) for name in sorted(os.listdir(journal))], lines=0)


def telling(documents):
    """A wallet whose extension only notifies."""
    take = documents.take
    take("up", "up", "--wallet", "bitkit")
    take("app", "app", "open")
    take("app-screen", "app", "screen")
    take("app", "app", "quit")
    take("lsp-order", "lsp", "order")
    take("down", "down")


def others(documents):
    take = documents.take
    take("version", "--version")
    take("help", "help")
    take("help-verb", "help", "app", "open")
    take("help-exit-codes", "help", "exit-codes")
    take("completion", "completion", "bash")
    take("run-commands", "run", "--commands")
    stories = sorted(name for name in os.listdir("Tests/Scenarios") if name.endswith(".txt"))[:2]
    take("run", "run", "--simulated", *[f"Tests/Scenarios/{name}" for name in stories], lines=0)
    evidence = os.path.join(documents.scratch, "evidence")
    take("ci", "ci", "--out", evidence, "Tests/Scenarios/killed-in-front.txt")
    take("replay-seed", "replay", "--seed", "1", "--length", "10s")
    take("sim", "sim", "--seeds", "1..2", "--length", "10s")
    results = os.path.join(documents.scratch, "results.jsonl")
    documents.run(["sim", "--seeds", "1..2", "--length", "10s", "--results", results], 0)
    with open(results, encoding="utf-8") as file:
        for line in file:
            documents.hold("sim-result", json.loads(line), ["sim", "--results"])
    take("sim-merge", "sim", "--merge", results)
    take("explore", "explore", "--pushes", "0", "--crashes", "0", "--preemptions", "0")
    take("museum", "museum")
    take("museum-incident", "museum", "mutiny-889")
    documents.demo()


def main():
    with tempfile.TemporaryDirectory() as scratch:
        documents = Documents(sys.argv[1], scratch)
        try:
            phone(documents)
            odd.containers(documents)
            odd.older_copy(documents)
            telling(documents)
            others(documents)
        finally:
            subprocess.run([documents.baton, "--home", documents.home, "down"], capture_output=True, check=False)
        missing = set(documents.schemas) - documents.seen - NOT_RUN
        if missing:
            raise SystemExit(f"documents.py: no command wrote {', '.join(sorted(missing))}")
        print(f"  {documents.count} documents of {len(documents.seen)} kinds match the schema")


if __name__ == "__main__":
    main()
