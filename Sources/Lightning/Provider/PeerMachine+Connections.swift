import Ground
import Crypto
import LightningWire

// Connections come, are judged by their `init`, and go.
extension PeerMachine {
  var registered: UInt64? { links.first { $0.state == .registered }?.id }

  func link(_ connection: UInt64) -> PeerLink? { links.first { $0.id == connection } }

  mutating func set(_ connection: UInt64, _ newState: PeerLink.State) {
    for index in links.indices where links[index].id == connection { links[index].state = newState }
  }

  mutating func connected(_ connection: UInt64, of node: PublicKey?, at now: Instant) -> [PeerDirective] {
    guard link(connection) == nil else { return [] }
    guard !isStranger(node) || visitors.takesConnection(at: now) else {
      // Nothing is written down of it: that is what it would cost.
      return [.evict(connection: connection, "too many other nodes connect")]
    }
    var step = PeerStep(changes: [.connectionOpened(connection: connection, node: node)])
    if links.count >= Self.linkLimit,
      let oldest = makesRoom
    {
      set(oldest.id, .evicted)
      step.evictions.append(.evict(connection: oldest.id, "connection \(connection) needed its place"))
    }
    links.append(PeerLink(id: connection, node: node, initBy: now + Self.initBound))
    // The same for everybody, and at once: what is said to the wallet's claim comes behind its own init.
    step.messages.append(.send(connection: connection, .initMessage(InitMessage(features: features))))
    return step.directives
  }

  /// Whether this one would only be turned away. Who asks before saying that it came spares the journal as well.
  public func turnsAway(_ node: PublicKey?, at now: Instant) -> Bool {
    isStranger(node) && visitors.isFull(at: now)
  }

  /// The oldest that does not speak for the wallet; its own node's last of all, as it may be about to.
  private var makesRoom: PeerLink? {
    let others = links.filter { $0.state != .registered && $0.state != .evicted }
    return others.first { isStranger($0.node) } ?? others.first
  }

  /// Another node than the wallet's, or any before that one is known. Where nobody can prove who it is nobody is one.
  func isStranger(_ node: PublicKey?) -> Bool { node != nil && node != state.wallet }

  mutating func closed(_ connection: UInt64, _ why: String, at now: Instant) -> [PeerDirective] {
    guard let link = link(connection) else { return [] }
    var step = PeerStep(changes: [.connectionClosed(connection: connection, why)])
    links.removeAll { $0.id == connection }
    if link.state == .registered {
      loseChannel(&step)
      calls.walletLeft(at: now)
    }
    return step.directives
  }

  /// With its connection the channel forgets what no commitment covers.
  private mutating func loseChannel(_ step: inout PeerStep) {
    let before = state.channel.record
    splicePace.forgetConnection()
    state.channel.disconnected()
    if state.channel.record != before { step.changes.append(.channel(state.channel.record)) }
  }

  /// From here on nothing of it is acted on; how it ends is for the caller to add.
  mutating func lose(_ connection: UInt64, at now: Instant, _ step: inout PeerStep) {
    if registered == connection {
      loseChannel(&step)
      calls.walletLeft(at: now)
    }
    set(connection, .failed)
  }

  /// Says why on the wire, and closes; all state stays. A warning of no channel: an error would fail the wallet's channel,
  /// and its id is no business of a stranger's.
  mutating func giveUp(_ connection: UInt64, _ why: String, at now: Instant, _ step: inout PeerStep) {
    giveUp(connection, why, saying: .warning(Complaint(text: why)), at: now, &step)
  }

  mutating func giveUp(
    _ connection: UInt64, _ why: String, saying complaint: Message, at now: Instant, _ step: inout PeerStep
  ) {
    lose(connection, at: now, &step)
    step.messages += [
      .send(connection: connection, complaint), .close(connection: connection, why),
    ]
  }

  mutating func greeted(_ initMessage: InitMessage, by connection: UInt64, at now: Instant) -> [PeerDirective] {
    if isVisitor(connection, initMessage) {
      return welcomeVisitor(connection, initMessage.mismatch, at: now)
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
      // A wallet that has once shown its claim always does: without one anybody could take its place.
      guard let known = state.fence else {
        return accept(connection, .unfenced, nil, raising: nil, splices: splices, at: now)
      }
      return refuse(connection, .refusedWithoutFence, nil, known)
    }
    guard fence.epoch <= UInt64(Int64.max) else {
      var step = PeerStep(changes: [.frameActedOn(connection: connection)])
      giveUp(connection, "the epoch is above \(Int64.max): no container can hold it", at: now, &step)
      return step.directives
    }
    guard let known = state.fence else {
      return accept(connection, .accepted, fence, raising: fence, splices: splices, at: now)
    }
    if !(fence.container == known.container) {
      // Only a user says this, of the one claim that the peer has named; whoever claimed last is then the other device.
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

  /// The channel is with the node that was named; else with the first that showed a claim, as no other software does, and at a
  /// peer that knows no claims with the first of all.
  private func isVisitor(_ connection: UInt64, _ initMessage: InitMessage) -> Bool {
    guard let node = link(connection)?.node else { return false }
    if lacksWallet { return true }
    guard let wallet = state.wallet else { return !isLegacy && initMessage.fence == nil && state.fence == nil }
    return node != wallet
  }

  /// Its claim is no business of the channel's, whatever it says: only the channel's own node can raise the fence.
  private mutating func welcomeVisitor(
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
    "your init does not fit: \(mismatch)"
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
      step.evictions.append(.evict(connection: older, "connection \(connection) took its place"))
    }
    set(connection, .registered)
    calls.walletCame()
    if verdict == .accepted, let fence {
      let answer = FenceAnswer(
        accepted: true, highest: fence.epoch, container: fence.container)
      step.messages.append(.send(connection: connection, .fenceAnswer(answer)))
    }
    if let backup = state.backup {
      step.messages.append(.send(connection: connection, .peerStorageRetrieval(backup)))
    }
    if let failure = state.failure {
      let error = Message.error(Complaint(channel: state.channel.id, text: failure))
      giveUp(connection, "the channel has failed", saying: error, at: now, &step)
      return step.directives
    }
    step.messages.append(
      .send(connection: connection, state.channel.reestablish(splicing: splices ? splicingSide : nil)))
    return step.directives
  }
}
