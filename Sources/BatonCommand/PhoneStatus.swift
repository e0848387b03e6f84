import JSON
import DaemonRuntime
import SharedContainer

/// What can be learned about a phone at one moment, from whoever can be asked.
struct PhoneStatus {
  /// Nil before the app or the extension has run for the first time.
  private(set) var container: ContainerReport?
  private(set) var containerTrouble: String?
  private let iosdAnswer: DaemonAnswer
  private let lspdAnswer: DaemonAnswer
  private let phone: Phone
  private let handRun: [HandRunProcess]

  init(_ phone: Phone) {
    self.phone = phone
    handRun = HandRunProcess.all(of: phone)
    iosdAnswer = DaemonAnswer(to: ControlMessage("status"), from: .iosd, of: phone)
    lspdAnswer = DaemonAnswer(to: ControlMessage("status"), from: .lspd, of: phone)
    do throws(ContainerError) {
      container = try ContainerReport(of: phone.container, clock: phone.clock, ends: HolderEnds(of: phone))
    } catch .missing where !Self.hasRun(phone), .notAContainer where !Self.hasRun(phone),
      .neverBegun where !Self.hasRun(phone)
    {
      container = nil
    } catch { containerTrouble = error.description }
  }

  private static func hasRun(_ phone: Phone) -> Bool {
    !((try? SmallFile.readOwn(phone.processLedger, limit: 1)) ?? []).isEmpty
  }

  private var iosd: JSONValue? { iosdAnswer.facts }
  private var lspd: JSONValue? { lspdAnswer.facts }

  /// What the person reads in the app.
  var appText: String? { iosd?["app"]?["status"]?["text"]?.text }
  var appState: String? { iosd?["app"]?["state"]?.text }

  func tell(_ output: Output) {
    var facts: [(String, String)] = []
    if let container {
      facts.append(("holder", container.holderSentence))
      facts += container.ownerFacts
      if let owner = container.snapshot.owner {
        facts.append(
          ("lock", "\(owner.role.rawValue).lock \(container.words(container.snapshot.lock(of: owner.role)))"))
      }
      facts.append(("wish", container.snapshot.appWantsNode ? "the app wants the node" : "none"))
      if let writer = container.snapshot.writer { facts.append(("writer", "\(writer)")) }
    } else {
      facts.append(("holder", containerTrouble ?? "no process: the wallet has never run"))
    }
    facts += balanceFacts + phoneFacts + peerFacts + sendingFacts + spliceFacts
    output.facts(facts)
    for problem in container?.problems ?? [] {
      output.say(output.paint("problem: \(problem.onOneLine)", .red))
    }
    for spot in blindSpots { output.say(output.paint("the phone cannot see all: \(spot.onOneLine)", .red)) }
  }

  /// What iosd cannot do to a process that it suspends.
  private var blindSpots: [String] { (iosd?["blind_spots"]?.elements ?? []).compactMap(\.text) }

  private var iosdTrouble: String? {
    if let byHand = handRun.first { return byHand.sentence }
    return iosdAnswer.trouble(of: .iosd)
  }

  private var phoneFacts: [(String, String)] {
    if let iosdTrouble { return [("phone", iosdTrouble)] }
    var facts = [("app", process(iosd?["app"])), ("extension", process(iosd?["extension"]))]
    if let badge = iosd?["badge"]?.int, badge > 0 { facts.append(("badge", "\(badge) on the wallet's icon")) }
    if let playing = iosd?["now_playing"] {
      facts.append(("now playing", "the app, at volume \(playing["volume"]?.text ?? "?")"))
    }
    return facts
  }

  private func process(_ facts: JSONValue?) -> String {
    var words = facts?["state"]?.text ?? "unknown"
    if let pid = facts?["pid"]?.int { words += " (process \(pid))" }
    if let push = facts?["push"]?.uint { words += ", push \(push)" }
    if let waiting = facts?["waiting_pushes"]?.int, waiting > 0 { words += ", \(waiting) more waiting" }
    let tasks = Self.tasks(of: facts)
    if !tasks.isEmpty { words += ", at work on: \(tasks.joined(separator: ", "))" }
    if let text = facts?["status"]?["text"]?.text { words += ": \(text)" }
    return words
  }

  private static func tasks(of facts: JSONValue?) -> [String] {
    (facts?["own_tasks"]?.elements ?? []).compactMap(\.text)
  }

  /// From the wallet's own rows, as all of the wallet's money: also while nobody runs.
  private var balanceFacts: [(String, String)] {
    guard let channel = container?.wallet.channels.first else { return [] }
    let receivable = HumanText.amount(msat: channel.remoteMsat)
    return [("balance", "\(HumanText.amount(msat: channel.localMsat)); it can receive \(receivable)")]
  }

  private var sendingFacts: [(String, String)] {
    guard let wallet = container?.wallet, !wallet.sending.isEmpty else { return [] }
    let count = HumanText.count(wallet.sending.count, "payment")
    return [("sending", "\(count) of its own on the way, \(HumanText.amount(msat: wallet.sendingMsat))")]
  }

  /// The same of money that is half-way out of the channel.
  private var spliceFacts: [(String, String)] {
    guard let splice = container?.wallet.splices.last, !splice.isOver else { return [] }
    let amount = HumanText.amount(msat: splice.amountSat &* 1000)
    return [
      (
        "withdrawing",
        "\(amount) to the chain with transaction \(splice.transaction.prefix(8)): \(splice.state)"
      )
    ]
  }

  private var peerFacts: [(String, String)] {
    if let trouble = lspdAnswer.trouble(of: .lspd) { return [("peer", trouble)] }
    let isConnected = lspd?["wallet_connected"]?.flag == true
    var connection = "not connected"
    if isConnected {
      connection = lspd?["channel_established"]?.flag == true ? "connected, channel established" : "connected"
      if let epoch = lspd?["epoch"]?.uint { connection += " (epoch \(epoch))" }
    }
    return [
      ("peer", "\(lspd?["address"]?.text ?? "?"): \(connection)"),
      (
        "payments",
        "\(lspd?["held"]?.word ?? "0") held for the wallet, \(lspd?["offered"]?.word ?? "0") on their way to it"
      ),
    ]
  }

  var json: String {
    var object = JSONObject()
    object.set("home", phone.home)
    if let container {
      object.set("holder", raw: container.holderJSON.text)
      object.set("app_wants_node", container.snapshot.appWantsNode)
      object.set("writer", ifPresent: container.snapshot.writer?.pid)
      object.set("balance_msat", ifPresent: container.wallet.channels.first?.localMsat)
      object.set("receivable_msat", ifPresent: container.wallet.channels.first?.remoteMsat)
      object.set("sending_payments", container.wallet.sending.count)
      object.set("sending_msat", container.wallet.sendingMsat)
      let splice = container.wallet.splices.last.flatMap { $0.isOver ? nil : $0 }
      object.set("splice", ifPresent: splice?.transaction)
      object.set("splice_state", ifPresent: splice?.state)
      object.set("problems", container.problems)
    }
    object.set("container_trouble", ifPresent: containerTrouble)
    object.set("iosd_running", iosdAnswer.isRunning)
    object.set("iosd_trouble", ifPresent: iosdTrouble)
    object.set("by_hand", raw: HandRunProcess.json(handRun))
    object.set("app", ifPresent: appState)
    object.set("app_status", ifPresent: appText)
    object.set("at_work_on", Self.tasks(of: iosd?["app"]))
    object.set("extension", ifPresent: iosd?["extension"]?["state"]?.text)
    object.set("extension_pid", ifPresent: iosd?["extension"]?["pid"]?.int)
    object.set("app_pid", ifPresent: iosd?["app"]?["pid"]?.int)
    object.set("blind_spots", blindSpots)
    object.set("badge", ifPresent: iosd?["badge"]?.int)
    object.set("now_playing", ifPresent: iosd?["now_playing"]?["by"]?.text)
    object.set("lspd_running", lspdAnswer.isRunning)
    object.set("lspd_trouble", ifPresent: lspdAnswer.trouble(of: .lspd))
    object.set("wallet_connected", lspd?["wallet_connected"]?.flag ?? false)
    object.set("channel_established", lspd?["channel_established"]?.flag ?? false)
    object.set("peer_epoch", ifPresent: lspd?["epoch"]?.uint)
    object.set("held_payments", ifPresent: lspd?["held"]?.int)
    object.set("offered_payments", ifPresent: lspd?["offered"]?.int)
    object.set("wallet_msat", ifPresent: lspd?["wallet_msat"]?.uint)
    return object.text
  }
}
