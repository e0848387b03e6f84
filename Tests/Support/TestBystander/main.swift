// A process of the wallet's container that claims and stops inside a transaction, for the tests of the pair.

import DaemonRuntime

guard CommandLine.arguments.count == 2 else { exitWithSentence(.wrongUsage, "give a container") }
Bystander(role: .extension, directory: CommandLine.arguments[1]).stopInTransaction()
