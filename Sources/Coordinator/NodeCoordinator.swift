// Coordinator: one wallet process's side of the guardrails: the machine, its container, its timer, and a lease for
// writing. The wallet provides a node and a phone. It knows no wallet tables, no wire protocol and no texts for users.

import Ground
import Guardrails
import Platform
import SharedContainer

/// One process's coordinator. Not thread-safe: callers on several queues must serialise every call, including those of
/// its leases. Calls to node and phone are made on the calling thread.
public final class NodeCoordinator<Node: NodeDriver> {
  public let role: ProcessRole
  let node: Node
  private let phone: any PhonePort
  private let container: GuardContainer<Node.State>
  private let now: () -> Instant
  private var machine: any GuardMachine
  private var queue: [GuardEvent] = []
  private var isHandling = false
  /// Read in the claim, until the node is started.
  private var state: Node.State?
  var lease: Lease?
  private(set) var stopIsAsked = false
  /// The pushes without a delivered text, with their arrival (nanoseconds since 1970). The first is being served.
  private var arrivals: [(push: UInt64, at: Int64)] = []
  /// The container's last error.
  private var failure: ContainerError?
  /// The last noted error of reading settled payments.
  private var settledFailure: ContainerError?
  private var presence: PresenceSocket?

  /// Called after every change of `nanosecondsToWake`, for callers with a timer.
  public var onRearm: (() -> Void)?

  /// Opens the container, creating it if it is missing. Call it first in a process, before the node opens any socket:
  /// at a process's death the kernel closes descriptors in order, and the locks must not be free before the sockets
  /// are closed. `migrations` are the steps of the wallet's own schema; append new steps, and never change a shipped
  /// one.
  public convenience init(
    _ role: ProcessRole, directory: String, migrations: [String] = [], node: Node, phone: any PhonePort
  ) throws(CoordinatorError) {
    try self.init(role, directory, migrations, node, phone, now: { Kernel.now })
  }

  /// For tests, with their own clock.
  package init(
    _ role: ProcessRole, _ directory: String, _ migrations: [String], _ node: Node, _ phone: any PhonePort,
    configuration: GuardConfiguration = GuardConfiguration(), now: @escaping () -> Instant
  ) throws(CoordinatorError) {
    let shared: SharedContainer
    do { shared = try SharedContainer.open(directory, role: role, nodeSchema: migrations) } catch {
      throw CoordinatorError(error)
    }
    self.role = role
    self.node = node
    self.phone = phone
    self.now = now
    container = GuardContainer(
      shared, process: Kernel.ownIdentity(), note: { phone.note($0) },
      reading: { try node.readState($0) })
    machine =
      switch role {
      case .app: AppMachine(configuration: configuration)
      case .extension: ExtensionMachine(configuration: configuration)
      }
    handle(.launched)
  }

  /// Without `terminationRequested` the lock is held for as long as the lease lives, as the node's socket may be open;
  /// but no more beats or writes follow.
  deinit { lease?.end() }

  /// How long until `wake` must be called, if nothing happens before; nil if there is no deadline.
  public var nanosecondsToWake: Int64? {
    if !queue.isEmpty { return 0 }
    return machine.deadline.map { max(0, ($0 - now()).nanoseconds) }
  }

  public func wake() { handle(.deadlineReached) }

  /// The process whose end should be reported with `partnerEnded`, if the system can report it. Otherwise its end is
  /// detected within 250 ms.
  public var processToWatch: Int32? { container.holderToWatch?.pid }

  // MARK: The other process

  /// Sends presence messages through sockets in the container instead of the phone. When the descriptor is readable,
  /// call `presenceArrived`. nil if a path is too long for a socket; without messages everything still works, up to
  /// one beat of 2 s later.
  public func listen() -> Int32? {
    presence =
      presence ?? PresenceSocket(directory: container.shared.layout.presence, role: container.shared.role)
    return presence?.descriptor
  }

  public func presenceArrived() { for bytes in presence?.received() ?? [] { presenceHeard(bytes) } }

  // MARK: Events

  /// Events raised while directives are carried out are queued until all are: the machine must see the world after all
  /// its orders.
  func handle(_ event: GuardEvent) {
    queue.append(event)
    guard !isHandling else { return }
    isHandling = true
    while !queue.isEmpty { carryOut(machine.handle(queue.removeFirst(), at: now())) }
    isHandling = false
    onRearm?()
  }

  /// A lease's findings inside the node's own work are handled afterwards.
  private func handleLater(_ event: GuardEvent) {
    queue.append(event)
    if !isHandling { onRearm?() }
  }

  private func carryOut(_ directives: [GuardDirective]) {
    var settles = false
    var last: [GuardDirective.Phone] = []
    for directive in directives {
      switch directive {
      case .container(.settle): settles = true
      case .container(let order): carryOut(order)
      case .wallet(let order): carryOut(order)
      case .node(let order): carryOut(order)
      case .phone(let order): if order.mayEndProcess { last.append(order) } else { carryOut(order) }
      }
    }
    if settles { carryOut(.settle) }
    for order in last { carryOut(order) }
  }

  private func carryOut(_ order: GuardDirective.Container) {
    // The state read in the claim is void without the lock, even if the node was never started.
    if order == .dropLock { state = nil }
    let answer = container.carryOut(order)
    if let state = answer.state { self.state = state }
    guard let event = answer.event else { return }
    failure = answer.failure ?? failure
    queue.append(event)
  }

  private func carryOut(_ order: GuardDirective.Wallet) {
    switch order {
    case .readReceived(let hash, let push): readReceived(hash, push: push)
    case .notify(let payment): phone.notify(payment)
    case .withdraw(let payment): phone.withdrawNotification(of: payment)
    // Only the extension without a node stores records, and no coordinator runs it. No coordinator begins a run.
    case .storeIncoming, .runServed: break
    }
  }

  private func carryOut(_ order: GuardDirective.Node) {
    switch order {
    case .startNode(let claim, let replaced): start(claim, replacing: replaced)
    case .stopNode(let gracefully):
      stopIsAsked = true
      if !gracefully { endLease() }
      node.stop(gracefully: gracefully)
    case .acceptNoNewPayment: node.acceptNoNewPayment()
    case .endLongPause: node.dialNow()
    }
  }

  private func carryOut(_ order: GuardDirective.Phone) {
    switch order {
    case .say(let message): say(message.encoded())
    case .show(let status): phone.show(NodeStatus(status, failure))
    case .mayConnect(let targets):
      phone.mayConnect(toPeer: targets.contains(.peer), toOthers: targets.contains(.http))
    case .deliver(let push, let outcome):
      arrivals.removeAll { $0.push == push }
      phone.deliver(outcome, for: push)
    case .noteFailure(let failure): phone.note("the silent push failed: \(failure)")
    case .beginBackgroundTask(let task, let name): phone.beginBackgroundTask(task, name: name)
    case .endBackgroundTask(let task): phone.endBackgroundTask(task)
    case .completed(let push, let outcome): phone.completed(silentPush: push, outcome)
    case .finished(let push, let reason): phone.finished(push: push, reason)
    case .end(let reason): phone.ended(reason)
    case .backgroundDone: break
    }
  }

  private func say(_ bytes: [UInt8]) {
    if let presence { presence.send(bytes) } else { phone.send(presence: bytes) }
  }

  private func start(_ claim: Claim, replacing replaced: ReplacedClaim?) {
    guard let state else { return }
    // Not kept: it would be stale at the next start.
    self.state = nil
    let lease = Lease(claim, replacing: replaced, shared: container.shared, now: now, owner: self)
    self.lease = lease
    stopIsAsked = false
    node.start(lease, state)
  }

  private func endLease() {
    lease?.end()
    lease = nil
  }

  /// When the push first arrived; a repeated call does not change it.
  func noteArrival(of push: UInt64) {
    guard !arrivals.contains(where: { $0.push == push }) else { return }
    arrivals.append((push, Kernel.wallNanoseconds))
  }

  private func readReceived(_ hash: PaymentHash?, push: UInt64) {
    let arrived = arrivals.first { $0.push == push }?.at ?? .max
    let answer = container.readReceived(push: push) { try node.settledPayments(hash, since: arrived, $0) }
    if let error = answer.failure, error != settledFailure {
      settledFailure = error
      phone.note("the settled payments cannot be read: \(error)")
    }
    failure = answer.failure ?? failure
    if let event = answer.event { queue.append(event) }
  }
}

extension NodeCoordinator: LeaseOwner {
  func heard(_ news: NodeReport, from lease: Lease) {
    guard lease === self.lease else { return }
    // The guard ignores a node that stops unasked, and would keep beating without one.
    if news == .stopped, !stopIsAsked { return }
    if news == .stopped || news == .fenced { endLease() }
    handle(.node(news))
  }

  func wasFenced(_ lease: Lease) {
    guard lease === self.lease else { return }
    endLease()
    handleLater(.node(.fenced))
  }

  func lostContainer(_ error: ContainerError) {
    failure = error
    handleLater(.containerLost("\(error)"))
  }
}

// Events of the phone, the user and the other process. An event that is irrelevant now is a no-op, so repeated calls
// are harmless.
extension NodeCoordinator {
  // MARK: The app

  /// The app is in the foreground and wants the node.
  public func enteredForeground() { dialingAtOnce { handle(.enteredForeground) } }

  public func enteredBackground() { handle(.enteredBackground) }

  /// The phone's time for this task is up. The task is still open: `endBackgroundTask` follows.
  public func backgroundTimeExpired(task: UInt64) { handle(.backgroundTimeExpired(task: task)) }

  /// A silent push has woken the app; `forNanoseconds` is the phone's time limit, if known.
  public func silentPush(
    _ id: UInt64, _ reason: PushReason, payment: PaymentHash? = nil, forNanoseconds time: Int64? = nil
  ) {
    handle(
      .silentPushArrived(
        Push(id: id, reason: reason, paymentHash: payment, time: time.map(TimeSpan.init(nanoseconds:)))))
  }

  /// A task that must be finished has begun; the app keeps the node for it in the background. It ends with the same
  /// name and generation.
  public func taskBegan(_ name: String, generation: UInt64) {
    handle(.taskBegan(TaskBeginning(name: name, generation: generation)))
  }

  public func taskEnded(_ name: String, generation: UInt64) {
    handle(.taskEnded(TaskBeginning(name: name, generation: generation)))
  }

  /// The user asks to move the node to this device, whatever device the peer knows.
  public func moveHere() { handle(.moveRequested) }

  public func networkChanged(isThere: Bool) {
    guard isThere else { return handle(.networkChanged(isThere: false)) }
    dialingAtOnce { handle(.networkChanged(isThere: true)) }
  }

  /// Ends a node's pause between two dials when the user opens the app or the network returns.
  private func dialingAtOnce(_ handle: () -> Void) {
    let before = lease
    handle()
    if let before, before === lease, !stopIsAsked { node.dialNow() }
  }

  // MARK: The extension

  /// The caller chooses the ids, and uses each once per process.
  public func push(_ id: UInt64, _ reason: PushReason, payment: PaymentHash? = nil) {
    noteArrival(of: id)
    handle(.pushArrived(Push(id: id, reason: reason, paymentHash: payment)))
  }

  public func timeWillExpire(push: UInt64) { handle(.expiryWarned(push: push)) }

  // MARK: Both

  public func terminationRequested() { handle(.terminationRequested) }

  /// A message that the other process passed to `send(presence:)`; other bytes are ignored.
  public func presenceHeard(_ bytes: [UInt8]) {
    if let message = PresenceMessage(decoding: bytes) { handle(.presenceHeard(message)) }
  }

  /// The other process may have ended: the coordinator looks again.
  public func partnerEnded() { handle(.partnerEnded) }
}
