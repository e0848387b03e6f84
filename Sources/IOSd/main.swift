// IOSd: plays the phone's operating system around the two wallet processes. It starts them as real children, routes
// pushes, keeps time and memory limits, the keychain and the notification centre. Every rule is in PhonePolicy: this
// is the shell, which reads the world and carries out what the core says.

import DaemonRuntime
import Glibc

umask(0o077)
CrashTraces.withholdMemory()
runPhone(with: PhoneOptions(phoneCommandLine.parseOrExit()))
