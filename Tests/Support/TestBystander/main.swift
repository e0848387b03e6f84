// One wallet process that does a single thing and then stands still, for the tests of the pair: it is real where it
// counts (locks, wish, transactions) and does nothing else.

import DaemonRuntime

guard CommandLine.arguments.count == 3 else {
  exitWithSentence(.wrongUsage, "give a mode (wish, stop-in-transaction) and a container")
}
let directory = CommandLine.arguments[2]
switch CommandLine.arguments[1] {
case "wish": Bystander(role: .app, directory: directory).wish()
case "stop-in-transaction": Bystander(role: .extension, directory: directory).stopInTransaction()
default: exitWithSentence(.wrongUsage, "there is no such mode; give wish or stop-in-transaction")
}
