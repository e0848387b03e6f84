import Guardrails

let boot = BootID(high: 1, low: 2)
let container = ContainerID(high: 3, low: 4)
let otherContainer = ContainerID(high: 5, low: 6)
/// 32 bytes that begin with these hexadecimal digits.
func paymentHash(_ digits: String) -> Bytes32 {
  Bytes32(hex: digits + String(repeating: "0", count: 64 - digits.count)) ?? .zero
}

extension NodeActivity {
  static let settling = NodeActivity(isSettling: true)
  static let splicing = NodeActivity(isSplicing: true)
  static func collecting(_ payments: [Bytes32]) -> NodeActivity { NodeActivity(collecting: payments) }
}

let payment = ReceivedPayment(paymentHash: paymentHash("aa"), amountMsat: 21_000, text: "coffee")
let secondPayment = ReceivedPayment(paymentHash: paymentHash("bb"), amountMsat: 1_500, text: "")

func seconds(_ count: Double) -> Instant { Instant(nanoseconds: Int64((count * 1000).rounded()) * 1_000_000) }

func process(_ role: Role) -> ProcessIdentity {
  ProcessIdentity(pid: role == .app ? 100 : 200, startTime: 1, boot: boot)
}

func row(_ epoch: Epoch, _ role: Role) -> ClaimRow {
  ClaimRow(epoch: epoch, role: role, process: process(role), incarnation: epoch &* 1000, container: container)
}

func claim(_ epoch: Epoch) -> Claim { Claim(epoch: epoch, incarnation: epoch &* 1000, container: container) }

func beat(
  _ role: Role, epoch: Epoch, counter: UInt64, phase: Phase = .established, at stamp: Instant = seconds(0)
)
  -> Beat
{
  Beat(
    role: role, epoch: epoch, phase: phase, counter: counter, process: process(role), bootClock: stamp,
    wallClockNanoseconds: 0)
}

func observation(
  _ row: ClaimRow?, lockIsBusy: Bool, beat: Beat? = nil, appWantsNode: Bool = false,
  at now: Instant = seconds(0)
) -> Observation {
  Observation(
    row: row, holderLockIsBusy: lockIsBusy, beat: beat, appWantsNode: appWantsNode, boot: boot, bootClock: now
  )
}

func push(_ id: UInt64, _ reason: Push.Reason = .incomingPayment, hash: Bytes32? = paymentHash("aa")) -> Push
{
  Push(id: id, reason: reason, paymentHash: hash)
}

/// A machine with its clock, the statuses it has shown, and the connections it permits.
struct Driver<Machine: GuardMachine> {
  var machine = Machine(configuration: GuardConfiguration())
  var now = seconds(0)
  private(set) var shown: [Status] = []
  private(set) var mayConnect: [ConnectionTarget] = []

  init(_ configuration: GuardConfiguration = GuardConfiguration()) {
    machine = Machine(configuration: configuration)
  }

  /// The directives for one event, without `show` and `mayConnect`.
  mutating func send(_ event: GuardEvent, at second: Double? = nil) -> [GuardDirective] {
    if let second { now = seconds(second) }
    return machine.handle(event, at: now).filter {
      if case .phone(.mayConnect(let targets)) = $0 {
        mayConnect = targets
        return false
      }
      guard case .phone(.show(let status)) = $0 else { return true }
      shown.append(status)
      return false
    }
  }

  /// Several events at one instant; returns the directives of the last.
  @discardableResult
  mutating func play(_ events: GuardEvent..., at second: Double? = nil) -> [GuardDirective] {
    events.reduce([]) { _, event in send(event, at: second) }
  }
}

extension Driver where Machine == AppMachine {
  /// In the foreground and connected under this epoch.
  static func connected(epoch: Epoch = 8) -> Driver {
    var app = Driver.claimed(epoch: epoch)
    app.play(.node(.connecting), .rowRead(row(epoch, .app), appWantsNode: true))
    app.play(.node(.established), .rowRead(row(epoch, .app), appWantsNode: true))
    return app
  }

  static func claimed(epoch: Epoch = 8) -> Driver {
    var app = Driver.claiming(epoch: epoch)
    app.play(.claimed(claim(epoch)))
    return app
  }

  static func claiming(epoch: Epoch = 8) -> Driver {
    var app = Driver()
    app.play(.launched, .enteredForeground)
    app.play(.observed(observation(row(epoch - 1, .extension), lockIsBusy: false)))
    return app
  }
}

/// Reads from the container whether the payment of push 1 was received.
let question = GuardDirective.readReceived(paymentHash: paymentHash("aa"), push: 1)

extension Driver where Machine == ExtensionMachine {
  /// The directives for an event that may end `pushes`, without the last reads of the container, each of which
  /// is answered with `payments`.
  mutating func end(
    _ event: GuardEvent, at second: Double? = nil, _ pushes: [UInt64] = [1],
    finding payments: [ReceivedPayment] = []
  ) -> [GuardDirective] {
    var (open, all, asked) = (send(event, at: second)[...], [GuardDirective](), pushes[...])
    while let directive = open.popFirst() {
      if case .wallet(.readReceived(_, let push)) = directive, let place = asked.firstIndex(of: push) {
        asked.remove(at: place)
        open += send(.receivedFound(payments, push: push))
      } else {
        all.append(directive)
      }
    }
    return all
  }

  /// As `end`, and the release of the node, which stops at once.
  @discardableResult
  mutating func release(_ event: GuardEvent, at second: Double? = nil, epoch: Epoch = 8) -> [GuardDirective] {
    var all = end(event, at: second)
    if all.contains(.stopNode(gracefully: true)) { all += send(.node(.stopped)) }
    if all.last == .readRow { all += send(.rowRead(row(epoch, .extension), appWantsNode: false)) }
    return all
  }

  /// Serves push 1 and looks at the container.
  static func looking(hash: Bytes32? = paymentHash("aa")) -> Driver {
    var notifier = Driver()
    notifier.play(.launched, .pushArrived(push(1, hash: hash)))
    return notifier
  }

  static func claiming(epoch: Epoch = 8, hash: Bytes32? = paymentHash("aa")) -> Driver {
    var notifier = Driver.looking(hash: hash)
    notifier.play(.observed(observation(row(epoch - 1, .app), lockIsBusy: false)))
    return notifier
  }

  static func claimed(epoch: Epoch = 8, hash: Bytes32? = paymentHash("aa")) -> Driver {
    var notifier = Driver.claiming(epoch: epoch, hash: hash)
    notifier.play(.claimed(claim(epoch)))
    return notifier
  }

  static func connected(epoch: Epoch = 8, hash: Bytes32? = paymentHash("aa")) -> Driver {
    var notifier = Driver.claimed(epoch: epoch, hash: hash)
    notifier.play(.node(.connecting), .rowRead(row(epoch, .extension), appWantsNode: false))
    notifier.play(.node(.established), .rowRead(row(epoch, .extension), appWantsNode: false))
    return notifier
  }
}

// The orders without their ports, as the lists in these tests have them.
extension GuardDirective {
  static let raiseIntent = Self.container(.raiseIntent)
  static let withdrawIntent = Self.container(.withdrawIntent)
  static let look = Self.container(.look)
  static let readRow = Self.container(.readRow)
  static let dropLock = Self.container(.dropLock)
  static let settle = Self.container(.settle)
  static let acceptNoNewPayment = Self.node(.acceptNoNewPayment)
  static let endLongPause = Self.node(.endLongPause)
  static let backgroundDone = Self.phone(.backgroundDone)

  static func claim(seen: Epoch, reason: ClaimReason) -> Self {
    .container(.claim(seen: seen, reason: reason))
  }
  static func raiseEpoch(_ claim: Claim, above: Epoch, replacing: ReplacedClaim? = nil) -> Self {
    .container(.raiseEpoch(claim, above: above, replacing: replacing))
  }
  static func beat(epoch: Epoch, phase: Phase, counter: UInt64) -> Self {
    .container(.beat(epoch: epoch, phase: phase, counter: counter))
  }
  static func readReceived(paymentHash: Bytes32?, push: UInt64) -> Self {
    .wallet(.readReceived(paymentHash: paymentHash, push: push))
  }
  static func storeIncoming(_ record: IncomingRecord, push: UInt64) -> Self {
    .wallet(.storeIncoming(record, push: push))
  }
  static func notify(_ payment: ReceivedPayment) -> Self { .wallet(.notify(payment)) }
  static func withdraw(payment: Bytes32) -> Self { .wallet(.withdraw(payment: payment)) }
  static func startNode(_ claim: Claim, replacing: ReplacedClaim? = nil) -> Self {
    .node(.startNode(claim, replacing: replacing))
  }
  static func stopNode(gracefully: Bool) -> Self { .node(.stopNode(gracefully: gracefully)) }
  static func say(_ message: PresenceMessage) -> Self { .phone(.say(message)) }
  static func show(_ status: Status) -> Self { .phone(.show(status)) }
  static func deliver(push: UInt64, _ outcome: PushOutcome) -> Self { .phone(.deliver(push: push, outcome)) }
  static func finished(push: UInt64, _ reason: FinishReason) -> Self { .phone(.finished(push: push, reason)) }
  static func completed(push: UInt64, _ outcome: SilentPushOutcome) -> Self {
    .phone(.completed(push: push, outcome))
  }
  static func mayConnect(_ targets: [ConnectionTarget]) -> Self { .phone(.mayConnect(targets)) }
  static func noteFailure(_ failure: SilentPushFailure) -> Self { .phone(.noteFailure(failure)) }
  static func beginBackgroundTask(_ task: UInt64, name: String? = nil) -> Self {
    .phone(.beginBackgroundTask(task, name: name))
  }
  static func endBackgroundTask(_ task: UInt64) -> Self { .phone(.endBackgroundTask(task)) }
  static func end(_ reason: EndReason) -> Self { .phone(.end(reason)) }
}
