#!/usr/bin/env python3
"""An extension of one's own: takes the node for a push, if the app does not want it, and gives it back.

It has no channel, so no payment comes: it waits 5 s for one, as long as a wallet would wait for the next.
"""
import select, time
from own_node import Node, Phone

node, phone = Node("extension"), Phone("extension")
push, deadline, said = None, 0.0, ""


def finish():
    """Every lock is free before iOS has the content, as the process may be suspended at once."""
    global push
    had = node.owned is not None
    node.release()
    if push is not None:
        phone.say("content", id=push, title="Own wallet", body="Nothing came" if had else "The app has the node")
        phone.say("finished", id=push, reason="done")
        push = None


while True:
    if push is not None:
        if node.owned:
            node.go_on()
        # The user is in front of the app, or a wallet process of before still has the node.
        if not node.is_free("app.intent") or time.monotonic() >= deadline:
            finish()
        elif not node.owned and node.claim():
            phone.say("status", text="own extension: has the node", epoch=node.owned[0])
            deadline = time.monotonic() + 5
    readable, _, _ = select.select([phone.socket], [], [], None if push is None else 0.25)
    if not readable:
        continue
    verb, fields = phone.hear()
    if verb == "push":
        push, deadline = fields["id"], time.monotonic() + 25
    elif verb == "time-will-expire":
        finish()
    elif verb == "terminate":
        break
node.release()
