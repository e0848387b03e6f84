#!/usr/bin/env python3
"""An extension without guardrails: for a push it connects, receives one payment, and tells the user."""
import select, time
from naive_node import NaiveNode
from own_node import Phone

node, phone = NaiveNode("extension"), Phone("extension")
while True:
    verb, fields = phone.hear()
    if verb == "push":
        node.connect()
        body, end = "Nothing came", time.monotonic() + 20
        try:
            while select.select([node.wire.socket], [], [], max(end - time.monotonic(), 0))[0]:
                if node.go_on() == "settled":
                    body = "A payment came"
                    break
        except ConnectionError:
            pass
        node.disconnect()
        phone.say("content", id=fields["id"], title="Naive wallet", body=body)
        phone.say("finished", id=fields["id"], reason="done")
    elif verb == "terminate":
        break
