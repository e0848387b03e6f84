import Lightning
import Wallet

@testable import LightningProvider

func milliseconds(_ count: Int64) -> Instant { Instant(nanoseconds: count * 1_000_000) }

func fence(_ epoch: UInt64, incarnation: UInt64 = 1, container: UInt64 = 7) -> Claim {
  Claim(epoch: epoch, incarnation: incarnation, container: ContainerID(high: container, low: container))
}

/// The row of the claim `fence(epoch)`.
func row(_ epoch: UInt64, incarnation: UInt64 = 1) -> ClaimRow {
  ClaimRow(
    epoch: epoch, role: .app, process: ProcessIdentity(pid: 1, startTime: 2, boot: BootID(high: 3, low: 4)),
    incarnation: incarnation, container: fence(epoch).container)
}

extension NodeDirective {
  /// Under the claim that nearly every test uses.
  static func write(_ change: NodeChange) -> NodeDirective { .write(change, under: fence(1)) }
}

extension NodeMachine {
  /// A node that has received its peer's `init`.
  static func greeted(_ state: NodeState = NodeState(), epoch: UInt64 = 1, at now: Instant) -> NodeMachine {
    var node = NodeMachine(configuration: .init())
    _ = node.handle(.started(fence(epoch), state), at: now)
    node.dial(epoch: epoch, at: now)
    return node
  }

  /// The claim row is read, the peer is connected, and its `init` received.
  mutating func dial(epoch: UInt64 = 1, at now: Instant) {
    for event in [.rowRead(row(epoch)), .dialled, .received(.initMessage(InitMessage()))] as [NodeEvent] {
      _ = handle(event, at: now)
    }
  }
}

func initMessage(_ fence: Claim?) -> Message { .initMessage(InitMessage(fence: fence)) }

/// An LSP with one million millisatoshi, and the wallet's end of its channel, driven by hand.
struct PeerFixture {
  var peer: PeerMachine
  var wallet: Channel
  var now: Int64 = 0
  var lastPreimage: Bytes32?

  /// No pings, unless a test sets `rules`.
  init(
    isLegacy: Bool = false, rules: ConnectionRules = ConnectionRules(silence: nil),
    storageDelay: TimeSpan = .zero, pushStrategy: PushForm = .phoenix
  ) throws {
    let channel = try Channel(id: channelID, localMsat: 1_000_000, remoteMsat: 0, isOpener: true)
    peer = PeerMachine(
      configuration: PeerMachine.Configuration(
        isLegacy: isLegacy, rules: rules, storageDelay: storageDelay, startedAt: milliseconds(0),
        state: PeerState(channel: channel), pushStrategy: pushStrategy))
    wallet = try Channel(id: channelID, localMsat: 0, remoteMsat: 1_000_000, isOpener: false)
  }

  /// With the wallet connected and re-established as connection 1.
  static func established(
    rules: ConnectionRules = ConnectionRules(silence: nil), storageDelay: TimeSpan = .zero,
    pushStrategy: PushForm = .phoenix
  ) throws -> PeerFixture {
    var fixture = try PeerFixture(rules: rules, storageDelay: storageDelay, pushStrategy: pushStrategy)
    _ = try fixture.establish(1)
    return fixture
  }

  mutating func handle(_ event: PeerEvent) -> [PeerDirective] { peer.handle(event, at: milliseconds(now)) }

  mutating func hear(_ message: Message, on connection: UInt64 = 1) -> [PeerDirective] {
    handle(.received(connection: connection, message))
  }

  /// The LSP's deadline at this time in milliseconds.
  mutating func wake(at time: Int64) -> [PeerDirective] {
    now = time
    return handle(.deadlineReached)
  }

  mutating func wake(after span: Int64) -> [PeerDirective] { wake(at: now + span) }

  /// Restarts the LSP from the ledger's state.
  mutating func restart() {
    peer = PeerMachine(
      configuration: PeerMachine.Configuration(
        rules: ConnectionRules(silence: nil), startedAt: milliseconds(now), state: peer.state,
        pushStrategy: peer.pushStrategy))
  }

  func wants(_ push: PushRequest) -> Bool { peer.wants(push, at: milliseconds(now)) }

  mutating func pay(_ number: UInt64, msat: UInt64 = 1000, holdUntil: Int64 = 60_000) -> [PeerDirective] {
    handle(.payRequested(request(number, msat: msat, holdUntil: holdUntil)))
  }

  func request(_ number: UInt64, msat: UInt64 = 1000, holdUntil: Int64) -> PaymentRequest {
    PaymentRequest(
      id: number, paymentHash: paymentHash(number), amountMsat: msat, holdUntil: milliseconds(holdUntil))
  }

  /// Requests one part of payment 9.
  mutating func part(_ number: UInt64, _ msat: UInt64, _ data: PaymentData?) -> [PeerDirective] {
    handle(
      .payRequested(
        PaymentRequest(
          id: number, paymentHash: paymentHash(9), amountMsat: msat, holdUntil: milliseconds(60_000),
          paymentData: data)))
  }

  /// Connects and sends `init`. Returns the LSP's directives for it.
  mutating func sendInit(_ connection: UInt64, _ fence: Claim?) -> [PeerDirective] {
    _ = handle(.connected(connection: connection))
    return handle(.received(connection: connection, initMessage(fence)))
  }

  /// The same, as this node.
  mutating func visit(_ connection: UInt64, _ node: PublicKey?, _ fence: Claim?) -> [PeerDirective] {
    _ = handle(.connected(connection: connection, node: node))
    return hear(initMessage(fence), on: connection)
  }

  /// Connects, sends `init` and re-establishes. Returns the LSP's directives for the wallet's `channel_reestablish`.
  mutating func establish(_ connection: UInt64, _ fence: Claim? = fence(1)) throws -> [PeerDirective] {
    wallet.disconnected()
    for message in messages(sendInit(connection, fence)) { _ = try wallet.receive(message) }
    return handle(.received(connection: connection, wallet.reestablish()))
  }

  /// Exchanges messages until both queues are empty; the wallet fulfils or fails each committed HTLC. Returns all
  /// directives.
  mutating func exchange(
    _ connection: UInt64, from first: [PeerDirective], failingWith code: UInt16? = nil
  ) throws -> [PeerDirective] {
    var all: [PeerDirective] = []
    var inbox = messages(first)
    while true {
      for message in inbox { _ = try wallet.receive(message) }
      for htlc in wallet.committedHTLCs {
        if let code { try wallet.fail(htlc.id, code: code) } else { try wallet.fulfill(htlc.id) }
      }
      let outgoing = wallet.takeOutgoing().map { message($0, of: wallet, preimages: knownPreimages) }
      if outgoing.isEmpty { return all }
      inbox = []
      for message in outgoing {
        let directives = handle(.received(connection: connection, message))
        all += directives
        inbox += messages(directives)
      }
    }
  }

  private var knownPreimages: [Bytes32: Bytes32] {
    Dictionary(uniqueKeysWithValues: (0..<100).map { (paymentHash($0), preimage($0)) })
  }
}

func messages(_ directives: [PeerDirective]) -> [Message] {
  directives.compactMap { if case .send(_, let message) = $0 { message } else { nil } }
}

func changes(_ directives: [PeerDirective]) -> [LedgerChange] {
  directives.flatMap { directive -> [LedgerChange] in
    if case .store(let changes) = directive { changes } else { [] }
  }
}

/// All directives except stores and sends.
func others(_ directives: [PeerDirective]) -> [PeerDirective] {
  directives.filter {
    switch $0 {
    case .store, .send: false
    default: true
    }
  }
}
