@testable import Lightning
@testable import Wallet

/// A wallet in virtual time, with the test in the place of its three ports.
struct TestWallet<Guard: GuardMachine & WalletGuard> {
  private(set) var wallet: WalletMachine<Guard>
  private(set) var now = seconds(0)
  /// The steps of the opening so far.
  private(set) var steps: [Opening.Step] = []
  /// The events that each part handled, in order, for the last external event.
  private(set) var partEvents: [PartEvent] = []

  init(
    background: BackgroundWork.Habits? = nil, completes: Bool = false,
    guardConfiguration: GuardConfiguration = GuardConfiguration()
  ) {
    wallet = WalletMachine(
      guardrail: Guard(configuration: guardConfiguration), node: NodeMachine.Configuration(),
      background: background, completes: completes)
  }

  /// Returns the orders for one event.
  mutating func send(_ event: WalletEvent, at second: Double? = nil) -> [WalletDirective] {
    if let second { now = seconds(second) }
    var observer = PartEventLog<Guard>()
    defer {
      partEvents = observer.partEvents
      steps += observer.steps
    }
    return wallet.handle(event, at: now, &observer)
  }

  mutating func send(_ event: GuardEvent, at second: Double? = nil) -> [WalletDirective] {
    send(.guardrail(event), at: second)
  }

  /// Sends several events. Returns the orders for the last one.
  @discardableResult
  mutating func play(_ events: WalletEvent..., at second: Double? = nil) -> [WalletDirective] {
    events.reduce([]) { _, event in send(event, at: second) }
  }
}

extension TestWallet where Guard == AppMachine {
  /// In the foreground, with the claim ordered.
  static func claiming(
    _ epoch: Epoch = 8, background: BackgroundWork.Habits? = nil, completes: Bool = false
  ) -> TestWallet {
    var app = TestWallet(background: background, completes: completes)
    app.play(.guardrail(.launched), .guardrail(.enteredForeground))
    app.play(.guardrail(.observed(free(epoch - 1, .extension))))
    return app
  }

  /// Claimed; the node dials.
  static func connecting(
    _ epoch: Epoch = 8, _ state: NodeState = NodeState(), background: BackgroundWork.Habits? = nil
  ) -> TestWallet {
    var app = claiming(epoch, background: background)
    app.play(.claimed(claim(epoch), state), .guardrail(.rowRead(row(epoch, .app), appWantsNode: true)))
    app.play(.node(.rowRead(row(epoch, .app))))
    return app
  }

  /// Opened by the user, claimed and established, in an app that completes; with the steps of its opening.
  static func completing(_ epoch: Epoch = 8) throws -> (app: TestWallet, steps: [Opening.Step]) {
    var app = claiming(epoch, completes: true)
    app.play(.claimed(claim(epoch), NodeState()), .guardrail(.rowRead(row(epoch, .app), appWantsNode: true)))
    app.play(.node(.rowRead(row(epoch, .app))))
    try app.establish(NodeState())
    app.play(.guardrail(.rowRead(row(epoch, .app), appWantsNode: true)))
    return (app, app.steps)
  }

  /// The channel is established, and the guard has written a beat for it.
  static func connected(
    _ epoch: Epoch = 8, _ state: NodeState = NodeState(), background: BackgroundWork.Habits? = nil
  ) throws -> TestWallet {
    var app = connecting(epoch, state, background: background)
    try app.establish(state)
    app.play(.guardrail(.rowRead(row(epoch, .app), appWantsNode: true)))
    return app
  }

  /// The peer answers, up to the pong that establishes the channel. Returns the orders for it.
  @discardableResult mutating func establish(_ state: NodeState) throws -> [WalletDirective] {
    var peer = try Channel(id: hash("2"), localMsat: 5000, remoteMsat: 0, isOpener: true)
    play(.node(.dialled), .node(.received(.initMessage(InitMessage()))))
    play(.node(.received(peer.reestablish())))
    var state = state
    state.channel =
      try state.channel ?? Channel(id: hash("2"), localMsat: 0, remoteMsat: 5000, isOpener: false)
    play(.node(.checkedAfterInit(wallet.owner, state)))
    return send(.node(.received(.pong(Bytes()))))
  }
}

extension WalletMachine where Guard == AppMachine {
  /// The claim row that the node expects.
  fileprivate var owner: ClaimRow? { node.claim.map { row($0.epoch, .app) } }
}

/// An event of one part of the wallet.
enum PartEvent: Hashable {
  case guardrail(GuardEvent)
  case node(NodeEvent)
  case requests(RequestEvent)
  case background(BackgroundEvent)
  case incoming(IncomingEvent)
  case opening(OpeningEvent)
}

/// Logs each part's event when its handling begins.
struct PartEventLog<Guard: GuardMachine & WalletGuard>: WalletObserver {
  var partEvents: [PartEvent] = []
  var steps: [Opening.Step] = []

  mutating func willHandle(_ event: GuardEvent, _: Guard) { partEvents.append(.guardrail(event)) }
  mutating func willHandle(_ event: NodeEvent, _: NodeMachine) { partEvents.append(.node(event)) }
  mutating func handled(_ record: PartRecord, _: Guard, _: NodeMachine) {
    switch record {
    // Logged above.
    case .guardrail, .node: break
    case .requests(let event, _): partEvents.append(.requests(event))
    case .background(let event, _): partEvents.append(.background(event))
    case .incoming(let event, _): partEvents.append(.incoming(event))
    case .opening(let event, let directives):
      partEvents.append(.opening(event))
      for case .enter(let step) in directives { steps.append(step) }
    }
  }
}
