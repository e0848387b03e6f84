// notifyextd: the wallet's notification service extension. A shell: it passes on pushes, and the guard decides.

import DaemonRuntime
import Glibc
import Guardrails
import WalletProcess

let declaration = CommandLineDeclaration(
  name: "notifyextd",
  summary:
    "The wallet's notification service extension: receives payments for pushes, unless the app has the node.",
  options: SettingsTable.options(of: .extension) + [
    OptionDeclaration(
      "--push", value: .path("FILE"), mayRepeat: true,
      help: "started by hand: serve the push with this payload (.apns), then end; several are served in order"
    )
  ],
  examples: [
    ("notifyextd --container AppGroup --push payment.apns", "receive the payment of this push by hand")
  ])
let parsed = declaration.parseOrExit()
let payloads = parsed.all("--push").map { path in
  guard let payload = SmallFile.read(path, limit: 64 * 1024) else {
    exitWithSentence(.inputOutputError, "\(path) cannot be read; check the path")
  }
  return payload
}
let options = WalletOptions(parsed)
if payloads.isEmpty && !ParentChannel.isThere {
  exitWithSentence(
    .wrongUsage, "there is no push to serve; give one with --push FILE, or let iosd start notifyextd")
}
let process = WalletProcess<ExtensionMachine>(options)
process.fault = ExtensionFault(parsed)
process.run { process.serve(payloads: payloads) }
