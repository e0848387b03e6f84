// wallets-bench: what a wallet costs lspd, at growing numbers of wallets. Started by scripts/wallets.

import DaemonRuntime
import Foundation
import Ground

let declaration = CommandLineDeclaration(
  name: "wallets-bench", summary: "Measures what a wallet costs lspd: memory, ledger, payments.",
  options: [
    OptionDeclaration("--lspd", value: .path("FILE"), default: "./lspd", help: "the program lspd"),
    OptionDeclaration(
      "--connected", value: .integer(1...100_000), default: "1000",
      help: "how many wallets are connected at once in the last part"),
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
let connectedMax = min(Int(parsed.integer("--connected") ?? 1000), Int(clamping: limit.rlim_cur) - 400)
let paymentsMax = Int(parsed.integer("--payments") ?? 500)

func perSecond(_ count: Int, _ span: TimeSpan) -> Int {
  Int(Int64(count) * 1_000_000_000 / max(span.nanoseconds, 1))
}

func measure(_ count: Int) throws -> [String] {
  var template = Array("/tmp/baton-wallets-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else { throw SystemError("make a directory") }
  let home = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  defer { try? FileManager.default.removeItem(atPath: home) }
  let provider = try ProviderUnderTest(parsed.text("--lspd") ?? "./lspd", wallets: count, home: home)
  defer { provider.end() }
  let loop = try EventLoop()
  let deadline = Clock.monotonicNow + .seconds(60)
  while provider.address == nil || (try? provider.status()) == nil {
    guard Clock.monotonicNow < deadline else { throw BenchError("lspd did not start") }
    try loop.turn(waitingMilliseconds: 20)
  }
  guard let address = provider.address else { throw BenchError("lspd has no address") }
  let empty = (memory: provider.anonymousBytes, ledger: provider.ledgerBytes)
  let fleet = try Fleet(count, at: address, loop: loop)
  var paid = 0
  func pay(_ place: Int) throws {
    paid += 1
    try provider.pay(fleet.paymentHash(paid), to: fleet.wallets[place].node)
  }

  let begin = try fleet.connect(Array(0..<count), hangingUp: true)
  try fleet.wait("the wallets to leave the memory") { try provider.status().walletsInMemory ?? 1 <= 1 }
  let away = (memory: provider.anonymousBytes, ledger: provider.ledgerBytes)

  // Each of other wallets, as far as there are so many: each has to come from the ledger.
  let payments = min(paymentsMax, 20 * count)
  let step = max(1, count / payments)
  let places = (0..<payments).map { $0 * step % count }
  let start = Clock.monotonicNow
  for place in places { try pay(place) }
  let held = Clock.monotonicNow - start
  let paidPlaces = Array(Set(places)).sorted()
  _ = try fleet.connect(paidPlaces, hangingUp: true, waitingForPayment: true)

  let open = min(count, connectedMax)
  try fleet.wait("the wallets to leave the memory") { try provider.status().walletsInMemory ?? 1 <= 1 }
  let before = provider.anonymousBytes
  _ = try fleet.connect(Array(0..<open), hangingUp: false)
  let connected = provider.anonymousBytes
  let rounds = max(1, min(paymentsMax, 20 * open))
  let settled = try fleet.settle(rounds) { try pay($0 % open) }
  return [
    "\(count)", "\(perSecond(count, begin))", "\(away.memory / 1024)",
    "\((away.memory - empty.memory) / count)",
    "\((away.ledger - empty.ledger) / count)", "\(perSecond(payments, held))", "\(open)",
    "\((connected - before) / open)", "\(perSecond(rounds, settled))",
  ]
}

do {
  printLine(
    "| wallets | begun/s | lspd, all away (KiB) | memory per wallet away (B) | ledger per wallet (B) | held payments/s, away | connected | memory per connected wallet (B) | settled payments/s |"
  )
  printLine("|---|---|---|---|---|---|---|---|---|")
  for count in counts.isEmpty ? [1, 1000, 20_000] : counts {
    printLine("| \(try measure(count).joined(separator: " | ")) |")
  }
} catch {
  exitWithSentence(.inputOutputError, "\(error)")
}
