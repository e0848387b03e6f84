import Ground
import Crypto
import Lightning

// Connections: opened, accepted or refused by their `init`, closed.
extension PeerMachine {
  var registered: UInt64? { links.first { $0.state == .registered }?.id }

  func link(_ connection: UInt64) -> PeerLink? { links.first { $0.id == connection } }

  mutating func set(_ connection: UInt64, _ newState: PeerLink.State) {
    for index in links.indices where links[index].id == connection { links[index].state = newState }
  }

  mutating func connected(_ connection: UInt64, of node: PublicKey?, at now: Instant) -> [PeerDirective] {
    guard link(connection) == nil else { return [] }
    guard !isOtherNode(node) || otherNodes.takesConnection(at: now) else {
      // Without a row: rows are the cost that this limit bounds.
      return [.evict(connection: connection, "too many connections of other nodes")]
    }
    var step = PeerStep(changes: [.connectionOpened(connection: connection, node: node)])
    if links.count >= Self.linkLimit,
      let oldest = evictable
    {
      set(oldest.id, .evicted)
      step.evictions.append(.evict(connection: oldest.id, "closed to make room for connection \(connection)"))
    }
    links.append(PeerLink(id: connection, node: node, initBy: now + Self.initBound))
    // The same for every node, and at once: the answer to the fence comes after the wallet's init.
    step.messages.append(.send(connection: connection, .initMessage(InitMessage(features: features))))
    return step.directives
  }

  /// Whether a connection of this node would be evicted. A caller that asks first writes no journal line for it.
  public func rejects(_ node: PublicKey?, at now: Instant) -> Bool {
    isOtherNode(node) && otherNodes.isFull(at: now)
  }

  /// The oldest unregistered connection, of an unknown node if possible: the wallet's node may be about to send
  /// `init`.
  private var evictable: PeerLink? {
    let others = links.filter { $0.state != .registered && $0.state != .evicted }
    return others.first { isOtherNode($0.node) } ?? others.first
  }

  /// Whether the node is not the wallet's, or the wallet's is not known yet. False without a proven node id.
  func isOtherNode(_ node: PublicKey?) -> Bool { node != nil && node != state.wallet }

  mutating func closed(_ connection: UInt64, _ why: String, at now: Instant) -> [PeerDirective] {
    guard let link = link(connection) else { return [] }
    var step = PeerStep(changes: [.connectionClosed(connection: connection, why)])
    links.removeAll { $0.id == connection }
    if link.state == .registered { walletLeft(at: now, &step) }
    return step.directives
  }

  private mutating func walletLeft(at now: Instant, _ step: inout PeerStep) {
    loseChannel(&step)
    calls.walletLeft(at: now)
    for index in state.payments.indices { state.payments[index].isAnnounced = nil }
  }

  /// Without its connection the channel forgets uncommitted updates.
  private mutating func loseChannel(_ step: inout PeerStep) {
    let before = state.channel.record
    splicePace.forgetConnection()
    state.channel.disconnected()
    if state.channel.record != before { step.changes.append(.channel(StoredChannel(state.channel))) }
  }

  /// Processes no further message of the connection; the caller adds the directive that ends it.
  mutating func lose(_ connection: UInt64, at now: Instant, _ step: inout PeerStep) {
    if registered == connection { walletLeft(at: now, &step) }
    set(connection, .failed)
  }

  /// Sends the reason and closes; all state stays. A warning for no channel: an error would fail the wallet's
  /// channel, and an unknown node must not learn its id.
  mutating func giveUp(_ connection: UInt64, _ why: String, at now: Instant, _ step: inout PeerStep) {
    giveUp(connection, why, sending: .warning(ErrorOrWarning(text: why)), at: now, &step)
  }

  mutating func giveUp(
    _ connection: UInt64, _ why: String, sending message: Message, at now: Instant, _ step: inout PeerStep
  ) {
    lose(connection, at: now, &step)
    step.messages += [
      .send(connection: connection, message), .close(connection: connection, why),
    ]
  }

  mutating func received(
    _ initMessage: InitMessage, by connection: UInt64, at now: Instant
  ) -> [PeerDirective] {
    if isOtherNode(connection, initMessage) {
      return acceptOtherNode(connection, initMessage.mismatch, at: now)
    }
    if let mismatch = initMessage.mismatch {
      var step = PeerStep(changes: [.frameActedOn(connection: connection)])
      giveUp(connection, Self.sentence(mismatch), at: now, &step)
      return step.directives
    }
    let splices = initMessage.offersSplices
    guard !isLegacy else {
      return accept(connection, .unfenced, initMessage.fence, raising: nil, splices: splices, at: now)
    }
    guard let fence = initMessage.fence else {
      // A wallet that has once sent a fence always sends one: without this check any connection could replace the
      // wallet's.
      guard let known = state.fence else {
        return accept(connection, .unfenced, nil, raising: nil, splices: splices, at: now)
      }
      return refuse(connection, .refusedWithoutFence, nil, known)
    }
    guard fence.epoch <= UInt64(Int64.max) else {
      var step = PeerStep(changes: [.frameActedOn(connection: connection)])
      giveUp(connection, "the epoch is above \(Int64.max), which no container can store", at: now, &step)
      return step.directives
    }
    guard let known = state.fence else {
      return accept(connection, .accepted, fence, raising: fence, splices: splices, at: now)
    }
    if !(fence.container == known.container) {
      // Only a user requests this, for exactly the claim that the LSP has reported; the other device is then fenced
      // off.
      guard initMessage.replaces?.isExactly(known) == true, fence.epoch > known.epoch else {
        return refuse(connection, .refusedOtherContainer, fence, known)
      }
    }
    if fence.epoch < known.epoch { return refuse(connection, .refusedLowerEpoch, fence, known) }
    if fence.epoch == known.epoch, fence.incarnation != known.incarnation {
      return refuse(connection, .refusedOtherIncarnation, fence, known)
    }
    return accept(
      connection, .accepted, fence, raising: fence == known ? nil : fence, splices: splices, at: now)
  }

  /// The wallet is the named node; else the first that sent a fence, as no other software does; at an LSP without
  /// fences the first node.
  private func isOtherNode(_ connection: UInt64, _ initMessage: InitMessage) -> Bool {
    guard let node = link(connection)?.node else { return false }
    if lacksWallet { return true }
    guard let wallet = state.wallet else {
      return !isLegacy && initMessage.fence == nil && state.fence == nil
    }
    return node != wallet
  }

  /// An unknown node's fence is ignored: only the wallet's node can raise the stored one.
  private mutating func acceptOtherNode(
    _ connection: UInt64, _ mismatch: String?, at now: Instant
  ) -> [PeerDirective] {
    set(connection, .visiting)
    var step = PeerStep(changes: [
      .frameActedOn(connection: connection), .connectionJudged(connection: connection, .visitor, nil),
    ])
    if let mismatch { giveUp(connection, Self.sentence(mismatch), at: now, &step) }
    return step.directives
  }

  private static func sentence(_ mismatch: String) -> String {
    "your init is incompatible: \(mismatch)"
  }

  private mutating func refuse(
    _ connection: UInt64, _ verdict: ConnectionVerdict, _ fence: Claim?, _ known: Claim
  ) -> [PeerDirective] {
    set(connection, .refused)
    let answer = FenceAnswer(
      accepted: false, highest: known.epoch, container: known.container)
    return [
      .store([
        .frameActedOn(connection: connection), .connectionJudged(connection: connection, verdict, fence),
      ]),
      .send(connection: connection, .fenceAnswer(answer)),
      .close(connection: connection, verdict.rawValue),
    ]
  }

  private mutating func accept(
    _ connection: UInt64, _ verdict: ConnectionVerdict, _ fence: Claim?, raising: Claim?, splices: Bool,
    at now: Instant
  ) -> [PeerDirective] {
    var step = PeerStep(changes: [.frameActedOn(connection: connection)])
    if let raising {
      state.fence = raising
      step.changes.append(.fence(raising))
    }
    step.changes.append(.connectionJudged(connection: connection, verdict, fence))
    if state.wallet == nil { state.wallet = link(connection)?.node }
    if let older = registered {
      loseChannel(&step)
      set(older, .evicted)
      step.evictions.append(.evict(connection: older, "replaced by connection \(connection)"))
    }
    set(connection, .registered)
    calls.walletCame()
    webhooks(&step) { $0.walletCame(&$1) }
    if verdict == .accepted, let fence {
      let answer = FenceAnswer(
        accepted: true, highest: fence.epoch, container: fence.container)
      step.messages.append(.send(connection: connection, .fenceAnswer(answer)))
    }
    if let backup = state.backup {
      step.messages.append(.send(connection: connection, .peerStorageRetrieval(backup)))
    }
    if let failure = state.failure {
      let error = Message.error(ErrorOrWarning(channel: state.channel.id, text: failure))
      giveUp(connection, "the channel has failed", sending: error, at: now, &step)
      return step.directives
    }
    step.messages.append(
      .send(connection: connection, state.channel.reestablish(splicing: splices ? splicingSide : nil)))
    step.messages += endedHolds(for: connection)
    return step.directives
  }
}
