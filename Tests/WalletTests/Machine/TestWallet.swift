import Ground
import Guardrails

@testable import Bitcoin
@testable import LightningWire
@testable import LightningChannel
@testable import LightningNode
@testable import Wallet

/// A wallet in virtual time, with the test in the place of its three ports.
struct TestWallet<Guard: GuardMachine & WalletGuard> {
  private(set) var wallet: WalletMachine<Guard>
  private(set) var now = seconds(0)
  /// Who has thought about what, in this order, since the last event from outside.
  private(set) var thoughts: [Thought] = []

  init(background: BackgroundWork.Habits? = nil) {
    wallet = WalletMachine(
      guardrail: Guard(configuration: GuardConfiguration()), node: NodeMachine.Configuration(),
      background: background)
  }

  /// All that it orders in answer to one event.
  mutating func send(_ event: WalletEvent, at second: Double? = nil) -> [WalletDirective] {
    if let second { now = seconds(second) }
    var observer = Thoughts<Guard>()
    defer { thoughts = observer.thoughts }
    return wallet.handle(event, at: now, &observer)
  }

  mutating func send(_ event: GuardEvent, at second: Double? = nil) -> [WalletDirective] {
    send(.guardrail(event), at: second)
  }

  /// Several events, of which only the last one's answer matters.
  @discardableResult
  mutating func play(_ events: WalletEvent..., at second: Double? = nil) -> [WalletDirective] {
    events.reduce([]) { _, event in send(event, at: second) }
  }
}

extension TestWallet where Guard == AppMachine {
  /// In front of the user; the claim is asked for.
  static func claiming(_ epoch: Epoch = 8, background: BackgroundWork.Habits? = nil) -> TestWallet {
    var app = TestWallet(background: background)
    app.play(.guardrail(.launched), .guardrail(.enteredForeground))
    app.play(.guardrail(.observed(free(epoch - 1, .extension))))
    return app
  }

  /// The node dials.
  static func connecting(
    _ epoch: Epoch = 8, _ state: NodeState = NodeState(), background: BackgroundWork.Habits? = nil
  ) -> TestWallet {
    var app = claiming(epoch, background: background)
    app.play(.claimed(claim(epoch), state), .guardrail(.rowRead(row(epoch, .app), appWantsNode: true)))
    app.play(.node(.rowRead(row(epoch, .app))))
    return app
  }

  /// The channel runs, and the guard has written so.
  static func connected(
    _ epoch: Epoch = 8, _ state: NodeState = NodeState(), background: BackgroundWork.Habits? = nil
  ) throws -> TestWallet {
    var app = connecting(epoch, state, background: background)
    try app.greet(state)
    app.play(.guardrail(.rowRead(row(epoch, .app), appWantsNode: true)))
    return app
  }

  /// The peer answers the dial, up to the word that shows that the channel runs. Gives what is ordered for that word.
  @discardableResult
  mutating func greet(_ state: NodeState) throws -> [WalletDirective] {
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
  /// The row of whoever the node thinks it is.
  fileprivate var owner: ClaimRow? { node.claim.map { row($0.epoch, .app) } }
}

/// One event of one part.
enum Thought: Hashable {
  case guardrail(GuardEvent)
  case node(NodeEvent)
  case requests(RequestEvent)
  case background(BackgroundEvent)
}

/// Writes down who thinks about what, at the moment in which it begins.
struct Thoughts<Guard: GuardMachine & WalletGuard>: WalletObserver {
  var thoughts: [Thought] = []

  mutating func willHandle(_ event: GuardEvent, _: Guard) { thoughts.append(.guardrail(event)) }
  mutating func willHandle(_ event: NodeEvent, _: NodeMachine) { thoughts.append(.node(event)) }
  func handled(_: GuardEvent, _: [GuardDirective], _: Guard) {}
  func handled(_: NodeEvent, _: [NodeDirective], _: NodeMachine) {}
  mutating func handled(_ event: RequestEvent, _: [RequestDirective]) { thoughts.append(.requests(event)) }
  mutating func handled(_ event: BackgroundEvent, _: [BackgroundDirective]) {
    thoughts.append(.background(event))
  }
}
