import DaemonRuntime
import Dispatch
import Glibc
import Ground
import Guardrails
import PhonePolicy
import SharedContainer

/// What `baton chaos` did, and what came of it: its JSON document.
struct ChaosReport: Report {
  struct Hits: Report {
    var process: String
    var times: Int
  }

  /// kill, freeze or crash.
  var did: String
  var seed: UInt64
  var payments: Int
  var settled = 0
  var hits: [Hits] = []
  /// The process had done its work before the random moment.
  var missed = 0
  /// Frozen inside a transaction, in which no other process can claim.
  var blocked = 0
  /// Of --inspect.
  var looks: Int?
  var complaints: [String] = []
  var judgePassed = false
  var sound = false
  /// Where the phone is kept.
  var home: String?
  var timeline: String?
  var tookMs: Int64 = 0

  var hitCount: Int { hits.reduce(0) { $0 + $1.times } }

  fileprivate mutating func hit(_ process: PhoneProcess) {
    if let index = hits.firstIndex(where: { $0.process == process.rawValue }) {
      hits[index].times += 1
    } else {
      hits.append(Hits(process: process.rawValue, times: 1))
    }
  }
}

/// Pays a phone again and again, and strikes one of its processes at a random moment of each payment. Afterwards the app
/// is opened, and the payment must be settled.
final class ChaosPlay {
  /// How a process is struck.
  enum Strike: String, CaseIterable {
    case kill, freeze, crash

    /// Struck in turn.
    var usualVictims: [PhoneProcess] {
      switch self {
      case .kill: [.extension, .app]
      case .freeze: [.extension]
      case .crash: [.extension, .app, .lspd, .iosd]
      }
    }
  }

  /// A payment did not settle.
  struct Unsettled: Error, CustomStringConvertible { var description: String }

  /// A payment takes some 60 ms, a push to an extension that only notifies some 5.
  private static let (paymentMs, textMs) = (60, 5)
  /// A frozen app, lspd or iosd goes on after this, at most. Beats are stale after 1 s.
  private static let longestFreezeMs = 2500
  /// A process that gets no more memory and still runs after this is killed.
  private static let memoryPatience = TimeSpan.seconds(2)

  private let driver: PhoneDriver
  private let strike: Strike
  private let victims: [PhoneProcess]
  private let wallet: WalletProfile
  private var chance: SeededGenerator
  private var invoices: [PayableInvoice] = []

  private(set) var report: ChaosReport

  init(
    _ phone: Baton.Phone, _ strike: Strike, victims: [PhoneProcess], wallet: WalletProfile, payments: Int,
    seed: UInt64
  ) throws {
    self.strike = strike
    self.victims = victims.isEmpty ? strike.usualVictims : victims
    self.wallet = wallet
    report = ChaosReport(did: strike.rawValue, seed: seed, payments: payments)
    chance = SeededGenerator(seed: seed)
    var options = PhoneStarter.Options()
    options.wallet = wallet
    options.lspdArguments = ["--hold-seconds", "300"]
    // A round takes seconds.
    if strike == .freeze { options.iosdArguments = ["--beat-interval", "200ms", "--stale-after", "1s"] }
    driver = try PhoneDriver(phone, options)
  }

  /// Starts the phone, and makes all invoices.
  func begin() throws {
    try driver.start()
    try driver.openAndConnect()
    for number in 1...report.payments {
      invoices.append(
        try driver.makeInvoice(amountMsat: UInt64(1000 + number) * 1000, text: "payment \(number)"))
    }
    try driver.quitAndEnd()
  }

  func stop() { driver.stop() }

  /// Throws `Unsettled` if the payment does not settle.
  func round(_ number: Int) throws {
    let victim = victims[number % victims.count]
    // At a daemon's end the app may be open or not.
    if victim == .app || victim != .extension && chance.oneIn(2) { try driver.open() }
    let earlier = try driver.phone.pushes().last?.id ?? 0
    let sender = Aside { [phone = driver.phone, request = invoices[number].payRequest(waits: true)] in
      try phone.pay(request, timeout: .seconds(90))
    }
    let process = try findAtRandom(victim) {
      let pushes = try driver.phone.pushes().filter { $0.id > earlier }
      return sender.result != nil || pushes.contains { $0.fate != nil && $0.fateCode != .held }
    }
    if let process {
      report.hit(victim)
      switch strike {
      case .kill, .crash: try end(process, victim)
      case .freeze: try freeze(process, victim, sender)
      }
    } else {
      report.missed += 1
    }
    try driver.open()
    try driver.wait(for: "the end of the payment", within: .seconds(120)) { sender.result != nil }
    try check(sender, number)
    report.settled += 1
    try driver.openAndConnect()
    try driver.wait(for: "the extension to finish") {
      ExtensionState.restingWords.contains(try driver.status().extension.state)
    }
    try driver.quitAndEnd()
  }

  private func wait(atMostMs most: Int) throws {
    let moment = Clock.monotonicNow + .milliseconds(Int64(chance.below(most)))
    try driver.wait(for: "a random moment", every: .milliseconds(1)) { Clock.monotonicNow >= moment }
  }

  /// At a random moment of the payment, or at its start if it starts later, as on a busy machine; nil if it has done its
  /// work before. `hasStarted`: if it does not run now, it has ended or rests again.
  private func findAtRandom(_ victim: PhoneProcess, hasStarted: () throws -> Bool) throws -> WatchedProcess? {
    try wait(atMostMs: victim == .extension && !wallet.extension.hasNode ? Self.textMs : Self.paymentMs)
    var process: WatchedProcess?
    try driver.wait(for: "the \(victim.rawValue) to start", every: .milliseconds(1)) {
      // It may start between the two looks.
      let hasStarted = try hasStarted()
      process = try find(victim)
      return process != nil || hasStarted
    }
    return process
  }

  /// Nil if it does not run, or was suspended by iosd.
  private func find(_ victim: PhoneProcess) throws -> WatchedProcess? {
    do {
      let process = try victim.find(in: driver.phone)
      return strike == .freeze && victim.suspension(of: process, in: driver.phone) != nil ? nil : process
    } catch let failure as CommandFailure where [.notDone, .daemonMissing].contains(failure.code) {
      return nil
    }
  }

  private func check(_ sender: Aside<PaymentAnswer>, _ number: Int) throws {
    guard let result = sender.result else { return }
    let answer: PaymentAnswer
    do {
      answer = try result.get()
    } catch {
      let failure = CommandFailure(error)
      guard failure.code == .daemonMissing else {
        throw Unsettled(description: "payment \(number + 1) did not settle: \(failure.sentence)")
      }
      // lspd was away before it had the payment.
      answer = try driver.pay(invoices[number], waits: true)
    }
    guard answer.isSettled else {
      throw Unsettled(
        description: "payment \(number + 1) did not settle: \(answer.state), \(answer.reason ?? "no reason")")
    }
  }

  // MARK: Strikes

  /// Kills it or has it crash; a daemon is started again.
  private func end(_ process: WatchedProcess, _ victim: PhoneProcess) throws {
    switch strike == .crash ? chance.below(3) : -1 {
    case 0: try ProcessSignal.crash(SIGSEGV).send(to: process)
    case 1: try ProcessSignal.crash(SIGABRT).send(to: process)
    case 2: try endByMemory(process)
    default: try ProcessSignal.kill.send(to: process)
    }
    _ = process.reap()
    switch victim {
    case .lspd, .iosd: try driver.start()
    case .app, .extension:
      let role: Role = victim == .app ? .app : .extension
      // A dying process answers nothing: the app is opened only when iosd knows of its end.
      try driver.wait(for: "iosd to know of the end of process \(process.pid)") {
        try driver.pid(of: role) != process.pid
      }
    }
  }

  /// The kernel gives the process no further page: its next allocation fails. One that needs none is killed, as by iOS.
  private func endByMemory(_ process: WatchedProcess) throws {
    guard process.denyMemory() || process.hasEnded else {
      throw SystemError("limit the memory of process \(process.pid)")
    }
    if !process.waitForEnd(within: Self.memoryPatience) { try ProcessSignal.kill.send(to: process) }
  }

  /// Stops it, and lets it go on: the extension when the app has claimed and the payment has settled, others at a random
  /// moment.
  private func freeze(
    _ process: WatchedProcess, _ victim: PhoneProcess, _ sender: Aside<PaymentAnswer>
  ) throws {
    process.send(SIGSTOP)
    // Also if the wait gives up, and one that iosd has killed meanwhile.
    defer { process.send(SIGCONT) }
    try driver.wait(for: "process \(process.pid) to stop") {
      ProcessTable.isStopped(process.pid) || process.hasEnded
    }
    guard victim == .extension else {
      // Its extension claims when the app's beats are stale.
      if victim == .app, wallet.extension.hasNode {
        try driver.push(#"{"aps":{"alert":"A payment","mutable-content":1},"reason":"IncomingPayment"}"#)
      }
      return try wait(atMostMs: Self.longestFreezeMs)
    }
    try driver.open()
    var isBlocked = false
    try driver.wait(for: "the app to be connected") {
      if !isBlocked, Snapshot.writer(of: driver.phone.container)?.pid == process.pid {
        // Until it goes on or dies, no other process can claim.
        isBlocked = true
        report.blocked += 1
        process.send(SIGCONT)
      }
      return try driver.status().app.statusCode == .connected
    }
    try driver.wait(for: "the end of the payment", within: .seconds(120)) { sender.result != nil }
  }
}

/// Work in a thread of its own.
final class Aside<Answer: Sendable>: Sendable {
  private let state = Locked<Result<Answer, any Error>?>(nil)

  init(_ work: @escaping @Sendable () throws -> Answer) {
    DispatchQueue(label: "aside").async { [state] in
      let result = Result(catching: work)
      state.withLock { $0 = result }
    }
  }

  /// Nil until it has ended.
  var result: Result<Answer, any Error>? { state.withLock { $0 } }
}
