import Ground
import Guardrails
import Heartbeat

/// App and extension against each other in virtual time: one container, one peer that fences, and a seed that chooses
/// who moves next. Small on purpose: it knows rows, locks, the wish, slots, messages and a node of four steps.
struct TwoProcessWorld {
  struct Process {
    var app: AppMachine?
    var notifier: ExtensionMachine?
    var identity: ProcessIdentity
    var inbox: [GuardEvent] = []
    var todo: [GuardDirective] = []
    var node: Node?
    var isFrozen = false
    var healthySince: Instant

    var role: Role { app == nil ? .extension : .app }
    var deadline: Instant? { app?.deadline ?? notifier?.deadline }

    mutating func handle(_ event: GuardEvent, at now: Instant) {
      todo += app?.handle(event, at: now) ?? notifier?.handle(event, at: now) ?? []
    }
  }

  struct Node {
    enum Step { case dialling, greeting, idle, settling(Bytes32), stopped }
    var claim: Claim
    var step = Step.dialling
    var next: Instant
    var isStopping = false
    var acceptsNew = true
  }

  private(set) var now = Instant(nanoseconds: 0)
  private(set) var processes: [Process] = []
  private(set) var row: ClaimRow?
  private(set) var unpaid: [Bytes32] = []
  private(set) var received: [Bytes32] = []
  private(set) var deliveries: [UInt64: Int] = [:]
  private(set) var faults: [String] = []
  /// How often the app gave the phone its time back, with all released.
  private(set) var releases = 0
  var lossPercent = 0
  private var locks: [Role: Int32] = [:]
  private var wish: Int32?
  private var slots: [Role: Beat] = [:]
  private var mail: [(due: Instant, to: Role, message: PresenceMessage)] = []
  private var highestAtPeer: Epoch = 0
  private var generator: SeededGenerator
  private var everFrozen = false
  private var starts: Int32 = 0

  init(seed: UInt64 = 1) { generator = SeededGenerator(seed: seed) }

  // MARK: What the phone and fate do

  func process(_ role: Role) -> Process? { processes.first { $0.role == role } }
  private func index(_ role: Role) -> Int? { processes.firstIndex { $0.role == role } }

  /// Whether this process is connected as the owner.
  func owns(_ role: Role) -> Bool {
    guard let node = process(role)?.node, node.claim.owns(row) else { return false }
    switch node.step {
    case .idle, .settling: return true
    case .dialling, .greeting, .stopped: return false
    }
  }

  mutating func start(_ role: Role) {
    guard process(role) == nil else { return }
    starts += 1
    let identity = ProcessIdentity(pid: starts, startTime: UInt64(starts), boot: boot)
    var process = Process(identity: identity, healthySince: now)
    let configuration = GuardConfiguration()
    if role == .app {
      process.app = AppMachine(configuration: configuration)
    } else {
      process.notifier = ExtensionMachine(configuration: configuration)
    }
    processes.append(process)
    send(.launched, to: role)
  }

  mutating func send(_ event: GuardEvent, to role: Role) {
    if let index = index(role) { processes[index].inbox.append(event) }
  }

  /// A sender pays, and the phone wakes the extension.
  mutating func pay(_ id: UInt64) {
    unpaid.append(paymentHash(of: id))
    start(.extension)
    send(.pushArrived(push(id, hash: paymentHash(of: id))), to: .extension)
  }

  /// The system frees the locks in the instant of the death, and the partner sees the hang-up.
  mutating func kill(_ role: Role) {
    guard let index = index(role) else { return }
    let pid = processes.remove(at: index).identity.pid
    if locks[role] == pid { locks[role] = nil }
    if wish == pid { wish = nil }
    send(.partnerEnded, to: role.other)
  }

  mutating func freeze(_ role: Role) {
    guard let index = index(role) else { return }
    processes[index].isFrozen = true
    everFrozen = true
  }

  mutating func thaw(_ role: Role) {
    guard let index = index(role), processes[index].isFrozen else { return }
    processes[index].isFrozen = false
    processes[index].healthySince = now
  }

  // MARK: Time

  mutating func run(for span: TimeSpan) { run(until: now + span) { _ in false } }

  /// Whether it came true before the time was over.
  @discardableResult
  mutating func run(within span: TimeSpan, until isTrue: (TwoProcessWorld) -> Bool) -> Bool {
    run(until: now + span, isTrue)
  }

  @discardableResult
  private mutating func run(until end: Instant, _ isTrue: (TwoProcessWorld) -> Bool) -> Bool {
    while !isTrue(self) {
      let ready = processes.indices.filter { index in
        let process = processes[index]
        return !process.isFrozen && !(process.inbox.isEmpty && process.todo.isEmpty)
      }
      if ready.isEmpty {
        guard let next = nextInstant(), next <= end else {
          now = end
          return isTrue(self)
        }
        now = max(now, next)
        wake()
      } else {
        if generator.chance(5) { now = now + .milliseconds(Int64(generator.below(20))) }
        move(ready[generator.below(ready.count)])
      }
      check()
    }
    return true
  }

  private func nextInstant() -> Instant? {
    let awake = processes.filter { !$0.isFrozen }
    return (awake.compactMap(\.deadline) + awake.compactMap { $0.node?.next } + mail.map(\.due)).min()
  }

  private mutating func wake() {
    for letter in mail where letter.due <= now { send(.presenceHeard(letter.message), to: letter.to) }
    mail.removeAll { $0.due <= now }
    for index in processes.indices where !processes[index].isFrozen {
      if let deadline = processes[index].deadline, deadline <= now {
        processes[index].inbox.append(.deadlineReached)
      }
      if let next = processes[index].node?.next, next <= now { advanceNode(of: index) }
    }
  }

  /// One directive, or one event: everything else may happen in between.
  private mutating func move(_ index: Int) {
    if processes[index].todo.isEmpty {
      let event = processes[index].inbox.removeFirst()
      processes[index].handle(event, at: now)
    } else {
      carryOut(processes[index].todo.removeFirst(), index)
    }
  }

  // MARK: The container

  private mutating func carryOut(_ directive: GuardDirective, _ index: Int) {
    let role = processes[index].role
    let pid = processes[index].identity.pid
    switch directive {
    case .raiseWish: wish = pid
    case .withdrawWish: if wish == pid { wish = nil }
    case .look:
      let holder = row?.role ?? role
      processes[index].inbox.append(
        .observed(
          observation(
            row, lockIsBusy: locks[holder] != nil, beat: slots[holder], appWantsNode: wish != nil, at: now)))
    case .claim(let seen, _): processes[index].inbox.append(claimed(seen, by: processes[index]))
    case .raiseEpoch(let claim, let above, _):
      guard claim.owns(row) else { return processes[index].inbox.append(.claimSuperseded) }
      processes[index].inbox.append(newRow(above + 1, processes[index]))
    case .readRow: processes[index].inbox.append(.rowRead(row, appWantsNode: wish != nil))
    case .beat(let epoch, let phase, let counter):
      slots[role] = beat(role, epoch: epoch, counter: counter, phase: phase, at: now)
    case .dropLock:
      if processes[index].node != nil { faults.append("\(role) dropped its lock beside an open socket") }
      if locks[role] == pid { locks[role] = nil }
    case .readReceived(let hash):
      let found = received.filter { $0 == hash }
      let payments = found.map { ReceivedPayment(paymentHash: $0, amountMsat: 1000, text: "") }
      processes[index].inbox.append(.receivedFound(payments))
    case .startNode(let claim, _): processes[index].node = Node(claim: claim, next: now + .milliseconds(50))
    case .stopNode(let gracefully): stopNode(of: index, gracefully: gracefully)
    case .acceptNoNewPayment: processes[index].node?.acceptsNew = false
    case .say(let message):
      guard !generator.chance(lossPercent) else { return }
      mail.append((now + .milliseconds(Int64(1 + generator.below(20))), role.other, message))
    case .deliver(let push, _): deliveries[push, default: 0] += 1
    case .endBackgroundTask: releases += 1
    case .end: kill(role)
    case .endLongPause, .show, .mayConnect, .completed, .noteFailure, .notify, .withdraw, .finished,
      .backgroundDone,
      .beginBackgroundTask:
      break
    }
  }

  private mutating func claimed(_ seen: Epoch, by process: Process) -> GuardEvent {
    guard (row?.epoch ?? 0) == seen else { return .claimSuperseded }
    if let held = row, let holder = self.process(held.role), locks[held.role] == holder.identity.pid,
      held.process == holder.identity, !holder.isFrozen, now - holder.healthySince > .seconds(5)
    {
      faults.append("a healthy \(held.role) was displaced at \(now.nanoseconds)")
    }
    locks[process.role] = process.identity.pid
    return newRow(seen + 1, process)
  }

  private mutating func newRow(_ epoch: Epoch, _ process: Process) -> GuardEvent {
    let incarnation = generator.next()
    row = ClaimRow(
      epoch: epoch, role: process.role, process: process.identity, incarnation: incarnation,
      container: container)
    return .claimed(Claim(epoch: epoch, incarnation: incarnation, container: container))
  }

  // MARK: The node

  private mutating func stopNode(of index: Int, gracefully: Bool) {
    guard gracefully, processes[index].node != nil else {
      processes[index].node = nil
      return processes[index].inbox.append(.node(.stopped))
    }
    processes[index].node?.isStopping = true
  }

  private mutating func advanceNode(of index: Int) {
    guard var node = processes[index].node else { return }
    var reports: [NodeReport] = []
    switch node.step {
    case .settling(let hash):
      // A fenced write: commit under the own row, or end.
      node.step = .idle
      if !node.claim.owns(row) {
        reports = [.fenced]
      } else if let place = unpaid.firstIndex(of: hash) {
        received.append(unpaid.remove(at: place))
        let payment = ReceivedPayment(paymentHash: hash, amountMsat: 1000, text: "")
        reports = [.received(payment), .busy(.nothing)]
      }
    case _ where node.isStopping: reports = [.stopped]
    case .dialling:
      node.step = .greeting
      reports = [.connecting]
    case .greeting:
      if node.claim.epoch < highestAtPeer {
        node.step = .stopped
        reports = [.refused(highest: highestAtPeer, container: container)]
      } else {
        highestAtPeer = node.claim.epoch
        node.step = .idle
        reports = [node.claim.owns(row) ? .established : .fenced]
      }
    case .idle:
      if node.acceptsNew, let hash = unpaid.first {
        node.step = .settling(hash)
        reports = [.busy(.settling)]
      }
    case .stopped: break
    }
    node.next = now + .milliseconds(Int64(30 + generator.below(100)))
    processes[index].node = reports.contains(.stopped) || reports.contains(.fenced) ? nil : node
    processes[index].inbox += reports.map { .node($0) }
  }

  // MARK: What must never be

  private mutating func check() {
    let dialling = processes.filter { $0.node != nil }
    if dialling.filter({ $0.node?.claim.owns(row) ?? false }).count > 1 { faults.append("two owners") }
    if dialling.count > 1 && !everFrozen { faults.append("two nodes, and nobody was ever frozen") }
    for (push, count) in deliveries where count > 1 { faults.append("\(count) texts for push \(push)") }
    if Set(received).count != received.count { faults.append("a payment received twice") }
  }
}
