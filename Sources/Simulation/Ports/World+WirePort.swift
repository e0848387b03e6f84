import Ground
import Lightning
import Wallet

// The port to the wire.
extension World {
  mutating func carryOut(_ order: WireOrder, _ life: inout Life) {
    hasEffect.value = true
    switch order {
    case .dial: dial(&life)
    case .send(let messages): for message in messages { send(message, &life) }
    case .hangUp: hangUp(&life)
    case .cutOff: abandonWire(&life)
    }
  }

  private mutating func evictOthers(than id: UInt64) {
    for wire in wires where wire.id != id { endForPeer(wire.id, "another connection came") }
  }

  private mutating func dial(_ life: inout Life) {
    guard phone.device.hasNetwork else { return life.answer(.closed("the network is unreachable")) }
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
      guard let channel = life.wallet.node.durableChannel, let preimage = preimage(of: hash) else { return }
      if !checkWhole(hash, shownBy: life) {
        report(.paidIsReceivedOnce, "The preimage of a payment leaves for a part of it.")
      }
      message = channel.fulfilMessage(htlc, preimage: preimage)
    }
    if case .channelReestablish = message {
      wires[index].isDriven = true
      others?.drives(&life)
    }
    checkDurable(message, of: life)
    checkBinding(message, of: life)
    let revision = life.wallet.node.durableChannel?.revision ?? 0
    wires[index].toPeer.append(Wire.Packet(message: message, isSound: revision <= life.soundRevision))
  }

  private mutating func hangUp(_ life: inout Life) {
    guard let id = life.wire, let index = wireIndex(id) else {
      return life.answer(.closed("there was no connection"))
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
        life.answer(.dialled)
        if world.settings.without.contains(.evictAfterFence) { world.evictOthers(than: id) }
        world.tellPeer(.connected(connection: id))
      } else if let message = world.wires[index].toWallet.popFirst() {
        if case .peerStorageRetrieval(let blob) = message {
          life.answer(.backupReceived(world.opened(blob)))
        } else {
          life.answer(.received(world.asRead(message)))
        }
      } else if world.wires[index].isShutByPeer {
        life.wire = nil
        world.abandonWire(id)
        life.answer(.closed("the peer hung up"))
      }
    }
  }
}
