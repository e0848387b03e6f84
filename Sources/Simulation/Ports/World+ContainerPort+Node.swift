import Ground
import Guardrails
import Wallet

// The container port's orders of the node and the background work.
extension World {
  /// The row that the node reads. Before a late claim there is none: it reads its own claim.
  func rowForNode(_ life: Life) -> ClaimRow? {
    life.claimsAfterDialling != nil ? rowOfItsOwn(life) : container.value.row
  }

  /// The state without a new read of the channel. Invoices are looked up when they are needed.
  func stateInMemory(_ life: Life) -> NodeState {
    var state = life.wallet.node.durableState
    let stored = nodeInContainer
    state.invoices = stored.invoices
    state.accepted = stored.accepted
    state.waiting = stored.waiting
    return state
  }

  mutating func checkAfterInit(_ life: inout Life) {
    guard !settings.without.contains(.initCheck) else {
      return life.answer(.checkedAfterInit(rowOfItsOwn(life), stateInMemory(life)))
    }
    guard claimLate(&life) else { return life.answer(.fenced) }
    life.soundRevision = container.value.node.channel?.revision ?? 0
    life.answer(.checkedAfterInit(container.value.row, nodeInContainer))
  }

  mutating func write(_ change: NodeChange, under claim: Claim, _ life: inout Life) {
    let isOwner: Bool
    switch container.value.beginWrite(under: claim, by: life.identity.pid) {
    case .blocked: return life.answer(.storeBlocked)
    case .allowed: isOwner = true
    case .fenced where exclusion != nil: isOwner = true
    case .fenced:
      guard settings.without.contains(.fencedWrites) else { return life.answer(.fenced) }
      isOwner = false
    }
    if !isOwner { report(.oneDriver, "A write of the \(life.role) under a superseded epoch succeeds.") }
    if let channel = change.channel, let stored = container.value.node.channel,
      channel.revision <= stored.revision
    {
      report(.channelNeverBack, "The channel in the database would go back to revision \(channel.revision).")
    }
    store(change)
    if isOwner, let channel = change.channel { life.soundRevision = channel.revision }
    life.answer(.written)
  }

  private mutating func store(_ change: NodeChange) {
    if let channel = change.channel { container.value.node.channel = channel }
    if change.restored != nil, let channel = change.channel { container.value.follow(channel) }
    if let waiting = change.waiting { container.value.write(waiting: waiting, boot: boot, at: peerNow) }
    if let payments = change.payments { store(payments) }
    if let failure = change.failure { container.value.node.failure = failure }
    container.value.followInvoices(change)
    if let cancelled = change.cancelled { checkCancel(of: cancelled) }
    for receipt in change.received {
      if change.restored == nil { checkNotCancelled(receipt) }
      if container.value.received.contains(where: { $0.invoice.paymentHash == receipt.invoice.paymentHash }) {
        report(.paidIsReceivedOnce, "A payment is received a second time.")
      }
      container.value.received.append(receipt)
    }
  }

  /// Makes a claim that was not made before the dial. False: the other process has claimed.
  private mutating func claimLate(_ life: inout Life) -> Bool {
    guard let late = life.claimsAfterDialling, let claim = life.claim else { return true }
    life.claimsAfterDialling = nil
    let claimant = Container.Claimant(role: life.role, process: life.identity, incarnation: claim.incarnation)
    let before = container.value.row
    guard case .claimed = container.value.claim(seen: late, by: claimant, without: settings.without) else {
      return false
    }
    checkDisplacement(of: before, by: life)
    return true
  }

  /// In seconds of the peer's clock, which is never set.
  mutating func readIncoming(_ asked: [Bytes32], _ life: inout Life) {
    let records = container.value.incoming
    let hashes =
      records.map(\.paymentHash)
      + asked.filter { hash in
        !records.contains { $0.paymentHash == hash }
      }
    let settled = hashes.filter { container.value.isSettled($0) }.compactMap { hash in
      container.value.received.first { $0.invoice.paymentHash == hash }
    }
    life.answers.append(
      .incoming(
        .recordsRead(
          records, received: settled.map { ReceivedPayment($0) },
          atWallSeconds: wallSeconds)))
  }

  /// One short read, blocked by a process that is frozen inside a transaction.
  mutating func lookAtWallet(_ run: UInt64, _ life: inout Life) {
    let isBlocked = container.part { $0.pointee.writer } != nil
    life.answers.append(
      .background(
        .stepDone(run: run, isBlocked ? .busy("the container is blocked") : .done("it can be read"))))
  }
}
