import DaemonRuntime
import Ground
import PhonePolicy
import SharedContainer

/// Does what the user of a live screen asks for: on a thread for each lane, and never on the one that draws, as a daemon
/// may take seconds to answer.
package final class LiveHand: Sendable {
  private static let amountMsat: UInt64 = 1_000_000
  /// A closed, dead or frozen app makes no invoice: these are made before it leaves the front, is killed or frozen.
  private static let sparesMax = 5
  /// An app that does not answer may not hold up what follows.
  private static let invoicePatience = TimeSpan.seconds(3)
  /// A kill or a freeze is to come now: a slow app makes no invoices before.
  private static let sparesPatience = TimeSpan.seconds(1)
  /// iOS delivers it to the extension, which finds no payment, or the one that the peer holds.
  private static let payload =
    #"{"aps":{"alert":{"title":"A push by hand"},"mutable-content":1},"reason":"IncomingPayment"}"#

  private let phone: Phone
  private let spares = Locked<[PayableInvoice]>([])

  package init(_ phone: Phone) { self.phone = phone }

  package func perform(_ action: LiveAction) -> LiveOutcome {
    do {
      return LiveOutcome(action: action, sentence: try sentence(action).onOneLine)
    } catch {
      return LiveOutcome(action: action, sentence: CommandFailure(error).sentence.onOneLine, isFailure: true)
    }
  }

  private func sentence(_ action: LiveAction) throws -> String {
    switch action {
    case .open: return try move("open")
    case .home, .quit:
      makeSpares()
      return try move(action.rawValue)
    case .pay: return try pay()
    case .push: return try push()
    case .kill, .freeze:
      makeSpares(within: Self.sparesPatience)
      return try action == .kill
        ? signalHolder(.kill, "killed") : signalHolder(.freeze, "stopped; `thaw` continues it")
    case .thaw: return try thaw()
    }
  }

  // MARK: The user

  private func move(_ verb: String) throws -> String {
    AppVerb.sentence(try phone.ask(.iosd, ControlMessage(verb)))
  }

  private func push() throws -> String {
    let answer = try phone.ask(.iosd, ControlMessage("push", body: Array(Self.payload.utf8)))
    return "push \(answer["id"] ?? "?")\(answer["fate"].map { ": \($0)" } ?? " was delivered to the phone")"
  }

  // MARK: A sender

  /// Nil if the app does not run, is stopped, or is not asked in time.
  private func invoice(within patience: TimeSpan = LiveHand.invoicePatience) -> PayableInvoice? {
    let end = Clock.monotonicNow + patience
    guard let pid = try? phone.facts(timeout: patience).app.pid, !ProcessTable.isStopped(pid) else {
      return nil
    }
    return try? PayableInvoice(madeBy: phone, amountMsat: Self.amountMsat, timeout: end - Clock.monotonicNow)
  }

  private func makeSpares(within patience: TimeSpan = LiveHand.invoicePatience) {
    let end = Clock.monotonicNow + patience
    while spares.withLock({ $0.count }) < Self.sparesMax, let made = invoice(within: end - Clock.monotonicNow)
    {
      spares.withLock { $0.append(made) }
    }
  }

  private func pay() throws -> String {
    let start = Clock.monotonicNow
    let invoice = try nextInvoice()
    let request = invoice.payRequest(waits: false)
    let answer = try phone.pay(request)
    if answer.isFailure { throw CommandFailure(.paymentFailed, answer.failureSentence) }
    return answer.sentence(invoice, took: Clock.monotonicNow - start)
  }

  private func nextInvoice() throws(CommandFailure) -> PayableInvoice {
    if let made = invoice() { return made }
    let now = phone.clock.wallNanoseconds / 1_000_000_000
    let spare: PayableInvoice? = spares.withLock { spares in
      spares.removeAll { $0.expiresAtWallSeconds <= now }
      return spares.isEmpty ? nil : spares.removeFirst()
    }
    guard let spare else {
      throw CommandFailure(
        .notDone,
        "there is no invoice to pay, as the app makes none now; open it, and let it leave, be killed or freeze from here: it makes \(Self.sparesMax) before"
      )
    }
    return spare
  }

  // MARK: The holder

  private var snapshot: Snapshot {
    get throws { try Snapshot.take(of: phone.container, depth: SnapshotDepth(rowsPerTableMax: 1)) }
  }

  /// By the claim's process identity: its pid alone may be another process by now.
  private func signalHolder(_ signal: ProcessSignal, _ done: String) throws -> String {
    let snapshot = try snapshot
    guard let owner = snapshot.owner, !snapshot.lock(of: owner.role).holders.isEmpty,
      let process = try watched(owner.process)
    else {
      throw CommandFailure(
        .notDone, "no process holds the node; open the app, or pay the wallet, and try again")
    }
    try signal.send(to: process)
    return "the \(owner.role.rawValue) (process \(owner.process.pid), epoch \(owner.epoch)) is \(done)"
  }

  /// The one that was frozen need not be the holder any more. A process that iosd has suspended stays so.
  private func thaw() throws -> String {
    var continued: [String] = []
    var refusal: CommandFailure?
    for claim in try snapshot.claims.reversed() {
      let identity = claim.row.process
      guard ProcessTable.isStopped(identity.pid), let process = try watched(identity) else { continue }
      let target: PhoneProcess = claim.row.role == .app ? .app : .extension
      if let why = target.suspension(of: process, in: phone) {
        // What iosd has suspended is no frozen holder; without its answer nobody knows.
        if !phone.answers(.iosd) { refusal = why }
        continue
      }
      try ProcessSignal.thaw.send(to: process)
      continued.append("the \(claim.row.role.rawValue) (process \(identity.pid))")
    }
    guard !continued.isEmpty else {
      throw refusal
        ?? CommandFailure(.notDone, "no holder of the node is frozen; `freeze` stops the one that holds it")
    }
    return "\(continued.joined(separator: " and ")) \(continued.count == 1 ? "goes" : "go") on"
  }

  private func watched(_ identity: ProcessIdentity) throws(SystemError) -> WatchedProcess? {
    if let found = try WatchedProcess(identity, boot: phone.clock.boot) { return found }
    // A pair that was started by hand has this machine's boot.
    return try WatchedProcess(identity, boot: Clock().boot)
  }
}

/// What the user of a live screen can do to the phone.
package enum LiveAction: String, Hashable, Sendable, CaseIterable {
  case open
  case home
  case quit
  case pay
  case push
  case kill
  case freeze
  case thaw

  /// Whom an action may have to wait for. Actions of one lane wait for each other, and for no other action.
  package enum Lane: Hashable, Sendable, CaseIterable {
    /// iosd, and the app as it leaves.
    case phone
    /// lspd, and the app for an invoice.
    case sender
    /// The kernel, and the app for a second at most.
    case kernel
  }

  private var row: (key: String, lane: Lane, words: String?, meaning: String) {
    switch self {
    case .open: ("o", .phone, nil, "bring the app to the front")
    case .home: ("h", .phone, nil, "go to the home screen: the app enters the background")
    case .quit: ("x", .phone, "swipe away", "swipe the app away: its process is killed")
    case .pay: ("p", .sender, nil, "pay the wallet 1,000 sat, as a sender")
    case .push: ("u", .phone, nil, "deliver a visible push")
    case .kill: ("k", .kernel, nil, "kill the holder of the node with SIGKILL")
    case .freeze: ("f", .kernel, nil, "stop the holder of the node with SIGSTOP")
    case .thaw: ("t", .kernel, nil, "continue every holder of the node that is stopped")
    }
  }

  package var key: String { row.key }
  package var lane: Lane { row.lane }
  /// In the list of keys.
  package var words: String { row.words ?? rawValue }
  /// A page's explanation.
  package var meaning: String { row.meaning }
}

/// How an action ended.
package struct LiveOutcome: Hashable, Sendable {
  package var action: LiveAction
  package var sentence: String
  package var isFailure = false
}

/// Carries actions out beside an event loop: one after the other in a lane, on a thread of its own.
package final class LiveLanes {
  private let hand: LiveHand
  private let threads: [LiveAction.Lane: SideThread]
  private var underWay: [LiveAction.Lane: Int] = [:]

  package init(_ phone: Phone, loop: EventLoop) {
    hand = LiveHand(phone)
    threads = [LiveAction.Lane: SideThread](
      uniqueKeysWithValues: LiveAction.Lane.allCases.map { ($0, SideThread(loop: loop)) })
  }

  package func waiting(in lane: LiveAction.Lane) -> Int { underWay[lane] ?? 0 }

  package func perform(_ action: LiveAction, then done: @escaping (LiveOutcome) -> Void) throws(SystemError) {
    let hand = hand
    try threads[action.lane]?.perform({ hand.perform(action) }) { [unowned self] outcome in
      underWay[action.lane, default: 0] -= 1
      done(outcome)
    }
    underWay[action.lane, default: 0] += 1
  }
}
