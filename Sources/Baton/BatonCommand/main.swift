// BatonCommand: the one thing a user types. It starts and asks the daemons of one phone, reads what they left
// behind, and decides nothing about ownership: whatever it shows comes from a daemon, a journal or a snapshot.
// It never opens a live database by any road but SharedContainer's snapshot.

import PhoneClient
import DaemonRuntime
import Glibc

CrashTraces.withholdMemory()
do throws(UsageError) {
  exit(Program.run(try TypedArguments.read()).rawValue)
} catch { exit(Program.end(CommandFailure(error), CommandLine.arguments).rawValue) }
