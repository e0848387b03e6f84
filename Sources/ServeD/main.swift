// ServeD: the program baton-serve, which `baton serve` becomes: a program of its own, so that `baton` and all that it links
// stay without HTTP.

import DaemonRuntime
import Glibc
import PhoneClient
import Reports
import Serve
import Terminal

CrashTraces.withholdMemory()
let line = ServeOptions.declaration.parseOrExit()
let phone = Phone(home: line.text("--home") ?? "./.baton")
do throws(SystemError) { try OwnHome.check(phone.home) } catch {
  exitWithSentence(.cannotCreate, error.description)
}
do throws(SystemError) {
  let loop = try EventLoop()
  // A server that is told to end has done its work.
  for interruption in Interruption.handled {
    try loop.onSignal(interruption.rawValue) { loop.stop() }
  }
  let serve = try Serve(
    phone, port: UInt16(clamping: line.integer("--port") ?? 0), isControlled: line.isGiven("--control"),
    loop: loop
  ) { exitWithSentence(.inputOutputError, $0.description) }
  let document = serve.document
  let output = Output(isJSON: line.isGiven("--json"))
  if output.isJSON { output.say(document) } else { ServeOptions.lines(document).forEach { output.say($0) } }
  try loop.run()
  serve.stop()
  exit(ExitCode.done.rawValue)
} catch {
  if error.code == EADDRINUSE, let port = line.integer("--port") {
    exitWithSentence(.wrongUsage, "port \(port) is in use; name another with --port, or leave it out")
  }
  exitWithSentence(.cannotCreate, error.description)
}
