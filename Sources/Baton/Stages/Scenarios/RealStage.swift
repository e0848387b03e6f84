// Baton/Stages: stories, the demo and soaks on real processes, and stories in virtual time.

import DaemonRuntime
import Glibc
import Ground
import Guardrails
import Judge
import Lightning
import PhonePolicy
import SharedContainer
import Wallet

/// Plays a story on real processes: its own phone and peer in a scratch home, signals as faults. It observes only from
/// outside: the answers of iosd and lspd, and snapshots of the container.
final class RealStage: ScenarioStage {
  let driver: PhoneDriver
  var phone: Baton.Phone { driver.phone }
  private(set) var invoices: [PayableInvoice] = []
  /// Those that try again.
  var senders: [RetryingSender] = []
  /// How senders try again; nil: not at all.
  private let retryPolicy: String?
  let senderOptions: [String]
  var externalInvoices: [SignedInvoice] = []
  /// Every payment request, with lspd's first answer; `of` is 0 for a payment that is not in parts.
  private var attempts: [(number: Int, part: Int, of: Int, answer: PaymentAnswer)] = []

  /// While the peer is down: what it said last.
  private var lastPeer: (facts: PeerFacts, payments: [PeerPaymentRow])?

  /// The pause between two looks while no journal grows: a process's status reaches iosd shortly after its journal
  /// record. Doubles up to `longest` while no record is written.
  private static let lookAgain = (first: TimeSpan.milliseconds(2), longest: TimeSpan.milliseconds(64))
  private var pause = RealStage.lookAgain.first
  let holdSeconds: Int64

  /// Prints the phone's events while the story plays.
  private(set) var narrator: StoryNarrator?

  /// Programs in place of Baton's.
  let pair: OwnPair?

  init(
    home: String, isLegacy: Bool, settings: StorySettings, narrates output: Output? = nil,
    pair: OwnPair? = nil
  ) throws {
    self.pair = pair
    let phone = Baton.Phone(home: home)
    narrator = output.map { StoryNarrator(phone, $0) }
    entitlements = "\(phone.home)/entitlements.json"
    holdSeconds = settings.holdSeconds
    senderOptions = settings.senders
    retryPolicy = settings.world.retries == .off ? nil : settings.world.retries.rawValue
    var options = PhoneStarter.Options()
    options.wallet = settings.world.wallet
    options.lspdArguments =
      ["--hold-seconds", "\(holdSeconds)"] + (isLegacy ? ["--legacy"] : []) + settings.peer
    options.iosdArguments =
      settings.phone + (settings.hidesSeed ? ["--entitlements-file", entitlements] : [])
    options.iosdArguments += pair?.iosdArguments ?? []
    driver = try PhoneDriver(phone, options)
  }

  private let entitlements: String

  var now: Instant { Clock.monotonicNow }

  /// The judge finds violations at the end.
  var broken: String? { nil }

  func begin() throws {
    try PlainFile.replace(entitlements, with: Array(StorySettings.entitlements.utf8))
    narrator?.headline("A phone and its Lightning peer start in \(phone.home)")
    let pids = try driver.start().pids
    narrator?.remark(Daemon.allCases.map { "\($0.rawValue) \(pids[$0] ?? 0)" }.joined(separator: ", "))
    narrator?.headline("The user opens the wallet, makes the invoices, and swipes the app away")
  }

  func come(to step: Scenario.Step, comment: String?) {
    guard let narrator else { return }
    narrator.follow()
    if let comment { narrator.headline(comment) }
  }

  func makeInvoice(_ payment: PlannedPayment) throws {
    invoices.append(
      try driver.makeInvoice(
        amountMsat: payment.amountMsat, expiresAfter: payment.expiresAfter, text: payment.text))
  }

  /// The app answers when it has stored the invoice.
  func hasInvoice(_ number: Int) -> Bool { invoices.indices.contains(number - 1) }

  func goOn(until: Instant) throws {
    let end = min(until, now + pause)
    try driver.look(until: until, every: pause)
    narrator?.follow()
    pause = now < end ? Self.lookAgain.first : min(pause + pause, Self.lookAgain.longest)
  }

  // MARK: Actions

  func make(_ action: StoryAction) throws {
    pause = Self.lookAgain.first
    switch action {
    case .open: try driver.open()
    case .home: try driver.goHome()
    case .quit: try driver.quit()
    case .homeAndBack(let times):
      for _ in 0..<times {
        try driver.goHome()
        try driver.open()
      }
    case .pay(let number), .payExpired(let number):
      if let retryPolicy { try retry(number, by: retryPolicy) } else { try pay(number) }
    case .payInParts(let number, let parts): try pay(number, part: 1, of: parts)
    case .payNextPart(let number):
      guard let last = attempts.last(where: { $0.number == number && $0.of > 0 }), last.part < last.of
      else { throw ScenarioWords.noMoreParts }
      try pay(number, part: last.part + 1, of: last.of)
    case .payInvoice(let number): try payInvoice(number)
    case .kill(let role): try kill(role)
    case .freeze(let role): try freeze(role)
    case .thaw(let role):
      try checkNotSuspended(role)
      try process(role).send(SIGCONT)
    case .replaceLock(let role): try replace(ContainerLayout(directory: phone.container).roleLock(of: role))
    case .emptyHeartbeat:
      guard truncate(ContainerLayout(directory: phone.container).heartbeat, 0) == 0 else {
        throw SystemError("empty the heartbeat")
      }
    case .restartPeer: try driver.restartPeer()
    case .stopPeer:
      // What lspd says until it runs again.
      lastPeer = try askPeer()
      try driver.stopPeer()
    case .startPeer:
      try driver.start()
      lastPeer = nil
    case .failNext(let times, let code):
      _ = try ScenarioWords.code(code)
      try phone.ask(.lspd, ControlMessage("fail-next", ["code": code, "times": "\(times)"]))
    case .failChannel:
      try request { try phone.ask(.lspd, ControlMessage("fail-channel")) }
    case .stepClock(let seconds):
      try phone.ask(.iosd, ControlMessage("clock", ["step-seconds": "\(seconds)"]))
    case .device(let change): try set(change)
    case .silentPush: try driver.push(#"{"aps":{"content-available":1},"reason":"IncomingPayment"}"#)
    case .visiblePush:
      try driver.push(
        #"{"aps":{"alert":{"title":"Incoming payment"},"mutable-content":1},"reason":"IncomingPayment"}"#)
    case .touch(let touch): try self.touch(touch)
    case .press(let title): try press(title)
    case .launchTask(let identifier):
      try request { try phone.ask(.iosd, ControlMessage("task-launch", ["identifier": identifier])) }
    case .expireTask(let identifier):
      try request { try phone.ask(.iosd, ControlMessage("task-expire", ["identifier": identifier])) }
    case .reboot(let staysLocked):
      try phone.ask(.iosd, ControlMessage("reboot", ["unlock": staysLocked ? "no" : "yes"]))
    case .payInReboot(let number): try payInReboot(number)
    case .freezeInside, .copyDatabase, .restoreCopy, .breakConnection, .loseMessage, .repeatMessage,
      .losePush, .sleepDevice:
      throw CannotBeDone("only the simulation can do this")
    }
  }

  private func pay(_ number: Int, part: Int = 0, of parts: Int = 0) throws {
    let invoice = invoices[number - 1]
    let amounts = parts > 0 ? PayableInvoice.amounts(of: invoice.amountMsat, in: UInt64(parts)) : nil
    let answer = try driver.pay(invoice, partMsat: amounts?[part - 1], holdSeconds: holdSeconds)
    attempts.append((number, part, parts, answer))
  }

  private func askPeer() throws -> (facts: PeerFacts, payments: [PeerPaymentRow]) {
    (try phone.peerFacts(), try phone.peerPayments())
  }

  /// Of senders that try again one for each attempt that lspd has got.
  private func payments(_ rows: [PeerPaymentRow]) -> [Scene.Payment] {
    let retried = retryPolicy == nil ? [] : rows
    let tried = retried.compactMap { row in
      number(of: row.paymentHash).map {
        Scene.Payment(number: $0, state: row.state, failure: row.failure ?? "")
      }
    }
    let own = attempts.map { attempt in
      let answer = attempt.answer
      let row = rows.first { "\($0.id)" == answer.payment }
      return Scene.Payment(
        number: attempt.number, state: row?.state ?? (answer.isSettled ? "paid" : answer.state),
        failure: row?.failure ?? answer.reason ?? "", part: attempt.part)
    }
    return Scene.Payment.joined(tried + own)
  }

  /// The payment of that hash.
  private func number(of hash: String) -> Int? {
    invoices.firstIndex { $0.paymentHash.hex == hash }.map { $0 + 1 }
  }

  /// Pays during the reboot; the push may arrive before or after the phone is on again.
  private func payInReboot(_ number: Int) throws {
    let client = try ControlClient(path: phone.iosdSocket, daemon: "iosd")
    try client.send(ControlMessage("reboot", ["unlock": "yes"]))
    try pay(number)
    let answer = try client.receive(timeout: .seconds(20))
    if let sentence = answer.errorSentence { throw CannotBeDone(sentence) }
  }

  private func process(_ role: Role) throws -> WatchedProcess {
    guard let pid = try driver.pid(of: role), let process = WatchedProcess(pid: pid) else {
      throw CannotBeDone("the \(role.rawValue) no longer runs")
    }
    return process
  }

  /// Waits until iosd knows that the process has ended.
  private func kill(_ role: Role) throws {
    let victim = try process(role)
    victim.send(SIGKILL)
    try driver.wait(for: "the end of the killed process \(victim.pid)", within: .seconds(20)) {
      try driver.pid(of: role) != victim.pid
    }
  }

  /// Stops the process outside a transaction (`freezeInside` is another line of a story): if it was hit inside, it is
  /// continued for a moment.
  private func freeze(_ role: Role) throws {
    try checkNotSuspended(role)
    let victim = try process(role)
    try driver.wait(for: "process \(victim.pid) to be stopped outside a transaction", within: .seconds(20)) {
      victim.send(SIGSTOP)
      try driver.wait(for: "process \(victim.pid) to stop") {
        ProcessTable.isStopped(victim.pid) || victim.hasEnded
      }
      if try snapshot()?.writer?.pid != victim.pid { return true }
      victim.send(SIGCONT)
      return false
    }
  }

  private func replace(_ path: String) throws {
    let replacement = "\(path)-replacement"
    let descriptor = open(replacement, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemError("create \(replacement)") }
    close(descriptor)
    guard rename(replacement, path) == 0 else { throw SystemError("replace \(path)") }
  }

  // MARK: State

  func look() throws -> Scene {
    let status = try driver.status()
    let rows = try phone.allProcesses()
    let peer = try lastPeer ?? askPeer()
    let snapshot = try snapshot()
    let owner = snapshot?.owner
    let wallet = WalletView(snapshot?.tables ?? [])
    let isHeld = owner.map { !(snapshot?.lock(of: $0.role).holders.isEmpty ?? true) } ?? false
    func process(_ role: Role) -> Scene.Process {
      self.process(status.process(role), rows, role, epoch: owner?.epoch)
    }
    var scene = Scene(
      holder: isHeld ? owner?.role : nil, newestClaim: owner?.role, epoch: owner?.epoch ?? 0,
      app: process(.app), notifier: process(.extension), payments: payments(peer.payments),
      receivedTimes: invoices.map { invoice in
        wallet.payments.count { $0.paymentHash == invoice.paymentHash.hex }
      }, isChannelEven: Self.isEven(wallet.channels.first, peer.facts),
      phone: PhoneScene(
        device: status.device ?? DeviceState(), badge: status.badge, pushes: try phone.pushes(),
        notifications: try phone.notifications(), tasks: try phone.tasks(),
        playsAudio: status.nowPlaying != nil,
        isAppWarned: status.app.memoryWarned ?? false))
    scene.keptParts = invoices.numbers { wallet.keptHashes.contains($0.paymentHash.hex) }
    if status.app.state == AppState.foreground.word, let said = status.app.screen {
      scene.screen = [said["text"], said["detail"]].compactMap { $0 }
    }
    // By the clock of the senders, who are on this machine.
    let seconds = Clock().wallNanoseconds / 1_000_000_000
    scene.expiredInvoices = invoices.numbers { $0.expiresAtWallSeconds <= seconds }
    scene.records = try records()
    scene.senders = try senders.map { try $0.scene() }
    scene.balanceMsat = wallet.channels.first?.localMsat
    scene.invoices = externalInvoices.map { invoice in
      wallet.sent.last { $0.paymentHash == invoice.paymentHash.hex }?.state
    }
    return scene
  }

  /// Empty for a wallet whose extension receives.
  private func records() throws -> [Scene.IncomingRecord] {
    var entries: [IncomingEntry] = []
    try driver.wait(for: "records that can be read", within: .seconds(10)) {
      do throws(IncomingStoreError) {
        entries = try IncomingStore(container: phone.container).all()
        return true
      } catch { return !FilePath.exists("\(phone.container)/\(IncomingStore.fileName)") }
    }
    return entries.compactMap { entry in
      number(of: entry.record.paymentHash.hex).map {
        Scene.IncomingRecord(number: $0, isHeld: entry.record.isHeld)
      }
    }
  }

  /// Nil before the wallet has run. Waits while the container is being created.
  private func snapshot() throws -> Snapshot? {
    var found: Result<Snapshot?, ContainerError> = .success(nil)
    try? driver.wait(for: "a container that can be read", within: .seconds(10)) {
      do throws(ContainerError) { found = .success(try Snapshot.take(of: phone.container)) } catch {
        switch error {
        case .missing, .notAContainer, .neverBegun: found = .success(nil)
        default: found = .failure(error)
        }
      }
      if case .failure = found { return false }
      return true
    }
    return try found.get()
  }

  private func process(
    _ facts: WalletFacts, _ rows: [ProcessRow], _ role: Role, epoch: UInt64?
  ) -> Scene.Process {
    let all = rows.filter { $0.role == role.rawValue }
    let lastEnd = all.last { $0.reason != nil }?.reason
    guard facts.state != "not running", let pid = facts.pid else {
      let isStarting = all.last.map { $0.reason == nil } ?? false
      return Scene.Process(state: isStarting ? "launching" : nil, lastEnd: lastEnd)
    }
    let pids: [(pid: Int32, role: Role)] = rows.compactMap { row in
      Role(rawValue: row.role).map { (row.pid, $0) }
    }
    let claimed = facts.status?["epoch"].flatMap { UInt64($0) }
    // Without a peer to be connected to the claim is all.
    let isReady = pair?.level == .container || facts.statusCode?.isConnected == true
    return Scene.Process(
      state: facts.state, isStopped: ProcessTable.isStopped(pid),
      shows: Scene.named(facts.status?["text"] ?? "", pids.reversed()),
      isConnected: isReady && claimed != nil && claimed == epoch, lastEnd: lastEnd)
  }

  private static func isEven(_ wallet: WalletView.ChannelFacts?, _ peer: PeerFacts) -> Bool {
    guard let wallet, wallet.htlcs == 0, peer.htlcs == 0 else { return false }
    return wallet.localMsat == peer.walletMsat
  }
}

// Payments by the user on real processes.
extension RealStage {
  func makeExternalInvoice(_ invoice: PlannedInvoice) throws {
    let answer = try phone.ask(
      .lspd,
      ControlMessage(
        "external-invoice",
        [
          "amount-msat": "\(invoice.amountMsat)", "expiry-seconds": "86400",
          "forgotten": invoice.isForgotten ? "yes" : "no",
        ]))
    externalInvoices.append(try SignedInvoice(typed: answer["invoice"] ?? ""))
  }

  /// Waits for the app's answer, as `baton send --no-wait` does.
  func payInvoice(_ number: Int) throws {
    let message = ControlMessage("send", ["invoice": externalInvoices[number - 1].encoded])
    try request { try phone.askApp(message, inFront: true) }
  }
}

// Requests to iosd, and its answers.
extension RealStage {
  // MARK: Actions

  func set(_ change: DeviceChange) throws {
    func flag(_ name: String, _ isOn: Bool) throws { try driver.switchDevice(name, isOn ? "yes" : "no") }
    switch change {
    case .locked: try flag("locked", true)
    case .unlocked: try flag("locked", false)
    case .lowPowerMode(let isOn): try flag("low-power", isOn)
    case .backgroundRefresh(let isAllowed): try flag("background-refresh", isAllowed)
    case .notifications(let areAllowed): try flag("notifications", areAllowed)
    case .lockScreen(let isOn): try flag("lock-screen", isOn)
    case .centre(let isOn): try flag("centre", isOn)
    case .banners(let isOn): try flag("banners", isOn)
    case .focus(let isOn): try flag("focus", isOn)
    case .charger(let isPlugged): try flag("charger", isPlugged)
    case .network(let isThere): try flag("network", isThere)
    case .storage(let isFull): try flag("storage-full", isFull)
    case .otherAudio(let plays): try flag("audio", plays)
    case .battery(let percent): try driver.switchDevice("battery", "\(percent)")
    }
  }

  func touch(_ touch: NotificationTouch) throws {
    guard let newest = try phone.notifications().last(where: \.isThere)?.id else {
      throw ScenarioWords.nothingToTouch
    }
    var message = ControlMessage("touch", ["id": "\(newest)"])
    switch touch {
    case .tap: message["do"] = "tap"
    case .dismiss: message["do"] = "dismiss"
    case .action(let name): (message["do"], message["action"]) = ("action", name)
    }
    try request { try phone.ask(.iosd, message) }
  }

  func press(_ title: String) throws {
    guard let button = ScreenButton(title: title) else { throw ScenarioWords.noButton(title) }
    let message = ControlMessage("press", ["button": button.rawValue])
    try request { try phone.askApp(message, inFront: true) }
  }

  /// A refusal is part of the story.
  func request(_ ask: () throws -> ControlMessage) throws {
    do { _ = try ask() } catch ControlClientError.refused(let sentence),
      ControlClientError.outcomeUnknown(let sentence)
    { throw CannotBeDone(sentence) }
  }

  func checkNotSuspended(_ role: Role) throws {
    if try driver.state(of: role) == AppState.suspended.word { throw ScenarioWords.isSuspended }
  }
}

// The verdict on a story on real processes.
extension RealStage {
  /// Stops the phone and judges its evidence.
  func judge() throws -> StageVerdict {
    // A nonzero exit is a crash, too, unless the locked phone withheld the seed.
    let crashes = try phone.allProcesses().filter { row in
      let hasFailed = row.how == "exited" && row.number != 0
      return row.hasCrashed == true || hasFailed && row.ownCode != WalletEnding.seedWithheld.rawValue
    }.map { "the \($0.role) (process \($0.pid)) \($0.reason ?? "crashed")" }
    let (scene, silences) = (try look(), driver.silences)
    narrator?.headline("The phone goes down")
    end()
    narrator?.follow()
    narrator?.headline("The judge reads the peer's ledger, the wallet's database and the journals")
    let verdict: Verdict
    do {
      verdict = try JudgeVerb.verdict(
        on: phone.home, requireSettled: true, without: pair?.evidenceMissing ?? [])
    } catch {
      // A program that crashes at its start leaves nothing to judge.
      guard crashes.isEmpty else { return .crashed(crashes) }
      guard silences.isEmpty else { return .unjudged(silences) }
      throw error
    }
    let names = FilePath.journals(in: phone.journal)
    let replays = try names.map { try JournalReplay.run("\(phone.journal)/\($0)") }
    let different = zip(names, replays).compactMap { name, replay in replay.trouble.map { "\(name) \($0)" } }
    narrator?.tell(verdict, replays, different)
    let broken = verdict.findings.filter { $0.invariant != .progress }.map {
      "[\($0.invariant.title)] \($0.sentence)"
    }
    let missing = verdict.missing.map { "no verdict: \($0.sentence)" }
    guard broken.isEmpty, different.isEmpty else { return .broken(broken + missing + different) }
    guard crashes.isEmpty else { return .crashed(crashes + missing) }
    guard missing.isEmpty else { return .unjudged(missing) }
    var open = verdict.unsettled
    if !scene.isChannelEven, pair?.level != .container { open.append(ScenarioWords.unevenChannel) }
    let settled = scene.payments.count(where: \.isPaid)
    if settled != verdict.counts.paid {
      open.append("senders received \(settled) settlements, but the ledger has \(verdict.counts.paid)")
    }
    return verdict.passed ? scene.verdict(open) : .unsettled(open)
  }

  /// Ends all processes in any state. Frozen ones are killed first: the others would wait for them.
  func end() {
    for sender in senders { sender.end() }
    for role in [Role.app, .extension] {
      guard let pid = try? driver.pid(of: role), ProcessTable.isStopped(pid) else { continue }
      WatchedProcess(pid: pid)?.send(SIGKILL)
    }
    driver.stop()
  }
}

// Senders that try again.
extension RealStage {
  /// Also "Retry Now" after a failure.
  func retry(_ number: Int, by policy: String) throws {
    if let earlier = senders.first(where: { $0.number == number }) {
      guard try earlier.scene().state == "failed" else { throw ScenarioWords.senderHasNotFailed }
      earlier.end()
    }
    senders.removeAll { $0.number == number }
    senders.append(
      try RetryingSender(
        of: number, invoices[number - 1], by: policy, holdSeconds: holdSeconds, options: senderOptions,
        on: phone))
    senders.sort { $0.number < $1.number }
  }
}
