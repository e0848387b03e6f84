import DaemonRuntime
import Ground
import PhonePolicy
import SharedContainer

/// Who holds the node, why, and since when.
enum StatusVerb: Verb {
  static let declaration = CommandLineDeclaration(
    name: "status", summary: "show who holds the node, why, and since when; also without the daemons",
    examples: [("baton status --json", "for a script")])

  static let copiesDatabases = true

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let status = PhoneStatus(try invocation.presentPhone)
    invocation.output.isJSON ? invocation.output.say(status.view) : status.tell(invocation.output)
    return .done
  }
}

/// The state of a phone as text.
struct PhoneStatus {
  let view: RunView
  /// Nil before the app or the extension has run for the first time.
  private let container: ContainerReport?

  init(_ phone: Phone) {
    let container = Result { () throws(ContainerError) in
      try ContainerReport(of: phone.container, clock: phone.clock, ends: phone.endReasons)
    }
    view = RunView(phone, container: container)
    self.container = try? container.get()
  }

  func tell(_ output: Output) {
    var facts: [(String, String)] = [("holder", view.containerTrouble ?? view.holder.sentence)]
    if let container {
      facts += container.ownerFacts
      if let owner = container.snapshot.owner {
        facts.append(
          ("lock", "\(owner.role.rawValue).lock \(container.words(container.snapshot.lock(of: owner.role)))"))
      }
      facts.append(("intent", container.snapshot.appWantsNode ? "the app wants the node" : "none"))
      if let writer = container.snapshot.writer { facts.append(("writer", "\(writer)")) }
    }
    if let wallet = view.wallet { facts.append(("wallet", wallet)) }
    output.facts(facts + walletFacts + phoneFacts + peerFacts)
    for problem in view.problems { output.say(output.paint("problem: \(problem.onOneLine)", .red)) }
    for spot in view.iosd?.blindSpots ?? [] {
      output.say(output.paint("not emulated on this machine: \(spot.onOneLine)", .red))
    }
  }

  /// From the wallet's own rows: also while no process runs.
  private var walletFacts: [(String, String)] {
    var facts: [(String, String)] = []
    if let balance = view.balanceMsat, let receivable = view.receivableMsat {
      let (has, can) = (HumanText.amount(msat: balance), HumanText.amount(msat: receivable))
      facts.append(("balance", "\(has); the wallet can receive \(can)"))
    }
    if let count = view.sendingPayments, count > 0 {
      let amount = HumanText.amount(msat: view.sendingMsat ?? 0)
      facts.append(("sending", "\(HumanText.count(count, "payment")) pending, \(amount)"))
    }
    if let splice = container?.wallet.splices.last, !splice.isOver {
      let amount = HumanText.amount(msat: splice.amountMsat)
      facts.append(
        ("withdrawing", "\(amount) on chain by transaction \(splice.txid.prefix(8)): \(splice.state)"))
    }
    return facts
  }

  private var phoneFacts: [(String, String)] {
    guard view.iosdTrouble == nil, let iosd = view.iosd else {
      let state = view.iosdRunning || !view.byHand.isEmpty ? "unknown" : "not running"
      return [("phone", view.iosdTrouble ?? state), ("app", state), ("extension", state)]
    }
    var facts = [("app", process(.app, iosd.app)), ("extension", process(.extension, iosd.extension))]
    if iosd.badge > 0 { facts.append(("badge", "\(iosd.badge) on the wallet's icon")) }
    if let playing = iosd.nowPlaying { facts.append(("now playing", "the app, at volume \(playing.volume)")) }
    return facts
  }

  private func process(_ role: PhoneProcess, _ facts: WalletFacts) -> String {
    let frozen = facts.isFrozen ? ", frozen: `baton thaw \(role.rawValue)` continues it" : ""
    return facts.state + (facts.pid.map { " (process \($0))" } ?? "") + frozen
      + facts.works.map { ", \($0)" }.joined() + (facts.status?["text"].map { ": \($0)" } ?? "")
  }

  private var peerFacts: [(String, String)] {
    guard let lspd = view.lspd else { return [("peer", view.lspdTrouble ?? view.peer)] }
    var facts = [
      ("peer", "\(lspd.address): \(lspd.connection)"),
      (
        "payments",
        "\(lspd.held) held for the wallet, \(lspd.offered) offered to it\(lspd.offeredFor)\(orderWords(lspd))"
      ),
    ]
    if let count = lspd.wallets {
      let home = lspd.servedBy.map { "; it is the lspd of the phone in \($0)" } ?? ""
      facts.append(("wallets", "\(count) at the peer, \(lspd.walletsConnected ?? 0) connected\(home)"))
    }
    return facts
  }

  /// Else a payment that fails by an order of yesterday looks like a mistake of the peer.
  private func orderWords(_ lspd: PeerFacts) -> String {
    guard let count = lspd.failsNext, let name = lspd.failsWith else { return "" }
    return "; the next \(count == 1 ? "fails" : "\(count) fail") with \(name), as ordered"
  }
}
