// IOSd: emulates the phone's operating system for the two wallet processes. It starts them as children, routes
// pushes, enforces time and memory limits, and keeps the keychain and the notification centre. Every rule is in
// PhonePolicy; this shell turns I/O into events and carries out directives.

import DaemonRuntime
import Glibc

umask(0o077)
CrashTraces.withholdMemory()
runPhone(with: PhoneOptions(phoneCommandLine.parseOrExit()))
