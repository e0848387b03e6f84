// bench: measures the release programs and the library against the same work in C, in one run on one machine.
// Started by scripts/bench, which builds both.

import Ground
import DaemonRuntime
import Glibc

let declaration = CommandLineDeclaration(
  name: "bench",
  summary: "Measures the pair against the same work in C, in one run.",
  options: [
    OptionDeclaration(
      "--programs", value: .path("DIR"), default: ".", help: "directory of the release programs"),
    OptionDeclaration(
      "--floor", value: .path("FILE"), default: "./floor", help: "the C program of the floor"),
    OptionDeclaration(
      "--wire-floor", value: .path("FILE"), default: "./wire", help: "the C program of the BOLT 8 floor"),
    OptionDeclaration(
      "--rounds", value: .integer(1...100_000), default: "200",
      help:
        "how often each start, takeover and handover is measured; measurements of microseconds, ten times that"
    ),
    OptionDeclaration("--json", help: "print the table as JSON"),
    OptionDeclaration(
      PresenceRoundTrip.pingArgument, value: .path("SOCKET"), help: "be the process that pings"),
    OptionDeclaration(
      PresenceRoundTrip.echoArgument, value: .path("SOCKET"), help: "be the process that answers"),
  ])
let parsed = declaration.parseOrExit()
let rounds = Int(parsed.integer("--rounds") ?? 200)
let programs = parsed.text("--programs") ?? "."
let floor = FloorProgram(path: parsed.text("--floor") ?? "./floor")
let isTerminal = isatty(STDERR_FILENO) != 0

func progress(_ what: String, of total: Int) -> (Int) -> Void {
  { done in
    guard isTerminal else { return }
    _ = write(
      STDERR_FILENO, "\r\u{1b}[K\(what): \(done) of \(total)",
      "\r\u{1b}[K\(what): \(done) of \(total)".utf8.count)
    if done == total { _ = write(STDERR_FILENO, "\r\u{1b}[K", 4) }
  }
}

do {
  if let socket = parsed.text(PresenceRoundTrip.echoArgument) {
    try PresenceRoundTrip.echo(path: socket)
    exit(0)
  }
  if let socket = parsed.text(PresenceRoundTrip.pingArgument) {
    try PresenceRoundTrip.ping(path: socket, rounds: rounds)
    exit(0)
  }
  let stage = try Stage(programs: programs)
  let start = ExtensionStart(stage: stage, floor: floor)
  let changes = OwnershipChange(stage: stage)
  var rows = try start.rows(rounds: rounds, progress: progress("extension starts", of: rounds))
  rows += try start.memory(rounds: min(rounds, 20))
  rows += try TellingStart(stage: stage).rows(
    rounds: rounds, progress: progress("telling extension starts", of: rounds))
  rows += try AppStart(stage: stage).rows(rounds: rounds, progress: progress("app starts", of: rounds))
  rows += try changes.takeover(rounds: rounds, progress: progress("takeovers", of: rounds))
  rows += try changes.handover(rounds: rounds, progress: progress("handovers", of: rounds))
  rows += try ContainerCosts(floor: floor).rows(
    rounds: rounds * 10, progress: progress("claims and writes", of: rounds * 10))
  rows += try PresenceRoundTrip.rows(
    floor: floor, rounds: rounds * 10, progress: progress("presence round trips", of: rounds * 10))
  rows += try WireCosts(floor: FloorProgram(path: parsed.text("--wire-floor") ?? "./wire")).rows(
    rounds: rounds * 10, progress: progress("handshakes and messages", of: rounds * 10))
  stage.end()
  let table = Table(rows: rows)
  printLine(parsed.isGiven("--json") ? table.json : table.text)
} catch {
  exitWithSentence(.inputOutputError, "\(error)")
}
