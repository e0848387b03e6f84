import CLinux
import DaemonRuntime
import Glibc
import Ground
import PhoneClient
import SharedContainer

/// Does what the user of a live screen asks for. Used by one thread at a time, and never by the one that draws: a daemon
/// may take seconds to answer.
package final class LiveHand: @unchecked Sendable {
  private static let amountMsat: UInt64 = 1_000_000
  /// A closed app cannot make an invoice: these are made as it leaves the front.
  private static let sparesMax = 5
  /// iOS delivers it to the extension, which finds no payment, or the one that the peer holds.
  private static let payload =
    #"{"aps":{"alert":{"title":"A push by hand"},"mutable-content":1},"reason":"IncomingPayment"}"#

  private let phone: Phone
  private var spares: [PayableInvoice] = []

  package init(_ phone: Phone) { self.phone = phone }

  package func perform(_ action: LiveAction) -> LiveOutcome {
    do {
      return LiveOutcome(action, try sentence(action).onOneLine)
    } catch { return LiveOutcome(action, CommandFailure(error).sentence.onOneLine, isFailure: true) }
  }

  private func sentence(_ action: LiveAction) throws -> String {
    switch action {
    case .open: return try move("open")
    case .home, .quit:
      makeSpares()
      return try move(action.rawValue)
    case .pay: return try pay()
    case .push: return try push()
    case .kill: return try signalHolder(SIGKILL, "killed")
    case .freeze: return try signalHolder(SIGSTOP, "stopped; `thaw` continues it")
    case .thaw: return try thaw()
    }
  }

  // MARK: The user

  private func move(_ verb: String) throws -> String {
    let answer = try phone.ask(.iosd, ControlMessage(verb))
    let state = answer["app"] ?? "unknown"
    let words =
      switch state {
      case "foreground": "in front"
      case "background": "in the background"
      default: state
      }
    return "the app is \(words)\(answer["pid"].map { " (process \($0))" } ?? "")"
  }

  private func push() throws -> String {
    let answer = try phone.ask(.iosd, ControlMessage("push", body: Array(Self.payload.utf8)))
    return "push \(answer["id"] ?? "?")\(answer["fate"].map { ": \($0)" } ?? " was delivered to the phone")"
  }

  // MARK: A sender

  private func invoice() throws -> PayableInvoice {
    try PayableInvoice(madeBy: phone, amountMsat: Self.amountMsat)
  }

  /// An app that does not run makes no invoice; `pay` then says what is missing.
  private func makeSpares() {
    while spares.count < Self.sparesMax, let made = try? invoice() { spares.append(made) }
  }

  private func pay() throws -> String {
    let start = Clock.monotonicNow
    let invoice = try nextInvoice()
    let answer = try phone.pay(invoice.payRequest(waits: false))
    if answer.isFailure { throw CommandFailure(.paymentFailed, answer.failureSentence) }
    return answer.sentence(invoice, took: Clock.monotonicNow - start)
  }

  private func nextInvoice() throws -> PayableInvoice {
    do { return try invoice() } catch {
      let now = phone.clock.wallNanoseconds / 1_000_000_000
      spares.removeAll { $0.expiresAtWallSeconds <= now }
      guard spares.isEmpty else { return spares.removeFirst() }
      throw CommandFailure(
        .notDone,
        "there is no invoice to pay (\(CommandFailure(error).sentence)); open the app, and leave it from here: it makes \(Self.sparesMax) as it leaves"
      )
    }
  }

  // MARK: The holder

  private var snapshot: Snapshot {
    get throws { try Snapshot.take(of: phone.container, depth: SnapshotDepth(rowsPerTableMax: 1)) }
  }

  /// By the claim's process identity: its pid alone may be another process by now.
  private func signalHolder(_ signal: Int32, _ done: String) throws -> String {
    let snapshot = try snapshot
    guard let owner = snapshot.owner, !snapshot.lock(of: owner.role).holders.isEmpty,
      let process = try pidfd(of: owner.process)
    else {
      throw CommandFailure(
        .notDone, "no process holds the node; open the app, or pay the wallet, and try again")
    }
    defer { close(process) }
    try send(signal, to: process, owner.process.pid)
    return "the \(owner.role.rawValue) (process \(owner.process.pid), epoch \(owner.epoch)) is \(done)"
  }

  /// The one that was frozen need not be the holder any more. A process that iosd has suspended stays so.
  private func thaw() throws -> String {
    let facts = try? phone.facts(timeout: .seconds(5))
    let suspended = [facts?.app, facts?.extension].compactMap { $0?.state == "suspended" ? $0?.pid : nil }
    var continued: [String] = []
    for claim in try snapshot.claims.reversed() {
      let identity = claim.row.process
      guard !suspended.contains(identity.pid), ProcessTable.isStopped(identity.pid),
        let process = try pidfd(of: identity)
      else { continue }
      defer { close(process) }
      try send(SIGCONT, to: process, identity.pid)
      let words = "the \(claim.row.role.rawValue) (process \(identity.pid))"
      if !continued.contains(words) { continued.append(words) }
    }
    guard !continued.isEmpty else {
      throw CommandFailure(.notDone, "no holder of the node is frozen; `freeze` stops the one that holds it")
    }
    return "\(continued.joined(separator: " and ")) \(continued.count == 1 ? "goes" : "go") on"
  }

  private func pidfd(of process: ProcessIdentity) throws(SystemError) -> Int32? {
    if let found = try ProcessTable.openPidfd(process, boot: phone.clock.boot) { return found }
    // A pair that was started by hand has this machine's boot.
    return try ProcessTable.openPidfd(process, boot: Clock().boot)
  }

  private func send(_ signal: Int32, to pidfd: Int32, _ pid: Int32) throws(SystemError) {
    if baton_pidfd_send_signal(pidfd, signal) != 0 { throw SystemError("signal process \(pid)") }
  }
}
