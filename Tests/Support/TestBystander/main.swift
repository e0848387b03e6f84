// A process of the wallet's container that does one thing and then waits, for the tests of the pair: its locks,
// intent and transactions are real.

import DaemonRuntime

guard CommandLine.arguments.count == 3 else {
  exitWithSentence(.wrongUsage, "give a mode (intent, stop-in-transaction) and a container")
}
let directory = CommandLine.arguments[2]
switch CommandLine.arguments[1] {
case "intent": Bystander(role: .app, directory: directory).intent()
case "stop-in-transaction": Bystander(role: .extension, directory: directory).stopInTransaction()
default: exitWithSentence(.wrongUsage, "there is no such mode; give intent or stop-in-transaction")
}
