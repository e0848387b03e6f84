// BatonCommand: the command-line program. It starts and queries the daemons of one phone, and decides nothing about
// ownership: all that it shows comes from a daemon, a journal or a snapshot. It reads a live database only through
// SharedContainer's snapshot.

import DaemonRuntime
import Glibc

CrashTraces.withholdMemory()
do throws(UsageError) {
  exit(Program.run(try TypedArguments.read()).rawValue)
} catch { exit(Program.end(CommandFailure(error), TypedArguments.words).rawValue) }
