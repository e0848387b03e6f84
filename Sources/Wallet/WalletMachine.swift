// Wallet: combines the guard, the node, the user's requests and the background work into one wallet. Pure: it talks
// to the container, the wire and the phone through directives alone, so the processes and the simulation run the same
// wallet.

import Ground
import Guardrails

/// One wallet process as one machine: the guard, the node, the user's requests and the background work.
///
/// One event becomes one list of orders. The guard's "start the node" and "stop the node" are replaced in the list by
/// the node's own orders. An event from one part to another (a report of the node to the guard) is handled when the
/// first part's list is complete, and before anything in the list is carried out: so no report of an earlier
/// ownership reaches a later one. If the ownership is lost while the list is carried out, no harm is done: each write
/// carries the claim under which it was decided, and is refused once a newer claim exists.
public struct WalletMachine<Guard: WalletGuard>: Machine {
  public static var deadlineReached: WalletEvent { .deadlineReached }

  public var guardrail: Guard
  public private(set) var node: NodeMachine
  public internal(set) var requests = Requests()
  public internal(set) var background: BackgroundWork
  /// Only in an app that completes what an extension without a node announces.
  public internal(set) var incoming: IncomingPayments?
  var opening: Opening?
  /// Read in the claim, until the node is started.
  private var claimedState = NodeState()
  private var marks = ReceivedMarks()
  var isInFront = false
  /// The app's last shown status.
  var status: Status?

  /// `completes`: the app completes what an extension without a node announces.
  public init(
    guardrail: Guard, node: NodeMachine.Configuration, background: BackgroundWork.Habits?,
    completes: Bool = false
  ) {
    self.guardrail = guardrail
    self.node = NodeMachine(configuration: node)
    self.background = BackgroundWork(configuration: background)
    incoming = completes ? IncomingPayments() : nil
    opening = completes ? Opening() : nil
  }

  public var deadline: Instant? {
    var earliest = guardrail.deadline
    for deadline in [node.deadline, background.deadline, incoming?.deadline, opening?.deadline] {
      earliest.bound(by: deadline)
    }
    return earliest
  }

  public mutating func handle(_ event: WalletEvent, at now: Instant) -> [WalletDirective] {
    var unobserved = Unobserved<Guard>()
    return handle(event, at: now, &unobserved)
  }

  public mutating func handle<Observer: WalletObserver>(
    _ event: WalletEvent, at now: Instant, _ observer: inout Observer
  ) -> [WalletDirective] where Observer.Guard == Guard {
    var turn = WalletTurn(at: now)
    begin(event, &turn)
    while let next = turn.next() {
      switch next {
      case .guardrail(let event): dispatch(event, &turn, &observer)
      case .node(let event): dispatch(event, &turn, &observer)
      case .requests(let event): dispatch(event, &turn, &observer)
      case .background(let event): dispatch(event, &turn, &observer)
      case .incoming(let event): dispatch(event, &turn, &observer)
      case .opening(let event): dispatch(event, &turn, &observer)
      }
    }
    return turn.directives
  }

  private mutating func begin(_ event: WalletEvent, _ turn: inout WalletTurn) {
    switch event {
    case .deadlineReached:
      func isDue(_ deadline: Instant?) -> Bool { deadline.map { $0 <= turn.now } ?? false }
      if isDue(incoming?.deadline) { turn.tell(.incoming(.deadlineReached)) }
      if isDue(opening?.deadline) { turn.tell(.opening(.deadlineReached)) }
      if isDue(background.deadline) { turn.tell(.background(.deadlineReached)) }
      if isDue(node.deadline) { turn.tell(.node(.deadlineReached)) }
      if isDue(guardrail.deadline) { turn.tell(.guardrail(.deadlineReached)) }
    case .claimed(let claim, let state):
      claimedState = state
      turn.tell(.guardrail(.claimed(claim)))
    case .receivedMarked(let push, let newest): marks.set(newest, for: push)
    case .guardrail(let event): turn.tell(.guardrail(event))
    // Almost always: nobody else writes under our claim. The journal has the state of `started` once.
    case .node(.checkedAfterInit(let row, let state?)) where state == node.durableState:
      turn.tell(.node(.checkedAfterInit(row, nil)))
    case .node(let event): turn.tell(.node(event))
    // The extension ends pending requests too, but only the app begins new ones.
    case .requests(.asked(let id, let request)) where guardrail.role == .extension:
      turn.order(
        .answer(id, .refused(request.kind, "only the app takes requests; open the app and try again")))
    case .requests(let event): turn.tell(.requests(event))
    case .background(let event): turn.tell(.background(event))
    case .incoming(let event): turn.tell(.incoming(event))
    case .opening(let event): turn.tell(.opening(event))
    }
  }

  // MARK: The guard

  private mutating func dispatch<Observer: WalletObserver>(
    _ event: GuardEvent, _ turn: inout WalletTurn, _ observer: inout Observer
  ) where Observer.Guard == Guard {
    if case .pushArrived(let push) = event, marks.begin(push) { turn.order(.markReceived(push: push.id)) }
    if event == .enteredForeground { isInFront = true }
    if event == .enteredBackground { isInFront = false }
    observer.willHandle(event, guardrail)
    let directives = guardrail.handle(event, at: turn.now)
    observer.handled(.guardrail(event, directives), guardrail, node)
    for directive in directives {
      switch directive {
      case .container(let order): turn.take(order)
      case .wallet(let order): carryOut(order, &turn)
      case .node(.startNode(let claim, let replaced)):
        dispatch(.started(claim, takeClaimedState(), replacing: replaced), &turn, &observer)
      case .node(.stopNode(let gracefully)):
        dispatch(.stopRequested(gracefully: gracefully), &turn, &observer)
      case .node(.acceptNoNewPayment): dispatch(.handoverRequested, &turn, &observer)
      case .node(.endLongPause): dispatch(.peerMayBeThere, &turn, &observer)
      case .phone(let order): turn.take(order)
      }
      informRequests(of: directive, &turn)
      informOpening(of: directive, &turn)
    }
    passOn(event, &turn)
    noteOpening(event, directives, &turn)
  }

  private func carryOut(_ order: GuardDirective.Wallet, _ turn: inout WalletTurn) {
    switch order {
    case .readReceived(let hash, let push): readReceived(hash, push, &turn)
    case .notify(let payment): turn.order(.notify(payment, withdrawsAnnouncement: incoming != nil))
    // The phone replaces the earlier notification by its key, in the same moment.
    case .withdraw: break
    case .runServed(let run, let outcome):
      turn.tell(.background(.nodeServed(run: run, outcome, isInFront: isInFront)))
    case .storeIncoming(let record, let push): turn.order(.storeIncoming(record, push: push))
    }
  }

  private mutating func takeClaimedState() -> NodeState {
    defer { claimedState = NodeState() }
    return claimedState
  }

  /// Without a mark it is unknown which payments came since the push. The mark is set now, and the guard asks again.
  private func readReceived(_ hash: Bytes32?, _ push: UInt64, _ turn: inout WalletTurn) {
    if let hash { return turn.order(.readReceived(.of(paymentHash: hash), push: push)) }
    if let newest = marks[push] { return turn.order(.readReceived(.after(newest), push: push)) }
    turn.order(.markReceived(push: push))
    let why = "the newest payment before the push is not known yet"
    turn.tell(.guardrail(.receivedNotRead(.failed(why), push: push)))
  }

  /// Passes on what the requests need.
  private mutating func informRequests(of directive: GuardDirective, _ turn: inout WalletTurn) {
    switch directive {
    case .phone(.show(let status)):
      self.status = status
      if requests.waitsForStatus { turn.tell(.requests(.shown(status))) }
    case .container(.dropLock): claimedState = NodeState()
    case .phone(.finished(let push, _)): marks.end(push)
    case .container(.raiseEpoch(_, _, .some)) where requests.waitsForStatus: turn.tell(.requests(.placeTaken))
    default: break
    }
  }

  /// Events of the phone that concern more than the guard.
  private func passOn(_ event: GuardEvent, _ turn: inout WalletTurn) {
    switch event {
    case .enteredForeground:
      turn.tell(.node(.userCame))
      if background.isWanted { turn.tell(.background(.enteredForeground)) }
    case .enteredBackground: if background.isWanted { turn.tell(.background(.enteredBackground)) }
    case .networkChanged(let isThere): turn.tell(.node(.networkChanged(isThere: isThere)))
    // Only now: the status shown before may be the reason for the move. Nothing changes for an app that is connected,
    // or in the background.
    case .moveRequested: if let status, requests.waitsForStatus { turn.tell(.requests(.shown(status))) }
    default: break
    }
  }

  // MARK: The node

  private mutating func dispatch<Observer: WalletObserver>(
    _ event: NodeEvent, _ turn: inout WalletTurn, _ observer: inout Observer
  ) where Observer.Guard == Guard {
    tellRequestsWhatContinues(event, &turn)
    observer.willHandle(event, node)
    let directives = node.handle(event, at: turn.now)
    observer.handled(.node(event, directives), guardrail, node)
    for directive in directives {
      take(directive, &turn)
      if case .dial = directive { tellOpening(.dialling, &turn) }
    }
    if event == .dialled { tellOpening(.dialled, &turn) }
    tellOfArriving(&turn)
    if case .storeLost(let sentence) = event { turn.tell(.guardrail(.containerLost(sentence))) }
  }

  /// A request that the container says has ended is over: another process may have ended it, or this one did and the
  /// write's answer was lost.
  private func tellRequestsWhatContinues(_ event: NodeEvent, _ turn: inout WalletTurn) {
    guard !requests.open.isEmpty else { return }
    let state: NodeState
    switch event {
    case .started(_, let read, _): state = read
    case .checkedAfterInit(_, let read): state = read ?? node.durableState
    default: return
    }
    turn.tell(
      .requests(
        .node(
          .goesOn(
            payments: state.payments.pending.map(\.paymentHash), splice: state.channel?.pendingSplice?.id))))
  }

  private func take(_ directive: NodeDirective, _ turn: inout WalletTurn) {
    switch directive {
    case .checkRow: turn.order(.checkRow)
    case .checkAfterInit: turn.order(.checkAfterInit)
    case .write(let change, let claim): turn.order(.write(change, under: claim))
    case .dial(let attempt): turn.order(.dial(attempt: attempt))
    case .send(let messages): turn.order(.send(messages))
    case .hangUp: turn.order(.hangUp)
    case .cutOff: turn.order(.cutOff)
    case .report(let report):
      informOpening(of: report, &turn)
      turn.tell(.guardrail(.node(report)))
    case .holdEnded(let hash): tellIncoming(.holdEnded(hash), &turn)
    // The screen has counted on a new connection.
    case .connectionKept: if let status { tellIncoming(.shown(status), &turn) }
    default:
      if let reply = RequestEvent.NodeReply(directive, showing: status) { turn.tell(.requests(.node(reply))) }
    }
  }

  // MARK: Requests and background work

  private mutating func dispatch<Observer: WalletObserver>(
    _ event: RequestEvent, _ turn: inout WalletTurn, _ observer: inout Observer
  ) where Observer.Guard == Guard {
    let directives = requests.handle(event, at: turn.now)
    observer.handled(.requests(event, directives), guardrail, node)
    for directive in directives {
      switch directive {
      case .beginTask(let task): turn.tell(.guardrail(.taskBegan(task)))
      case .endTask(let task): turn.tell(.guardrail(.taskEnded(task)))
      case .moveHere: turn.tell(.guardrail(.moveRequested))
      case .makeInvoice(let id, let amountMsat, let text, let expirySeconds):
        turn.order(.makeInvoice(id, amountMsat: amountMsat, text: text, expirySeconds: expirySeconds))
      // A node that is not held refuses by itself, whatever the container has.
      case .readPast(let payment) where node.isStopped:
        turn.tell(.requests(.pastRead(payment.paymentHash, nil)))
      case .readPast(let payment): turn.order(.readPast(payment.paymentHash))
      case .node(let event): turn.tell(.node(event))
      case .answer(let id, let answer): turn.order(.answer(id, answer))
      }
    }
  }

  private mutating func dispatch<Observer: WalletObserver>(
    _ event: BackgroundEvent, _ turn: inout WalletTurn, _ observer: inout Observer
  ) where Observer.Guard == Guard {
    let directives = background.handle(event, at: turn.now)
    observer.handled(.background(event, directives), guardrail, node)
    for directive in directives {
      switch directive {
      case .submit(let task): turn.order(.submit(task))
      case .complete(let task, let run, let isSuccess, let sentence):
        turn.order(.complete(task, run: run, isSuccess: isSuccess, sentence))
      case .playAudio: turn.order(.playAudio)
      case .stopAudio: turn.order(.stopAudio)
      case .lookAtWallet(let run): turn.order(.lookAtWallet(run: run))
      case .cleanUp(let run): turn.order(.cleanUp(run: run))
      case .wantNode(let run, let time): turn.tell(.guardrail(.nodeWanted(run: run, time: time)))
      case .giveUpNode(let run): turn.tell(.guardrail(.runExpired(run)))
      }
    }
  }
}

// Shifts all instants, for an exploration that treats one situation at two times as equal.
extension WalletMachine: Shiftable where Guard: Shiftable {
  package mutating func shift(by span: TimeSpan) {
    guardrail.shift(by: span)
    node.shift(by: span)
    background.shift(by: span)
    incoming?.shift(by: span)
    opening?.shift(by: span)
  }

  package mutating func forgetLongAgo(at now: Instant) {
    node.forgetLongAgo(at: now)
    incoming?.forgetLongAgo(at: now)
  }
}

// The parts of an app that completes what an extension without a node announces: its screen, and its opening.
extension WalletMachine {
  func tellOpening(_ event: OpeningEvent, _ turn: inout WalletTurn) {
    if opening != nil { turn.tell(.opening(event)) }
  }

  private func tellIncoming(_ event: IncomingEvent, _ turn: inout WalletTurn) {
    if incoming != nil { turn.tell(.incoming(event)) }
  }

  func noteOpening(_ event: GuardEvent, _ directives: [GuardDirective], _ turn: inout WalletTurn) {
    switch event {
    case .enteredForeground:
      tellIncoming(.activated, &turn)
      tellOpening(.asked(.user), &turn)
    case .enteredBackground:
      tellIncoming(.deactivated, &turn)
      tellOpening(.left, &turn)
    case .silentPushArrived where directives.contains(.container(.look)):
      tellOpening(.asked(.silentPush), &turn)
    case .nodeWanted:
      if directives.contains(.container(.look)) { tellOpening(.asked(.scheduledTask), &turn) }
      tellIfNodeIsReady(&turn)
    default: break
    }
  }

  func informOpening(of directive: GuardDirective, _ turn: inout WalletTurn) {
    switch directive {
    case .phone(.show(let status)):
      tellOpening(.shown(status), &turn)
      tellIncoming(.shown(status), &turn)
      tellIfNodeIsReady(&turn)
    case .phone(.noteFailure(let failure)) where background.awaitsNode:
      turn.tell(.background(.nodeHindered(failure.text)))
    // The app came to the front meanwhile: the run waits for the app's own node, which may be ready already.
    case .phone(.completed) where isInFront, .wallet(.runServed) where isInFront: tellIfNodeIsReady(&turn)
    default: break
    }
  }

  private func tellIfNodeIsReady(_ turn: inout WalletTurn) {
    if let status, status.code.isConnected, background.awaitsNode { turn.tell(.background(.nodeReady)) }
  }

  func informOpening(of report: NodeReport, _ turn: inout WalletTurn) {
    switch report {
    case .connecting: tellOpening(.connecting, &turn)
    case .received(let payment): tellIncoming(.received(payment), &turn)
    default: break
    }
  }

  /// Also of an HTLC that is not committed on both sides yet, as on a slow connection: it is pending all the same.
  func tellOfArriving(_ turn: inout WalletTurn) {
    guard let incoming, incoming.collected != node.arriving else { return }
    turn.tell(.incoming(.collecting(node.arriving)))
  }

  mutating func dispatch<Observer: WalletObserver>(
    _ event: IncomingEvent, _ turn: inout WalletTurn, _ observer: inout Observer
  ) where Observer.Guard == Guard {
    guard var core = incoming else { return }
    let wasWaiting = core.isWaiting
    let directives = core.handle(event, at: turn.now)
    incoming = core
    observer.handled(.incoming(event, directives), guardrail, node)
    for directive in directives {
      switch directive {
      case .show(let screen): turn.order(.showScreen(screen))
      case .read(let hashes): turn.order(.readIncoming(hashes))
      case .remove(let records): turn.order(.removeIncoming(records))
      case .withdrawAnnouncement(let hash): turn.order(.withdrawAnnouncement(of: hash))
      case .connectAgain: turn.tell(.node(.reconnectRequested))
      case .copy(let text): turn.order(.copy(text))
      case .answerPress(let id, let refusal): turn.order(.answerPress(id, refusal: refusal))
      case .tidyWanted: tellOpening(.workCame(.incomingRecords), &turn)
      case .tidied(let step): tellOpening(.stepDone(.incomingRecords, step), &turn)
      }
    }
    if core.isWaiting != wasWaiting { tellOpening(.paymentsAwaited(core.isWaiting), &turn) }
    switch event {
    case .recordsNotRead(.lost(let sentence)), .notRemoved(.lost(let sentence)):
      turn.tell(.guardrail(.containerLost(sentence)))
    default: break
    }
  }

  mutating func dispatch<Observer: WalletObserver>(
    _ event: OpeningEvent, _ turn: inout WalletTurn, _ observer: inout Observer
  ) where Observer.Guard == Guard {
    guard var core = opening else { return }
    let directives = core.handle(event, at: turn.now)
    opening = core
    observer.handled(.opening(event, directives), guardrail, node)
    for directive in directives {
      switch directive {
      case .enter: break
      case .take(.incomingRecords): tellIncoming(.tidyAsked, &turn)
      case .take(.journals): turn.order(.tidyJournals)
      }
    }
  }
}

/// The newest payment at the arrival of each push without a payment hash: newer payments came since that push.
struct ReceivedMarks: Hashable, Sendable {
  /// For pushes that are not finished; an unread mark is nil.
  private var newest: [UInt64: Int64?] = [:]

  /// Whether this push needs a mark.
  mutating func begin(_ push: Push) -> Bool {
    guard push.paymentHash == nil, push.reason != .unreadable, newest[push.id] == nil else { return false }
    newest[push.id] = .some(nil)
    return true
  }

  /// Only the first mark counts.
  mutating func set(_ number: Int64, for push: UInt64) {
    if case .some(nil) = newest[push] { newest[push] = number }
  }

  mutating func end(_ push: UInt64) { newest[push] = nil }

  subscript(_ push: UInt64) -> Int64? { newest[push] ?? nil }
}

/// Collects the results of one event: events for other parts, and orders for the ports.
struct WalletTurn {
  /// An event for one part of the wallet.
  enum PartEvent {
    case guardrail(GuardEvent)
    case node(NodeEvent)
    case requests(RequestEvent)
    case background(BackgroundEvent)
    case incoming(IncomingEvent)
    case opening(OpeningEvent)
  }

  let now: Instant
  private var events: ArraySlice<PartEvent> = []
  private var orders: [WalletDirective] = []
  /// Carried out last: see `directives`.
  private var settles = false
  private var lastOrders: [WalletDirective] = []

  init(at now: Instant) { self.now = now }

  /// The log is checkpointed after every other order, as no process waits for it. Only then come the orders after
  /// which iOS may suspend or end the process: suspended in the checkpoint, it would hold a lock and be killed for
  /// it.
  var directives: [WalletDirective] {
    orders + (settles ? [.container(.guardrail(.settle))] : []) + lastOrders
  }

  mutating func next() -> PartEvent? { events.popFirst() }

  mutating func tell(_ event: PartEvent) { events.append(event) }

  mutating func order(_ order: ContainerOrder) { orders.append(.container(order)) }
  mutating func order(_ order: WireOrder) { orders.append(.wire(order)) }
  mutating func order(_ order: PhoneOrder) { orders.append(.phone(order)) }

  mutating func take(_ order: GuardDirective.Container) {
    if order == .settle { settles = true } else { self.order(.guardrail(order)) }
  }

  mutating func take(_ order: GuardDirective.Phone) {
    if order.mayEndProcess {
      lastOrders.append(.phone(.guardrail(order)))
    } else {
      self.order(.guardrail(order))
    }
  }
}
