#!/usr/bin/env python3
"""An app without guardrails: whatever its extension has received meanwhile, it goes on from its own memory.

baton up --peer legacy --app docs/examples/naive-app.py --ext docs/examples/naive-extension.py
baton app open
INVOICE=$(baton invoice 5000)
baton app home
baton pay $INVOICE
baton app open
baton judge .baton --without journals   # broken: the peer has found the app's state out of date
"""
import select
from naive_node import NaiveNode
from own_node import Phone

node, phone = NaiveNode("app"), Phone("app")
while True:
    sockets = [phone.socket] + ([node.wire.socket] if node.wire else [])
    readable, _, _ = select.select(sockets, [], [])
    if node.wire and node.wire.socket in readable:
        try:
            said = node.go_on()
        except ConnectionError:
            node.disconnect()
            said = None
        if said and said != "settled":
            phone.say("status", code="connected" if said == "connected" else "trouble", text=said)
    if phone.socket not in readable:
        continue
    verb, fields = phone.hear()
    if verb == "enter-foreground":
        node.connect()
    elif verb == "enter-background":
        node.disconnect()
        phone.say("status", code="idle", text="at home")
        phone.say("background-done", time=fields["time"])
    elif verb == "ask":
        asked = dict(line.split(": ", 1) for line in phone.message.decode().split("\n")[1:] if line)
        if "amount-msat" in asked:
            answer = f"invoice\ninvoice: {node.invoice(int(asked['amount-msat']))}\n\n"
        else:
            answer = "error\nmessage: this app makes only invoices with an amount; name one\n\n"
        phone.say("answer", answer.encode(), request=fields["request"])
    elif verb == "terminate":
        break
