import Ground
import Guardrails
import Lightning
import LightningProvider
import PhonePolicy
import Simulation
import Wallet

/// Plays a story in the simulated world. A seeded generator picks the next of the ready moves; time passes when no move
/// is ready.
struct SimulatedStage: ScenarioStage {
  var world: World
  private(set) var story = WorldStory()
  private var generator: SeededGenerator
  private var moves: [Move] = []

  // Kept from the world's events, as the world does not keep them.
  private var ends = PerRole<String?>(nil, nil)
  private var lastWords = PerRole<String?>(nil, nil)
  private var rows = StageRows()
  private var failures: [UInt64: String] = [:]
  /// The world's payments that the peer has refused without a row in its ledger, by id.
  private var refused: Set<UInt64> = []
  /// What each sender that tries again was told first, by the number of its payment.
  private var told: [Int: Scene.Sender] = [:]
  /// The world's payments that are parts, by id.
  private var parts: [UInt64: (number: Int, part: Int, count: Int)] = [:]

  /// Faults that wait for a message.
  private var losesNextWord = false
  private var repeatsNextWord = false

  /// The most moves between two lines of a story without time passing.
  private static let driftMax = 30

  init(_ settings: WorldSettings, seed: UInt64) {
    world = World(settings: settings)
    world.isRecorded = true
    generator = SeededGenerator(seed: seed)
  }

  /// The peer's clock also runs while the phone is off or asleep.
  var now: Instant { world.peerNow }

  var broken: String? { world.violation.map { "\($0.invariant.sentence) \($0.sentence)" } }

  mutating func begin() {}

  mutating func makeInvoice(_ payment: PlannedPayment) {
    world.makeInvoice(
      amountMsat: payment.amountMsat, text: payment.text,
      expiresAfter: payment.isPaidTooLate ? payment.expiresAfter : nil)
    listen()
  }

  func hasInvoice(_ number: Int) -> Bool {
    world.invoices.indices.contains(number - 1) && world.invoices[number - 1].isStored
  }

  // MARK: Running

  mutating func goOn(until limit: Instant) {
    strikeWords()
    findMoves()
    makeNext(until: limit)
  }

  private mutating func findMoves() {
    moves.removeAll(keepingCapacity: true)
    world.ready(into: &moves)
  }

  private mutating func makeNext(until limit: Instant) {
    guard moves.isEmpty else { return move(moves[generator.below(moves.count)]) }
    var span = limit - world.peerNow
    if let next = world.nextInstant { span = min(span, next - world.now) }
    move(.timePasses(until: world.now + max(span, TimeSpan(nanoseconds: 1))))
  }

  /// Plays some moves between two lines, as time passes there on real processes.
  private mutating func drift() {
    for _ in 0..<generator.below(Self.driftMax) {
      findMoves()
      guard !moves.isEmpty, world.violation == nil else { return }
      if strikeWords() { findMoves() }
      makeNext(until: now)
    }
  }

  mutating func move(_ move: Move) {
    world.make(move)
    listen()
  }

  /// Loses or repeats the next message, if the story asked for it; false if no message was hit.
  @discardableResult private mutating func strikeWords() -> Bool {
    guard world.hasQueuedPresence else { return false }
    if losesNextWord {
      losesNextWord = false
      move(.losePresence(0))
    } else if repeatsNextWord {
      repeatsNextWord = false
      move(.repeatPresence(0))
    } else {
      return false
    }
    return true
  }

  // MARK: Actions

  mutating func make(_ action: StoryAction) throws {
    // `freezeInside` hits the next write after the previous line.
    if case .freezeInside = action {} else { drift() }
    switch action {
    case .open: move(.open)
    case .home: move(.home)
    case .quit: move(.quit)
    case .homeAndBack(let times):
      for _ in 0..<times {
        move(.home)
        drift()
        move(.open)
        drift()
      }
    case .pay(let number), .payExpired(let number): try pay(number)
    case .payInParts(let number, let count): pay(number, part: 1, of: count)
    case .payNextPart(let number):
      guard let last = parts.values.filter({ $0.number == number }).max(by: { $0.part < $1.part }),
        last.part < last.count
      else { throw ScenarioWords.noMoreParts }
      pay(number, part: last.part + 1, of: last.count)
    case .payInvoice(let number): try payInvoice(number)
    case .kill(let role): move(.kill(role))
    case .freeze(let role):
      try checkNotSuspended(role)
      move(.freeze(role))
    case .freezeInside(let role): try freezeInside(role)
    case .thaw(let role):
      try checkNotSuspended(role)
      move(.thaw(role))
    case .replaceLock(let role): move(.replaceLock(role))
    case .emptyHeartbeat: for role in [Role.app, .extension] { move(.loseBeat(role)) }
    case .copyDatabase: move(.copyDatabase)
    case .restoreCopy: move(.restoreCopy)
    case .restartPeer: move(.restartPeer)
    case .stopPeer: move(.stopPeer)
    case .startPeer: move(.startPeer)
    case .failNext(let times, let code): try failNext(times, code)
    case .failChannel: try failChannel()
    case .breakConnection:
      guard let wire = world.openWire else { throw CannotBeDone("no process is connected to the peer") }
      move(.cut(wire: wire))
    case .loseMessage: losesNextWord = true
    case .repeatMessage: repeatsNextWord = true
    case .losePush: move(.losePush)
    case .device(.storage(let isFull)):
      tell { $0.change(.storage(isFull: isFull)) }
      move(.fillDisk(isFull))
    case .device(let change): tell { $0.change(change) }
    case .silentPush: tell { $0.silentPush() }
    case .touch(let touch): try self.touch(touch)
    case .press(let title):
      guard let button = ScreenButton(title: title), world.hasButton(button) else {
        throw ScenarioWords.noButton(title)
      }
      tell { $0.press(button) }
    case .launchTask(let identifier):
      if let why = world.phone.refusalToLaunchByHand(identifier) { throw CannotBeDone(why.description) }
      tell { $0.hear(.task(.launchedByHand(identifier: identifier))) }
    case .expireTask(let identifier):
      if let why = world.phone.refusalToExpireByHand(identifier) { throw CannotBeDone(why.description) }
      tell { $0.hear(.task(.expiredByHand(identifier: identifier))) }
    case .reboot(let staysLocked): tell { $0.reboot(staysLocked: staysLocked) }
    case .payInReboot(let number): tell { $0.reboot(staysLocked: false, meanwhile: number - 1) }
    case .sleepDevice(let span): move(.deviceSleeps(span))
    case .visiblePush: throw CannotBeDone("the simulated peer pushes for payments alone")
    case .stepClock: throw CannotBeDone("the simulation has no wall clock")
    }
    drift()
  }

  /// Freezes the process inside its next write.
  private mutating func freezeInside(_ role: Role) throws {
    let end = now + .seconds(30)
    while !world.isAboutToWrite(role) {
      guard now < end, world.life(role) != nil, broken == nil else {
        throw CannotBeDone("the \(role.rawValue) has nothing to write")
      }
      goOn(until: end)
    }
    move(.freezeInside(role))
  }

  private mutating func pay(_ number: Int) throws {
    if world.retryingSenders.contains(where: { $0.invoice == number - 1 }) {
      guard told[number]?.state == "failed" else { throw ScenarioWords.senderHasNotFailed }
      told[number] = nil
    }
    move(.pay(number - 1))
  }

  private mutating func pay(_ number: Int, part: Int, of count: Int) {
    let before = world.payments.count
    move(.payPart(number - 1, part: part, of: count))
    if world.payments.count > before, let id = world.payments.last?.id {
      parts[id] = (number: number, part: part, count: count)
    }
  }

  private var payments: [Scene.Payment] {
    // Of a sender's attempts the ledger is what a stage sees.
    let seen = world.payments.filter { world.retryingSenders.isEmpty || !refused.contains($0.id) }
    return Scene.Payment.joined(
      seen.map { payment in
        Scene.Payment(
          number: payment.invoice + 1, state: state(of: payment),
          failure: failures[payment.id] ?? "for an unknown reason", part: parts[payment.id]?.part ?? 0)
      })
  }

  private mutating func tell(_ deed: (inout World) -> Void) {
    deed(&world)
    listen()
  }

  private mutating func touch(_ touch: NotificationTouch) throws {
    guard let newest = rows.board.rows.last(where: \.isThere) else { throw ScenarioWords.nothingToTouch }
    world.registerCategories()
    if let why = world.phone.refusal(of: touch, category: newest.category) {
      throw CannotBeDone(why.description)
    }
    tell { $0.touch(newest.id, of: newest.push, category: newest.category, touch) }
  }

  private mutating func failNext(_ times: Int, _ name: String) throws {
    let code = try ScenarioWords.code(name)
    let order = OrderedFailures(code: code.rawValue, times: UInt64(clamping: times))
    tell { $0.tellPeer(.failuresOrdered(order)) }
  }

  private mutating func failChannel() throws {
    do { try world.orderChannelFailure() } catch { throw CannotBeDone(error.description) }
    listen()
  }

  private func checkNotSuspended(_ role: Role) throws {
    if state(of: role) == AppState.suspended.word { throw ScenarioWords.isSuspended }
  }

  // MARK: State

  private mutating func listen() {
    for said in world.said {
      switch said {
      case .core(.phone(let event, let directives)):
        rows.note(event)
        for directive in directives { note(directive) }
      case .core(.peer(let event, let directives)):
        if case .payRequested(let request) = event, !directives.stores(.paymentHeld(request)) {
          refused.insert(request.id)
        }
        for case .answer(let payment, .failed(let failure)) in directives { failures[payment] = failure.word }
      case .started(let role, _): lastWords[role] = nil
      case .ended(let role, let words): lastWords[role] = words
      default: break
      }
    }
    for sender in world.retryingSenders where told[sender.invoice + 1] == nil {
      told[sender.invoice + 1] = sender.scene.state == nil ? nil : sender.scene
    }
    story.listen(to: &world)
  }

  private mutating func note(_ directive: PhoneDirective) {
    rows.note(directive)
    guard case .recordEnd(let phoneRole, let reason) = directive else { return }
    let role: Role = phoneRole == .app ? .app : .extension
    ends[role] = lastWords[role].map { "\(reason): \($0)" } ?? reason.description
  }

  func look() -> Scene {
    let container = world.container.value
    let row = container.row
    var scene = Scene(
      holder: row.flatMap { container.isLockBusy($0.role) ? $0.role : nil }, newestClaim: row?.role,
      epoch: row?.epoch ?? 0, app: process(.app), notifier: process(.extension), payments: payments,
      receivedTimes: world.invoices.map { invoice in
        container.received.count { $0.invoice.paymentHash == invoice.invoice.paymentHash }
      }, isChannelEven: isChannelEven,
      phone: PhoneScene(
        device: world.phone.device, badge: rows.board.badge, pushes: rows.pushes.rows,
        notifications: rows.board.rows, tasks: rows.tasks.rows,
        playsAudio: world.phone.audio.playing != nil, isAppWarned: world.phone.isAppWarned))
    let kept = container.node.channel?.committedHTLCs.map(\.paymentHash) ?? []
    scene.keptParts = world.invoices.numbers { kept.contains($0.invoice.paymentHash) }
    scene.expiredInvoices = world.invoices.numbers { $0.expiresAt.map { $0 <= world.peerNow } ?? false }
    if world.phone.app == .foreground { scene.screen = world.life(.app)?.screen?.lines }
    scene.records = container.incoming.compactMap { record in
      world.invoices.firstIndex { $0.invoice.paymentHash == record.paymentHash }.map {
        Scene.IncomingRecord(number: $0 + 1, isHeld: record.isHeld)
      }
    }
    scene.senders = world.retryingSenders.map { told[$0.invoice + 1] ?? $0.scene }
      .sorted { $0.number < $1.number }
    noteInvoices(&scene)
    return scene
  }

  private func process(_ role: Role) -> Scene.Process {
    guard let life = world.life(role) else {
      return Scene.Process(lastEnd: ends[role])
    }
    let pids = [Role.app, .extension].compactMap { role in
      world.life(role).map { (pid: $0.identity.pid, role: role) }
    }
    let isConnected = life.status?.code.isConnected == true
    return Scene.Process(
      state: state(of: role), isStopped: life.isFrozen, shows: Scene.named(life.status?.text ?? "", pids),
      isConnected: isConnected && life.status?.epoch == world.container.value.row?.epoch, lastEnd: ends[role])
  }

  private func state(of role: Role) -> String {
    role == .app ? world.phone.app.word : world.phone.service.word
  }

  private func state(of payment: WorldPayment) -> String {
    switch payment.state {
    case .paid: return "paid"
    case .failed: return "failed"
    case .underWay:
      let row = world.peer.value.state.payments.first { $0.request.id == payment.id }
      return row?.isHeld == true ? "held" : "offered"
    }
  }

  private var isChannelEven: Bool {
    let peer = world.peer.value.state.channel
    guard let wallet = world.container.value.node.channel else { return false }
    return peer.htlcs.isEmpty && wallet.htlcs.isEmpty && peer.remoteMsat == wallet.localMsat
  }

  // MARK: The verdict

  mutating func judge() -> StageVerdict {
    world.checkAtTheEnd()
    listen()
    if let broken { return .broken([broken]) }
    let scene = look()
    var open: [String] = []
    for payment in scene.payments where !payment.isOver {
      open.append("payment \(payment.number) is pending")
    }
    if !scene.isChannelEven { open.append(ScenarioWords.unevenChannel) }
    open += scene.invoices.numbers { $0 == "pending" }.map { "the payment of invoice \($0) is pending" }
    return scene.verdict(open)
  }
}

// Payments by the user in the simulated world.
extension SimulatedStage {
  mutating func makeExternalInvoice(_ invoice: PlannedInvoice) {
    world.makeExternalInvoice(amountMsat: invoice.amountMsat, isKnown: !invoice.isForgotten)
  }

  /// Waits for the app's answer, as `baton send --no-wait` does.
  mutating func payInvoice(_ number: Int) throws {
    move(.send(number - 1, isKnown: true))
    let end = now + .seconds(30)
    while world.sends[number - 1].answer == nil, now < end, broken == nil { goOn(until: end) }
    if case .refused(let sentence)? = world.sends[number - 1].answer { throw CannotBeDone(sentence) }
  }

  func noteInvoices(_ scene: inout Scene) {
    let node = world.container.value.node
    scene.balanceMsat = node.channel?.localMsat
    scene.invoices = world.sends.map { send in
      let hash = send.invoice.paymentHash
      if node.payments.pending.contains(where: { $0.paymentHash == hash }) { return "pending" }
      switch world.container.value.past[hash] {
      case .paid?: return "paid"
      case .lost?: return "lost"
      case nil: return send.hasFailed ? "failed" : nil
      }
    }
  }
}

extension WorldSender {
  /// What it was told last.
  var scene: Scene.Sender {
    var scene = Scene.Sender(number: invoice + 1, attempts: machine.attempt)
    switch told {
    case nil, .retrying, .skipped, .refused: break
    case .settled, .alreadyPaid: scene.state = "settled"
    case .pending, .alreadyPending: scene.state = "pending"
    case .failed(let failure):
      let message = SenderMessage(failure)
      scene.state = "failed"
      (scene.headline, scene.text, scene.button) = (message.headline, message.text, message.button)
    }
    return scene
  }
}

extension [PeerDirective] {
  func stores(_ change: LedgerChange) -> Bool {
    contains { if case .store(let changes) = $0 { changes.contains(change) } else { false } }
  }
}
