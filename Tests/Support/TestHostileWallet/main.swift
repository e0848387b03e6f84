// TestHostileWallet: a hostile wallet process. It sends iosd messages that could do harm, then bytes that are no
// message, and then stays.

import DaemonRuntime
import Glibc

guard let descriptor = ParentChannel.take() else {
  exitWithSentence(.daemonMissing, "TestHostileWallet is started by iosd alone")
}

func say(_ bytes: [UInt8]) {
  while send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) < 0 {
    guard errno == EAGAIN || errno == EINTR else { exit(0) }
    var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    poll(&waiting, 1, -1)
  }
}

func say(_ message: ControlMessage) { if let bytes = try? message.encoded() { say(bytes) } }

let escape = "\u{1b}]0;owned\u{7}" + String(repeating: "x", count: 1900)
say(ControlMessage("hello", ["role": "owner", "pid": "-1"]))
say(ControlMessage("hello"))
say(ControlMessage("self-destruct"))
for id in ["", "-1", "99", "18446744073709551616"] {
  say(ControlMessage("content", ["id": id, "title": escape, "body": escape, "badge": "1e9"]))
  say(ControlMessage("finished", ["id": id, "reason": escape]))
  say(ControlMessage("answer", ["request": id], body: Array(escape.utf8)))
}
say(ControlMessage("notification", ["title": escape, "body": escape, "badge": "-9223372036854775808"]))
for _ in 0..<100 { say(ControlMessage("notification", ["title": escape, "body": escape, "badge": "1000"])) }
let fields = (0..<64).map {
  ControlMessage.Field(
    name: "field-" + String(repeating: "a", count: $0 % 50) + ["b", "c"][$0 / 50], value: escape)
}
for _ in 0..<50 { say(ControlMessage("status", fields: fields)) }
say(ControlMessage("ending", ["reason": escape]))
say(ControlMessage("notification", ["title": "last notification", "body": ""]))
say([0xff, 0, 0xff])
while true { pause() }
