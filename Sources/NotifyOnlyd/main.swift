// notifyonlyd: the notification service extension of a wallet whose extension has no node. A shell: the desk decides
// when a push is read, the guard when its text is delivered. It never opens the node's state.

import DaemonRuntime
import Glibc
import Guardrails

let declaration = CommandLineDeclaration(
  name: "notifyonlyd",
  summary:
    "The notification service extension of a wallet that only notifies: it opens the sealed push, stores the announced payment for the app and shows the text.",
  options: NotifyOptions.declarations,
  examples: [
    ("notifyonlyd --container AppGroup --push payment.apns", "tell by hand what this push announces")
  ])
let parsed = declaration.parseOrExit()
let payloads = parsed.all("--push").map { path in
  guard let payload = SmallFile.read(path, limit: 64 * 1024) else {
    exitWithSentence(.inputOutputError, "\(path) cannot be read; check the path")
  }
  return payload
}
if payloads.isEmpty && !ParentChannel.isThere {
  exitWithSentence(
    .wrongUsage, "there is no push to tell; give one with --push FILE, or let iosd start notifyonlyd")
}
let process = NotifyProcess(NotifyOptions(parsed))
process.run(payloads: payloads)
