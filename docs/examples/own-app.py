#!/usr/bin/env python3
"""An app of one's own that takes the node and gives it back. In the project's directory:

baton up --app docs/examples/own-app.py --ext docs/examples/own-extension.py
"""
import fcntl, select
from own_node import Node, Phone

node, phone = Node("app"), Phone("app")
wants = False
while True:
    if node.owned:
        node.go_on()
    elif wants and node.claim():
        phone.say("status", text="own app: has the node", epoch=node.owned[0])
    # While it waits for the node it looks every 250 ms.
    pause = 2 if node.owned else 0.25 if wants else None
    readable, _, _ = select.select([phone.socket], [], [], pause)
    if not readable:
        continue
    verb, fields = phone.hear()
    if verb == "enter-foreground":
        fcntl.flock(node.intent, fcntl.LOCK_EX)
        wants = True
    elif verb == "enter-background":
        wants = False
        fcntl.flock(node.intent, fcntl.LOCK_UN)
        node.release()  # before the word that it is done: an app that is stopped with a lock is killed
        phone.say("status", text="own app: at home")
        phone.say("background-done", time=fields["time"])
    elif verb == "push" and fields.get("silent") == "yes":
        # In the background it has the node for the time of this push.
        if not wants and node.claim():
            node.release()
        phone.say("push-done", id=fields["id"], result="no-data")
    elif verb == "terminate":
        break
node.release()
