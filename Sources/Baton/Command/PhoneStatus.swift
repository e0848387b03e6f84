import DaemonRuntime
import PhonePolicy
import SharedContainer

/// The state of a phone, from its container and from the daemons that answer.
struct PhoneStatus {
  /// Nil before the app or the extension has run for the first time.
  private(set) var container: ContainerReport?
  private(set) var containerTrouble: String?
  private let iosdAnswer: DaemonAnswer<PhoneFacts>
  private let lspdAnswer: DaemonAnswer<PeerFacts>
  private let phone: Phone
  private let handRun: [HandRunProcess]

  init(_ phone: Phone) {
    self.phone = phone
    handRun = HandRunProcess.all(of: phone)
    iosdAnswer = DaemonAnswer(to: ControlMessage("status"), from: .iosd, of: phone)
    lspdAnswer = DaemonAnswer(to: ControlMessage("status"), from: .lspd, of: phone)
    do throws(ContainerError) {
      container = try ContainerReport(of: phone.container, clock: phone.clock, ends: HolderEnds(of: phone))
    } catch .missing where !phone.hasRun, .notAContainer where !phone.hasRun, .neverBegun where !phone.hasRun
    {
      container = nil
    } catch { containerTrouble = error.description }
  }

  private var frozen: [String] {
    [("app", iosd?.app), ("extension", iosd?.extension)].filter { $0.1?.isFrozen == true }.map { $0.0 }
  }

  private var iosd: PhoneFacts? { iosdAnswer.facts }
  private var lspd: PeerFacts? { lspdAnswer.facts }

  /// The status text that the app shows.
  var appText: String? { iosd?.app.status?["text"] }
  var appState: String? { iosd?.app.state }

  func tell(_ output: Output) {
    var facts: [(String, String)] = []
    if let container {
      facts.append(("holder", container.holderSentence))
      facts += container.ownerFacts
      if let owner = container.snapshot.owner {
        facts.append(
          ("lock", "\(owner.role.rawValue).lock \(container.words(container.snapshot.lock(of: owner.role)))"))
      }
      facts.append(("intent", container.snapshot.appWantsNode ? "the app wants the node" : "none"))
      if let writer = container.snapshot.writer { facts.append(("writer", "\(writer)")) }
    } else {
      facts.append(("holder", containerTrouble ?? "no process: the wallet has never run"))
    }
    if let wallet = HomeWallet.name(of: phone) { facts.append(("wallet", wallet)) }
    facts += balanceFacts + phoneFacts + peerFacts + sendingFacts + spliceFacts
    output.facts(facts)
    for problem in container?.problems ?? [] {
      output.say(output.paint("problem: \(problem.onOneLine)", .red))
    }
    for spot in blindSpots {
      output.say(output.paint("not emulated on this machine: \(spot.onOneLine)", .red))
    }
  }

  /// Effects of a suspension that iosd cannot emulate on this machine.
  private var blindSpots: [String] { iosd?.blindSpots ?? [] }

  private var iosdTrouble: String? {
    if let byHand = handRun.first { return byHand.sentence }
    return iosdAnswer.trouble(of: .iosd)
  }

  private var phoneFacts: [(String, String)] {
    if let iosdTrouble {
      let state = iosdAnswer.isRunning || !handRun.isEmpty ? "unknown" : "not running"
      return [("phone", iosdTrouble), ("app", state), ("extension", state)]
    }
    var facts = [
      ("app", process(.app, iosd?.app)), ("extension", process(.extension, iosd?.extension)),
    ]
    if let badge = iosd?.badge, badge > 0 { facts.append(("badge", "\(badge) on the wallet's icon")) }
    if let playing = iosd?.nowPlaying {
      facts.append(("now playing", "the app, at volume \(playing.volume)"))
    }
    return facts
  }

  private func process(_ role: PhoneProcess, _ facts: WalletFacts?) -> String {
    var words = facts?.state ?? "unknown"
    if let pid = facts?.pid { words += " (process \(pid))" }
    if facts?.isFrozen == true { words += ", frozen: `baton thaw \(role.rawValue)` continues it" }
    if let silence = facts?.silence { words += ", \(silence)" }
    if let push = facts?.push { words += ", push \(push)" }
    if let waiting = facts?.waitingPushes, waiting > 0 { words += ", \(waiting) more waiting" }
    let tasks = facts?.ownTasks ?? []
    if !tasks.isEmpty { words += ", at work on: \(tasks.joined(separator: ", "))" }
    if let text = facts?.status?["text"] { words += ": \(text)" }
    return words
  }

  /// From the wallet's own rows: also while no process runs.
  private var balanceFacts: [(String, String)] {
    guard let channel = container?.wallet.channels.first else { return [] }
    let receivable = HumanText.amount(msat: channel.remoteMsat)
    return [("balance", "\(HumanText.amount(msat: channel.localMsat)); the wallet can receive \(receivable)")]
  }

  private var sendingFacts: [(String, String)] {
    guard let wallet = container?.wallet, !wallet.sending.isEmpty else { return [] }
    let count = HumanText.count(wallet.sending.count, "payment")
    return [("sending", "\(count) pending, \(HumanText.amount(msat: wallet.sendingMsat))")]
  }

  /// The pending splice-out.
  private var spliceFacts: [(String, String)] {
    guard let splice = container?.wallet.splices.last, !splice.isOver else { return [] }
    let amount = HumanText.amount(msat: splice.amountMsat)
    return [
      ("withdrawing", "\(amount) on chain by transaction \(splice.txid.prefix(8)): \(splice.state)")
    ]
  }

  private var peerFacts: [(String, String)] {
    if let trouble = lspdAnswer.trouble(of: .lspd) { return [("peer", trouble)] }
    let isConnected = lspd?.walletConnected == true
    var connection = "not connected"
    if isConnected {
      connection = lspd?.channelEstablished == true ? "connected, channel established" : "connected"
      if let epoch = lspd?.epoch { connection += " (epoch \(epoch))" }
    }
    return [
      ("peer", "\(lspd?.address ?? "?"): \(connection)"),
      (
        "payments",
        "\(lspd?.held ?? 0) held for the wallet, \(lspd?.offered ?? 0) offered to it\(offerWords)\(orderWords)"
      ),
    ] + walletFacts
  }

  private var walletFacts: [(String, String)] {
    guard let count = lspd?.wallets else { return [] }
    let words = "\(count) at the peer, \(lspd?.walletsConnected ?? 0) connected"
    let home = lspd?.servedBy.map { "; it is the lspd of the phone in \($0)" } ?? ""
    return [("wallets", words + home)]
  }

  /// A wallet answers an offer in milliseconds, or it is frozen or waits for other parts.
  private var offerWords: String {
    lspd?.offeredForMs.map { " for \(HumanText.span(.milliseconds($0)))" } ?? ""
  }

  /// Else a payment that fails by an order of yesterday looks like a mistake of the peer.
  private var orderWords: String {
    guard let count = lspd?.failsNext, let name = lspd?.failsWith else { return "" }
    return "; the next \(count == 1 ? "fails" : "\(count) fail") with \(name), as ordered"
  }

  struct Document: Report {
    var home: String
    /// phoenix or bitkit.
    var wallet: String?
    var holder: ContainerReport.Holder?
    var appWantsNode: Bool?
    /// The process inside a transaction.
    var writer: Int32?
    var balanceMsat: UInt64?
    var receivableMsat: UInt64?
    var sendingPayments: Int?
    var sendingMsat: UInt64?
    /// The txid of a pending splice, and its state.
    var splice: String?
    var spliceState: String?
    var problems: [String]?
    var containerTrouble: String?
    var iosdRunning: Bool
    var iosdTrouble: String?
    /// Wallet processes that were not started by iosd.
    var byHand: [HandRunProcess.Document]
    var app: String?
    var appStatus: String?
    var atWorkOn: [String]
    var `extension`: String?
    var extensionPid: Int32?
    var appPid: Int32?
    /// Of app and extension, those that are stopped, and not by iosd.
    var frozen: [String]
    var blindSpots: [String]
    var badge: Int?
    var nowPlaying: String?
    var lspdRunning: Bool
    var lspdTrouble: String?
    var walletConnected: Bool
    var channelEstablished: Bool
    var peerEpoch: UInt64?
    var heldPayments: Int?
    var offeredPayments: Int?
    /// How long ago the oldest of them was offered.
    var offeredForMs: Int64?
    /// The wallet's balance in the peer's state.
    var walletMsat: UInt64?
    /// With `lspd --phone`: how many wallets the peer serves, and how many of them are connected.
    var wallets: Int?
    var walletsConnected: Int?
  }

  var document: Document {
    var document = Document(
      home: phone.home, wallet: HomeWallet.name(of: phone), containerTrouble: containerTrouble,
      iosdRunning: iosdAnswer.isRunning,
      iosdTrouble: iosdTrouble, byHand: handRun.map(\.document), app: appState, appStatus: appText,
      atWorkOn: iosd?.app.ownTasks ?? [], extension: iosd?.extension.state,
      extensionPid: iosd?.extension.pid, appPid: iosd?.app.pid, frozen: frozen, blindSpots: blindSpots,
      badge: iosd?.badge, nowPlaying: iosd?.nowPlaying?.by, lspdRunning: lspdAnswer.isRunning,
      lspdTrouble: lspdAnswer.trouble(of: .lspd), walletConnected: lspd?.walletConnected ?? false,
      channelEstablished: lspd?.channelEstablished ?? false, peerEpoch: lspd?.epoch, heldPayments: lspd?.held,
      offeredPayments: lspd?.offered, offeredForMs: lspd?.offeredForMs, walletMsat: lspd?.walletMsat,
      wallets: lspd?.wallets, walletsConnected: lspd?.walletsConnected)
    guard let container else { return document }
    document.holder = container.holder
    document.appWantsNode = container.snapshot.appWantsNode
    document.writer = container.snapshot.writer?.pid
    document.balanceMsat = container.wallet.channels.first?.localMsat
    document.receivableMsat = container.wallet.channels.first?.remoteMsat
    document.sendingPayments = container.wallet.sending.count
    document.sendingMsat = container.wallet.sendingMsat
    let splice = container.wallet.splices.last.flatMap { $0.isOver ? nil : $0 }
    document.splice = splice?.txid
    document.spliceState = splice?.state
    document.problems = container.problems
    return document
  }
}
