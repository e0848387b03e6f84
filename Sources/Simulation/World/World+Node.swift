import Ground
import Guardrails
import Lightning
import Wallet

// What the node's shell does in a real process.
extension World {
  mutating func carryOut(_ directive: NodeDirective, _ life: inout Life) {
    if case .write = directive, container.part({ $0.pointee.writer }) != nil {
    } else {
      hasEffect.value = true
    }
    switch directive {
    case .checkRow: life.nodeQueue.append(.rowRead(rowForNode(life)))
    case .checkGreeting: checkGreeting(&life)
    case .write(let change, let claim): write(change, under: claim, &life)
    case .dial: dial(&life)
    case .send(let messages): for message in messages { send(message, &life) }
    case .hangUp: hangUp(&life)
    case .cutOff: abandonWire(&life)
    case .report(let news):
      let report = NodeReport(news)
      life.posted.append(Life.Posted(event: .node(report), nodeStarts: life.nodeStarts))
    case .invoiceStored(let hash): invoiceStored(hash)
    case .invoiceRefused: break
    case .paymentOffered(let hash): paymentOffered(hash, &life)
    case .paymentRefused(let hash, let sentence): paymentRefused(hash, sentence, &life)
    case .paymentEnded(let ended): paymentEnded(ended.payment.paymentHash, &life)
    case .spliceBegun(let splice): spliceBegun(splice, &life)
    case .spliceRefused(let sentence): spliceRefused(sentence, &life)
    case .spliceEnded(let id, _): spliceEnded(id, &life)
    }
  }

  /// Others have no row, and where nothing is claimed before the dial there is none yet: the node reads of its own claim.
  private func rowForNode(_ life: Life) -> ClaimRow? {
    let hasNone = life.claimsAfterDialling != nil || settings.coordination != .baton
    return hasNone ? rowOfItsOwn(life) : container.value.row
  }

  /// What the process goes on with if nobody reads the channel anew. Invoices are looked up when they are needed.
  func stateInMemory(_ life: Life) -> NodeState {
    var state = life.node.durableState
    let stored = nodeInContainer
    state.invoices = stored.invoices
    state.accepted = stored.accepted
    state.waiting = stored.waiting
    return state
  }

  private mutating func checkGreeting(_ life: inout Life) {
    guard !settings.without.contains(.greetingCheck), settings.coordination == .baton else {
      return life.nodeQueue.append(.greetingChecked(rowOfItsOwn(life), stateInMemory(life)))
    }
    guard claimLate(&life) else { return life.nodeQueue.append(.fenced) }
    life.soundRevision = container.value.node.channel?.revision ?? 0
    life.nodeQueue.append(.greetingChecked(container.value.row, nodeInContainer))
  }

  private mutating func write(_ change: NodeChange, under claim: Claim, _ life: inout Life) {
    let isOwner: Bool
    switch container.value.beginWrite(under: claim, by: life.identity.pid) {
    case .blocked: return life.nodeQueue.append(.storeBlocked)
    case .allowed: isOwner = true
    case .fenced where settings.coordination != .baton: isOwner = true
    case .fenced:
      guard settings.without.contains(.fencedWrites) else { return life.nodeQueue.append(.fenced) }
      isOwner = false
    }
    if !isOwner { report(.oneDriver, "A write of \(life.role) under an epoch that it lost succeeds.") }
    if let channel = change.channel, change.restored == nil, let stored = container.value.node.channel,
      channel.revision <= stored.revision
    {
      report(.channelNeverBack, "The database would go back to revision \(channel.revision).")
    }
    store(change)
    if isOwner, let channel = change.channel { life.soundRevision = channel.revision }
    life.nodeQueue.append(.written)
  }

  private mutating func store(_ change: NodeChange) {
    if let channel = change.channel { container.value.node.channel = channel }
    if change.restored != nil, let channel = change.channel { container.value.follow(channel) }
    if let waiting = change.waiting { container.value.write(waiting: waiting, boot: boot, at: peerNow) }
    if let payments = change.payments { store(payments) }
    if let failure = change.failure { container.value.node.failure = failure }
    container.value.node.followInvoices(change)
    for receipt in change.received {
      if container.value.received.contains(where: { $0.invoice.paymentHash == receipt.invoice.paymentHash }) {
        report(.paidIsReceivedOnce, "A payment is received a second time.")
      }
      container.value.received.append(receipt)
    }
  }

  /// Where nothing is claimed before the dial, it is now. False: another was before it.
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

  private mutating func evictOthers(than id: UInt64) {
    for wire in wires where wire.id != id { endForPeer(wire.id, "another connection came") }
  }

  // MARK: The wire

  private mutating func dial(_ life: inout Life) {
    guard phone.device.hasNetwork else { return life.nodeQueue.append(.closed("the network is unreachable")) }
    let id = newWire()
    wires.append(Wire(id: id, owner: life.identity.pid))
    life.wire = id
  }

  private mutating func send(_ outgoing: NodeOutgoing, _ life: inout Life) {
    guard let id = life.wire, let index = wireIndex(id), !wires[index].isOverForPeer else { return }
    let message: Message
    switch outgoing {
    case .message(let plain), .channel(.message(let plain)): message = plain
    case .backup(let backup): message = .peerStorage(Bytes(backup.encoded()))
    case .channel(.fulfill(let htlc, let hash)):
      guard let channel = life.node.durableChannel, let preimage = preimage(of: hash) else { return }
      if settings.coordination == .baton, !checkWhole(hash, shownBy: life) {
        report(.paidIsReceivedOnce, "The preimage of a payment leaves for a part of it.")
      }
      message = channel.fulfilMessage(htlc, preimage: preimage)
    }
    if case .channelReestablish = message {
      wires[index].isDriven = true
      if settings.coordination != .baton { startsToDrive(&life) }
    }
    checkDurable(message, of: life)
    checkBinding(message, of: life)
    let revision = life.node.durableChannel?.revision ?? 0
    wires[index].toPeer.append(Wire.Packet(message: message, isSound: revision <= life.soundRevision))
  }

  private mutating func hangUp(_ life: inout Life) {
    guard let id = life.wire, let index = wireIndex(id) else {
      return life.nodeQueue.append(.closed("there was no connection"))
    }
    wires[index].isShutByWallet = true
  }

  /// What was sent before still arrives.
  mutating func abandonWire(_ life: inout Life) {
    guard let id = life.wire else { return }
    life.wire = nil
    abandonWire(id)
  }

  mutating func abandonWire(_ id: UInt64) {
    guard let index = wireIndex(id) else { return }
    wires[index].isShutByWallet = true
    wires[index].isAbandoned = true
    wires[index].toWallet = []
    if wires[index].isOverForPeer { wires.remove(at: index) }
  }

  /// Without the rule what a part says of the whole is not read.
  private func asRead(_ message: Message) -> Message {
    guard settings.without.contains(.completeSet), case .addHTLC(var part) = message else { return message }
    part.paymentData?.totalMsat = part.amountMsat
    return .addHTLC(part)
  }

  /// With the payment secrets, which no backup has.
  private func opened(_ blob: Bytes) -> BackupReading {
    guard case .backup(var backup) = NodeBackup.read(blob.array) else { return NodeBackup.read(blob.array) }
    for index in backup.invoices.indices {
      let hash = backup.invoices[index].paymentHash
      backup.invoices[index].paymentSecret =
        invoices.last { $0.invoice.paymentHash == hash }?.invoice.paymentSecret
    }
    return .backup(backup)
  }

  mutating func walletReads(_ id: UInt64) {
    guard let index = wireIndex(id), let role = role(ofPid: wires[index].owner) else { return }
    withLife(role) { world, life in
      guard let index = world.wireIndex(id) else { return }
      if !world.wires[index].isAccepted {
        world.wires[index].isAccepted = true
        life.nodeQueue.append(.dialled)
        if world.settings.without.contains(.evictAfterFence) { world.evictOthers(than: id) }
        world.tellPeer(.connected(connection: id))
      } else if let message = world.wires[index].toWallet.popFirst() {
        if case .peerStorageRetrieval(let blob) = message {
          life.nodeQueue.append(.backupReceived(world.opened(blob)))
        } else {
          life.nodeQueue.append(.received(world.asRead(message)))
        }
      } else if world.wires[index].isShutByPeer {
        life.wire = nil
        world.abandonWire(id)
        life.nodeQueue.append(.closed("the peer hung up"))
      }
    }
  }
}
