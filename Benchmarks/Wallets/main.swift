// wallets-bench: what a wallet costs lspd, at growing numbers of wallets. Started by scripts/wallets.

import DaemonRuntime
import Foundation
import Ground

let declaration = CommandLineDeclaration(
  name: "wallets-bench", summary: "Measures what a wallet costs lspd: memory, ledger, payments.",
  options: [
    OptionDeclaration(
      "--ledger", value: .text("URL"),
      help:
        "lspd's option of that name: PostgreSQL in place of SQLite; the database has to be empty"
    ),
    OptionDeclaration("--svg", value: .path("FILE"), help: "also draw the figures"),
    OptionDeclaration("--lspd", value: .path("FILE"), default: "./lspd", help: "the program lspd"),
    OptionDeclaration(
      "--connected", value: .integer(1...100_000), default: "20000",
      help: "how many wallets are connected at once in the last part, at most"),
    OptionDeclaration(
      "--payments", value: .integer(1...100_000), default: "500", help: "how many payments each part has"),
  ],
  positionals: [
    PositionalDeclaration(
      "WALLETS", value: .integer(1...1_000_000), count: .any, help: "numbers of wallets (1 1000 20000)")
  ])
let parsed = declaration.parseOrExit()
let counts = parsed.positionals.compactMap { Int($0) }

/// Both ends of a connection have a descriptor here or in lspd, which inherits the limit.
var limit = rlimit()
getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
limit.rlim_cur = limit.rlim_max
setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
let descriptorsMax = Int(clamping: limit.rlim_cur)
/// Connections of the number of wallets before may still be open.
func connectedMax() throws -> Int {
  let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
  return min(Int(parsed.integer("--connected") ?? 20_000), descriptorsMax - 400 - open)
}
let paymentsMax = Int(parsed.integer("--payments") ?? 500)

func perSecond(_ count: Int, _ span: TimeSpan) -> Int {
  Int(Int64(count) * 1_000_000_000 / max(span.nanoseconds, 1))
}

func measure(_ count: Int) throws -> Figures {
  var template = Array("/tmp/baton-wallets-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else { throw SystemError("make a directory") }
  let home = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  defer { try? FileManager.default.removeItem(atPath: home) }
  let provider = try ProviderUnderTest(
    parsed.text("--lspd") ?? "./lspd", wallets: count, home: home, ledger: parsed.text("--ledger"))
  defer { provider.end() }
  let loop = try EventLoop()
  let deadline = Clock.monotonicNow + .seconds(60)
  while provider.address == nil || (try? provider.status()) == nil {
    guard Clock.monotonicNow < deadline else { throw BenchError("lspd did not start") }
    try loop.turn(waitingMilliseconds: 20)
  }
  guard let address = provider.address else { throw BenchError("lspd has no address") }
  let phone = try BenchPhone(path: "\(home)/phone.sock", loop: loop)
  defer { phone.end() }
  let fleet = try Fleet(count, at: address, loop: loop)
  var figures = Figures()
  figures.wallets = count
  var paid = 0
  func nextHash() -> Bytes32 {
    paid += 1
    return fleet.paymentHash(paid)
  }
  func haveLeft() throws {
    try fleet.wait("the wallets to leave the memory") { try provider.status().walletsInMemory ?? 1 <= 1 }
  }

  let empty = (memory: provider.anonymousBytes, ledger: try provider.ledgerBytes())
  figures.begunPerSecond = perSecond(count, try fleet.connect(Array(0..<count), hangingUp: true))
  try haveLeft()
  let away = (memory: provider.anonymousBytes, ledger: try provider.ledgerBytes())
  figures.awayBytes = (away.memory - empty.memory) / count
  figures.ledgerBytes = (away.ledger - empty.ledger) / count

  // Of as many wallets, each of which has to come from the ledger.
  let payments = min(paymentsMax, count)
  let places = (0..<payments).map { $0 * (count / payments) }
  for place in places { try provider.register(fleet.wallets[place].node, at: phone.path) }
  var latencies: [Int64] = []
  let start = Clock.monotonicNow
  for place in places {
    let (before, asked) = (phone.pushes, Clock.monotonicNow)
    try provider.beginToPay(nextHash(), to: fleet.wallets[place].node)
    try fleet.wait("the push", pausing: 1) { phone.pushes > before }
    latencies.append((phone.newest - asked).nanoseconds)
    try provider.endToPay()
  }
  figures.heldPerSecond = perSecond(payments, Clock.monotonicNow - start)
  latencies.sort()
  figures.pushMedian = TimeSpan(nanoseconds: latencies[latencies.count / 2])
  figures.pushNinetyNine = TimeSpan(
    nanoseconds: latencies[min(latencies.count - 1, latencies.count * 99 / 100)])
  _ = try fleet.connect(places, hangingUp: true, waitingForPayment: true)
  try haveLeft()
  figures.paymentBytes = (try provider.ledgerBytes() - away.ledger) / payments

  figures.connected = min(count, try connectedMax())
  let before = provider.anonymousBytes
  _ = try fleet.connect(Array(0..<figures.connected), hangingUp: false)
  figures.connectedBytes = (provider.anonymousBytes - before) / figures.connected
  let rounds = max(paymentsMax, 1)
  let step = max(1, figures.connected / rounds)
  let settled = try fleet.settle(rounds) { round in
    try provider.pay(nextHash(), to: fleet.wallets[round * step % figures.connected].node)
  }
  figures.settledPerSecond = perSecond(rounds, settled)
  return figures
}

do {
  printLine(Figures.line(Figures.heads))
  printLine("|\(Figures.heads.map { _ in "---|" }.joined())")
  var rows: [Figures] = []
  for count in counts.isEmpty ? [1, 1000, 20_000] : counts {
    rows.append(try measure(count))
    printLine(Figures.line(rows[rows.count - 1].cells))
  }
  if let path = parsed.text("--svg") {
    try Picture(rows: rows).svg.write(toFile: path, atomically: true, encoding: .utf8)
  }
} catch {
  exitWithSentence(.inputOutputError, "\(error)")
}
