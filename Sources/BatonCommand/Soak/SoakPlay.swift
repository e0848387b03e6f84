import Ground
import DaemonRuntime
import Foundation
import Glibc
import Lightning
import Reports

/// Plays rounds on one phone. A round is a payment with the app closed or in the background, which the peer announces
/// with a push, and then the app in front: it takes the node over and makes the next invoice.
final class SoakPlay {
  /// What was waited for did not come.
  struct Failure: Error {
    var sentence: String
  }

  /// How the processes of a round live.
  enum Style {
    /// The app is swiped away after each round; every other push starts a new extension.
    case shortLives
    /// The app is only sent to the background, and one extension serves every push.
    case longLives
  }

  let phone: Phone
  private(set) var settled = 0
  private(set) var slowest = TimeSpan.zero
  private(set) var totalPaying = TimeSpan.zero
  private var invoice: PayableInvoice?
  private var number = 0
  private let watch: DirectoryWatch
  /// What a process says of itself is in no journal, so we look again at such intervals.
  private let lookInterval: TimeSpan

  init(phone: Phone, lookInterval: TimeSpan = .milliseconds(2)) throws {
    self.phone = phone
    self.lookInterval = lookInterval
    try FilePath.makeDirectories(phone.journal)
    watch = try DirectoryWatch([phone.journal])
  }

  /// The first invoice; afterwards nothing runs but the daemons.
  func begin() throws {
    try openApp()
    invoice = try newInvoice()
    try rest()
  }

  func round(_ style: Style) throws {
    number += 1
    if style == .shortLives && number.isMultiple(of: 2) { try endExtension() }
    try pay()
    try openApp()
    invoice = try newInvoice()
    switch style {
    case .shortLives: try quitApp()
    case .longLives: try sendAppHome()
    }
  }

  /// Both wallet processes end, and the daemons come to rest: nothing is on its way any more.
  func rest() throws {
    try quitApp()
    try endExtension()
    // Some of them run for many seconds, and nobody is to be kept busy by questions meanwhile.
    try wait(for: "the daemons to have no timer any more", every: .milliseconds(50)) {
      try status().timers == timersOfTasks() && phone.peerFacts().timers == 0
    }
  }

  /// What the app has asked the phone to start it for later stays asked for, and has its hour.
  private func timersOfTasks() throws -> Int {
    try phone.tasks().contains { $0.state == "waiting" } ? 1 : 0
  }

  /// Each look is on the same connection: with one of its own the daemon, if it is slow, has not closed that yet and
  /// counts it, and if it is quick it has. Those of earlier questions are closed before the second answer, as their ends came in
  /// front of the second question.
  func figures(of daemon: Daemon) throws -> SoakFigures {
    let client = try phone.connect(to: daemon)
    var least = try look(at: daemon, client)
    for _ in 1..<Self.looks {
      let next = try look(at: daemon, client)
      if next.descriptors <= least.descriptors { least = next }
    }
    return least
  }

  private static let looks = 5

  private func look(at daemon: Daemon, _ client: ControlClient) throws -> SoakFigures {
    let answer = try client.request(ControlMessage("status")).body
    guard let pid = client.listener, var figures = SoakFigures(pid: pid) else {
      throw Failure(sentence: "\(daemon.rawValue) is gone; its last words are in its log")
    }
    if let facts = PhoneFacts(json: answer) {
      (figures.heapBytes, figures.timers) = (facts.heapBytes, facts.timers)
    } else if let facts = PeerFacts(json: answer) {
      figures.heapBytes = facts.heapBytes
      (figures.databaseBytes, figures.timers) = (facts.databaseBytes, facts.timers)
    }
    return figures
  }

  /// Of a wallet process that lives: `app` or `extension`.
  func figures(ofRole role: String) throws -> SoakFigures {
    let facts = try status().process(role)
    guard let pid = facts.pid, var figures = SoakFigures(pid: pid) else {
      throw Failure(sentence: "the \(role) does not run any more")
    }
    figures.databaseBytes = facts.status?["database-bytes"].flatMap { UInt64($0) }
    figures.heapBytes = facts.status?["heap-bytes"].flatMap { UInt64($0) }
    return figures
  }

  // MARK: The person and the sender

  private func pay() throws {
    guard let invoice else { throw Failure(sentence: "there is no invoice to pay") }
    try waitUntilAway()
    let start = Clock.monotonicNow
    let answer = PaymentAnswer(
      try phone.ask(.lspd, PayVerb.request(invoice, waits: true), timeout: .seconds(90)))
    guard answer.isSettled else {
      throw Failure(sentence: "payment \(number) ended as \(answer.state) (\(answer.reason ?? "no reason"))")
    }
    let took = Clock.monotonicNow - start
    settled += 1
    slowest = max(slowest, took)
    totalPaying = TimeSpan(nanoseconds: totalPaying.nanoseconds + took.nanoseconds)
  }

  /// A payment that the peer offers to a wallet that has just gone is held, but announced later.
  func waitUntilAway() throws {
    try wait(for: "the peer to see that the wallet is away") {
      try !phone.peerFacts().walletConnected
    }
  }

  func openApp() throws {
    try phone.ask(.iosd, ControlMessage("open"))
    try wait(for: "the app to be connected") {
      try status().app.statusCode == .connected
    }
  }

  func newInvoice() throws -> PayableInvoice {
    let answer = try phone.ask(
      .iosd, ControlMessage("invoice", ["amount-msat": "1000", "expiry-seconds": "86400"]))
    return try PayableInvoice(madeByWallet: answer["invoice"] ?? "")
  }

  func quitApp() throws {
    try phone.ask(.iosd, ControlMessage("quit"))
    try wait(for: "the app to end") { try status().app.state == "not running" }
  }

  private func sendAppHome() throws {
    try phone.ask(.iosd, ControlMessage("home"))
    try wait(for: "the app to have released the node") {
      try status().app.statusCode == .idle
    }
  }

  func endExtension() throws {
    if let pid = try status().extension.pid {
      WatchedProcess(pid: pid)?.send(SIGTERM)
    }
    try wait(for: "the extension to end") { try status().extension.state == "not running" }
  }

  // MARK: Waiting

  func status() throws -> PhoneFacts { try phone.facts() }

  /// Looks again whenever a journal grows, and at short intervals.
  func wait(for what: String, every interval: TimeSpan? = nil, _ condition: () throws -> Bool) throws {
    let end = Clock.monotonicNow + .seconds(60)
    while try !condition() {
      let now = Clock.monotonicNow
      guard now < end else {
        throw Failure(sentence: "gave up after 60 s waiting for \(what) in round \(number)")
      }
      try watch.wait(until: min(end, now + (interval ?? lookInterval)))
    }
  }
}
