import DaemonRuntime
import Glibc
import Ground
import PhonePolicy

/// Drives one phone of real processes for stories, soaks and tests: as its user, as a sender, and as an observer.
package final class PhoneDriver {
  package let phone: Phone
  private let options: PhoneStarter.Options
  private let watch: DirectoryWatch
  /// A process's status is not in its journal, so it is polled at this interval.
  private let lookInterval: TimeSpan
  /// The extension's processes that `endExtension` has ended.
  package private(set) var endedExtensions: Set<Int32> = []

  package init(
    _ phone: Phone, _ options: PhoneStarter.Options = PhoneStarter.Options(),
    lookInterval: TimeSpan = .milliseconds(2)
  ) throws {
    self.phone = phone
    self.options = options
    self.lookInterval = lookInterval
    try FilePath.makeDirectories(phone.journal)
    watch = try DirectoryWatch([phone.journal])
  }

  // MARK: The phone and the peer

  @discardableResult package func start() throws -> PhoneStarter.Result {
    try PhoneStarter(phone: phone, options: options).start()
  }

  @discardableResult package func stop() -> [PhoneStopper.Ended] { PhoneStopper(phone: phone).stop() }

  /// Kills lspd and starts it again from its ledger.
  package func restartPeer() throws {
    try stopPeer()
    try start()
  }

  /// Kills lspd.
  package func stopPeer() throws {
    guard let pid = DaemonProbe.pid(listeningOn: phone.lspdSocket), let peer = WatchedProcess(pid: pid) else {
      throw Wait.Failure(description: "lspd does not run")
    }
    peer.send(SIGKILL)
    _ = peer.waitForEnd(within: .seconds(20))
    _ = peer.reap()
  }

  // MARK: The user

  package func open() throws { try phone.ask(.iosd, ControlMessage("open")) }
  package func goHome() throws { try phone.ask(.iosd, ControlMessage("home")) }
  package func quit() throws { try phone.ask(.iosd, ControlMessage("quit")) }

  package func openAndConnect() throws {
    try open()
    try wait(for: "the app to be connected") { try status().app.statusCode == .connected }
  }

  package func goHomeAndRelease() throws {
    try goHome()
    try wait(for: "the app to have released the node") { try status().app.statusCode == .idle }
  }

  package func quitAndEnd() throws {
    try quit()
    try wait(for: "the app to end") { try state(of: .app) == AppState.notRunning.word }
  }

  package func push(_ payload: String) throws {
    try phone.ask(.iosd, ControlMessage("push", body: Array(payload.utf8)))
  }

  package func switchDevice(_ name: String, _ value: String) throws {
    try phone.ask(.iosd, ControlMessage("device", [name: value]))
  }

  package func makeInvoice(
    amountMsat: UInt64, expiresAfter: TimeSpan = .seconds(86_400), text: String = ""
  ) throws -> PayableInvoice {
    try PayableInvoice(madeBy: phone, amountMsat: amountMsat, expiresAfter: expiresAfter, text: text)
  }

  // MARK: The sender

  @discardableResult package func pay(
    _ invoice: PayableInvoice, partMsat: UInt64? = nil, waits: Bool = false, holdSeconds: Int64? = nil
  ) throws -> PaymentAnswer {
    try phone.pay(
      invoice.payRequest(partMsat: partMsat, waits: waits, holdSeconds: holdSeconds), timeout: .seconds(90))
  }

  /// Waits until lspd sees the disconnection: otherwise it offers the payment first, and pushes later.
  package func waitUntilAway() throws {
    try wait(for: "the peer to see that the wallet is offline") { try !phone.peerFacts().walletConnected }
  }

  // MARK: State

  package func status() throws -> PhoneFacts { try phone.facts() }

  package func state(of role: Role) throws -> String { try status().process(role).state }

  /// Nil if no process of the role runs.
  package func pid(of role: Role) throws -> Int32? { try status().process(role).pid }

  /// Of processes that run and have said nothing since their start.
  package var silences: [String] {
    guard let facts = try? status() else { return [] }
    return Role.allCases.compactMap { role in
      let process = facts.process(role)
      return process.silence.map { "the \(role.rawValue) (process \(process.pid ?? 0)) is \($0)" }
    }
  }

  // MARK: Ending processes

  package func endExtension() throws {
    if let pid = try status().extension.pid {
      endedExtensions.insert(pid)
      WatchedProcess(pid: pid)?.send(SIGTERM)
    }
    try wait(for: "the extension to end") {
      let facts = try status().extension
      // A stopped process handles no SIGTERM, and the phone may stop the extension at any moment.
      if facts.state == AppState.suspended.word, let pid = facts.pid {
        endedExtensions.insert(pid)
        WatchedProcess(pid: pid)?.send(SIGKILL)
      }
      return facts.state == ExtensionState.notRunning.word
    }
  }

  /// Ends both wallet processes, and waits until the daemons have no timers: nothing is pending.
  package func comeToRest() throws {
    try quitAndEnd()
    try endExtension()
    // Some timers run for many seconds: poll rarely.
    try wait(for: "the daemons to have no timers", every: .milliseconds(50)) {
      // A submitted background task keeps its timer.
      let timers = try phone.tasks().contains { $0.state == "waiting" } ? 1 : 0
      return try status().timers == timers && phone.peerFacts().timers == 0
    }
  }

  // MARK: Waiting

  /// Checks whenever a journal grows, and at short intervals.
  package func wait(
    for what: String, within timeout: TimeSpan = Wait.timeout, every interval: TimeSpan? = nil,
    until condition: () throws -> Bool
  ) throws {
    try Wait.until(
      what, within: timeout, pause: { try look(until: $0, every: interval ?? lookInterval) }, condition)
  }

  /// Returns when a journal has grown, or after `interval`.
  package func look(until end: Instant, every interval: TimeSpan) throws {
    try watch.wait(until: min(end, Clock.monotonicNow + interval))
  }
}
