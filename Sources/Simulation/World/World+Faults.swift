import Lightning
import Ground
import Guardrails
import Wallet
import LightningProvider

// Faults of processes and files.
extension World {
  mutating func freeze(_ role: Role) {
    lives[role]?.value.isFrozen = true
    if !settings.reusesNumbers { lives[role]?.value.frozenSince = clock.now }
  }

  /// Frozen between BEGIN and COMMIT of its next write; no other process can write until it thaws or dies.
  mutating func freezeInside(_ role: Role) {
    guard let life = lives[role], !life.value.isFrozen, container.value.writer == nil,
      life.value.isAboutToWrite
    else { return }
    container.value.writer = life.value.identity.pid
    freeze(role)
  }

  public func isAboutToWrite(_ role: Role) -> Bool {
    lives[role]?.value.isAboutToWrite == true && container.value.writer == nil
  }

  mutating func thaw(_ role: Role) {
    guard lives[role]?.value.isFrozen == true else { return }
    lives[role]?.value.isFrozen = false
    lives[role]?.value.wallet.guardrail.foreign?.noteThaw()
    lives[role]?.value.runningSince = clock.now
    lives[role]?.value.thawedAt = clock.now
  }

  /// The phone is switched off and on with an older database. The receipts since then are lost: the peer's backup
  /// does not have them.
  mutating func restoreOldCopy() {
    guard let copy = copies.kept else { return }
    reboot()
    deliverPhoneEvents()
    copies.noteRestored(copy.value, inPlaceOf: container.value)
    sending.forget(container.value, unknownTo: copy.value)
    openAgain(leaving: container.value, for: copy.value)
    container.value.row = copy.value.row
    container.value.node = copy.value.node
    container.value.past = copy.value.past
    container.value.waits = copy.value.waits
    container.value.received = copy.value.received
    container.value.cancelled = copy.value.cancelled
    // Such a payment is received again, with a new notification.
    for hash in copies.forgotten { pushing.withdraw(hash.hex) }
  }

  /// The backups of the peer, also one that it has not stored yet.
  var backups: [NodeBackup] {
    peer.part { [$0.pointee.state.backup, $0.pointee.waitingBackup] }.compactMap { $0.flatMap(Self.backup) }
  }

  /// Sent, and not read by the peer yet.
  var backupsInFlight: [NodeBackup] {
    wires.all.flatMap { wire in
      wire.toPeer.compactMap { packet in
        if case .peerStorage(let blob) = packet.message { Self.backup(blob) } else { nil }
      }
    }
  }

  private static func backup(_ blob: Blob) -> NodeBackup? {
    if case .backup(let backup) = NodeBackup.read(blob.array) { backup } else { nil }
  }

  /// A restart of the peer has lost the newest backup, and the database is older too (an old copy, or of another
  /// device): no wallet can recover from that. A real one asks the peer to close the channel.
  var isStateLost: Bool {
    guard hasLostBackup else { return false }
    var channel = peer.value.state.channel
    channel.disconnected()
    guard case .channelReestablish(let theirs) = channel.reestablish() else { return false }
    let known = backups.map(\.channel) + (container.value.node.channel.map { [$0] } ?? [])
    let outdated = known.filter { $0.isBehind(theirs) }
    // Also a state that its own numbers do not show outdated, but an outdated newer one does.
    return known.allSatisfy { channel in
      channel.isBehind(theirs) || outdated.contains { $0.isNewer(than: channel) }
    }
  }

  mutating func endFaults() {
    endFaultsHere()
    onOtherDevice { $0.endFaultsHere() }
    wires.slowNone()
  }

  private mutating func endFaultsHere() {
    pushing.loseNext(false)
    storage.armed = PerRole(nil, nil)
    storage.isFull = false
    storage.incomingBlockedUntil = nil
    for index in presenceQueue.indices { presenceQueue[index].isLate = false }
  }

  mutating func replaceLock(_ role: Role) {
    container.value.replaceLock(role)
    lockReplacedAt = now
  }
}

extension Life {
  var isAboutToWrite: Bool {
    switch orders.first {
    case .container(.write)?, .container(.guardrail(.claim))?, .container(.guardrail(.raiseEpoch))?: true
    default: false
    }
  }

  /// The database's lock file, if a pending order writes or reads there: the phone may suspend the process at any of
  /// them, and a read transaction is a lock too.
  var databaseInUse: String? {
    let usesDatabase = orders.contains {
      if case .container(let order) = $0 { order.usesDatabase } else { false }
    }
    return usesDatabase && !isFrozen ? Container.databaseLock : nil
  }
}

extension ContainerOrder {
  fileprivate var usesDatabase: Bool {
    switch self {
    case .guardrail(.raiseIntent), .guardrail(.withdrawIntent), .guardrail(.beat), .guardrail(.dropLock):
      false
    default: true
    }
  }
}
