// Coordinator: one wallet process's side of the guardrails, complete: the machine, its container, its timer, and a lease to
// write under. The wallet brings a node and a phone. It knows no wallet's tables, no wire and no words for people.

import Ground
import Guardrails
import Platform
import SharedContainer

/// One process's coordinator. Not for several threads: whoever uses it from more than one queue must serialise every call,
/// of its leases too. Everything it asks of node and phone it asks in the calling thread.
public final class NodeCoordinator<Node: NodeDriver> {
  public let role: ProcessRole
  let node: Node
  private let phone: any PhonePort
  private let container: GuardContainer<Node.State>
  private let now: () -> Instant
  private var machine: any GuardMachine
  private var queue: [GuardEvent] = []
  private var isHandling = false
  /// As the claim has read it, until the node is started with it.
  private var state: Node.State?
  var lease: Lease?
  private(set) var stopIsAsked = false
  /// The pushes whose text is not delivered, each with when it arrived (nanoseconds since 1970). The first is served.
  private var arrivals: [(push: UInt64, at: Int64)] = []
  /// Why the container gave no answer, the last time that it gave none.
  private var failure: ContainerError?
  /// Why the node could not tell what is settled, as it was last noted.
  private var settledFailure: ContainerError?
  private var presence: PresenceSocket?

  /// Called after everything that may have changed `nanosecondsToWake`, for who has a timer to set.
  public var onRearm: (() -> Void)?

  /// Opens the container, creating it if it is missing. Called first in a process, before the node opens any socket: the
  /// kernel closes the descriptors of a dead process in their order, and the locks must not be free before its sockets are
  /// closed. `migrations` are the steps of the wallet's own schema; one that has shipped is never changed, only followed by
  /// further ones.
  public convenience init(
    _ role: ProcessRole, directory: String, migrations: [String] = [], node: Node, phone: any PhonePort
  ) throws(CoordinatorError) {
    try self.init(role, directory, migrations, node, phone, now: { Kernel.now })
  }

  /// With a clock of a test's own.
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
      shared, process: Kernel.ownIdentity(), note: { phone.note($0.description) },
      reading: { try node.readState($0) })
    machine =
      switch role {
      case .app: AppMachine(configuration: configuration)
      case .extension: ExtensionMachine(configuration: configuration)
      }
    handle(.launched)
  }

  /// Who lets go of it without a word keeps the lock for as long as the lease lives, as the node's socket may be open; but
  /// nobody beats any more, so nothing is written either.
  deinit { lease?.end() }

  /// How long until `wake` must be called, if nothing else happens before; nil for as long as nothing is to be done.
  public var nanosecondsToWake: Int64? {
    if !queue.isEmpty { return 0 }
    return machine.deadline.map { max(0, ($0 - now()).nanoseconds) }
  }

  public func wake() { handle(.deadlineReached) }

  /// The process whose end is worth calling `partnerEnded`, where a system can tell of it. Without that its end is found
  /// within 250 ms.
  public var processToWatch: Int32? { container.holderToWatch?.pid }

  // MARK: The other process

  /// Has presence messages go through sockets in the container, and no longer through the phone. When the descriptor can be
  /// read: `presenceArrived`. Nil where a path is too long for a socket; without messages all comes to pass later by up to a
  /// beat of 2 s, and nothing else is different.
  public func listen() -> Int32? {
    presence =
      presence ?? PresenceSocket(directory: container.shared.layout.presence, role: container.shared.role)
    return presence?.descriptor
  }

  public func presenceArrived() { for bytes in presence?.received() ?? [] { presenceHeard(bytes) } }

  // MARK: Events

  /// What is raised while directives are carried out waits until all of them are: the machine must see the world after all
  /// that it ordered.
  func handle(_ event: GuardEvent) {
    queue.append(event)
    guard !isHandling else { return }
    isHandling = true
    while !queue.isEmpty { carryOut(machine.handle(queue.removeFirst(), at: now())) }
    isHandling = false
    onRearm?()
  }

  /// What a lease finds inside the node's own work is not acted on in the middle of that.
  private func handleLater(_ event: GuardEvent) {
    queue.append(event)
    if !isHandling { onRearm?() }
  }

  /// In the order of the wallet that is ours: see `GuardDirective.mayEndProcess`.
  private func carryOut(_ directives: [GuardDirective]) {
    for directive in directives where !directive.mayEndProcess { carryOut(directive) }
    if directives.contains(where: \.leavesLogToSettle) { container.settle() }
    for directive in directives where directive.mayEndProcess { carryOut(directive) }
  }

  private func carryOut(_ directive: GuardDirective) {
    // What was read in the claim is void with it, also if the node was never started.
    if directive == .dropLock { state = nil }
    if let answer = container.carryOut(directive) {
      if let state = answer.state { self.state = state }
      guard let event = answer.event else { return }
      failure = answer.failure ?? failure
      return queue.append(event)
    }
    switch directive {
    case .startNode(let claim, let replaced): start(claim, replacing: replaced)
    case .stopNode(let gracefully):
      stopIsAsked = true
      if !gracefully { endLease() }
      node.stop(gracefully: gracefully)
    case .acceptNoNewPayment: node.acceptNoNewPayment()
    case .endLongPause: node.dialNow()
    case .readReceived(let hash, let push): if let push { readReceived(hash, push: push) }
    default: ask(directive)
    }
  }

  private func ask(_ directive: GuardDirective) {
    switch directive {
    case .say(let message): say(message.encoded())
    case .show(let status): phone.show(NodeStatus(status, failure))
    case .mayConnect(let targets):
      phone.mayConnect(toPeer: targets.contains(.peer), toOthers: targets.contains(.http))
    case .deliver(let push, let outcome):
      arrivals.removeAll { $0.push == push }
      phone.deliver(outcome, for: push)
    case .notify(let payment): phone.notify(payment)
    case .withdraw(let payment): phone.withdrawNotification(of: payment)
    case .noteFailure(let failure): phone.note("a silent push came to nothing: \(failure)")
    case .beginBackgroundTask(let task, let name): phone.beginBackgroundTask(task, name: name)
    case .endBackgroundTask(let task): phone.endBackgroundTask(task)
    case .completed(let push, let outcome): phone.completed(silentPush: push, outcome)
    case .finished(let push, let reason): phone.finished(push: push, FinishReason(reason))
    case .end(let reason): phone.ended(EndReason(reason))
    default: break
    }
  }

  private func say(_ bytes: [UInt8]) {
    if let presence { presence.send(bytes) } else { phone.send(presence: bytes) }
  }

  private func start(_ claim: Claim, replacing replaced: ReplacedClaim?) {
    guard let state else { return }
    // What is kept here would be old by the next start.
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

  /// Of the push with which it arrived; one that is told of again keeps its time.
  func noteArrival(of push: UInt64) {
    guard !arrivals.contains(where: { $0.push == push }) else { return }
    arrivals.append((push, Kernel.wallNanoseconds))
  }

  private func readReceived(_ hash: PaymentHash?, push: UInt64) {
    let arrived = arrivals.first { $0.push == push }?.at ?? .max
    let answer = container.readReceived(push: push) { try node.settledPayments(hash, since: arrived, $0) }
    if let error = answer.failure, error != settledFailure {
      settledFailure = error
      phone.note("it cannot be told what is settled: \(error)")
    }
    failure = answer.failure ?? failure
    if let event = answer.event { queue.append(event) }
  }
}

extension NodeCoordinator: LeaseOwner {
  func heard(_ news: NodeNews, from lease: Lease) {
    guard lease === self.lease else { return }
    // The guard believes in a node that stops unasked, and would beat for none.
    if news == .stopped, !stopIsAsked { return }
    if news == .stopped || news == .fenced { endLease() }
    handle(.node(news.report))
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
