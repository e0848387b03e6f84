// Lightning/Channel: one payment channel: updates, commitments, revocations and splices. The wallet and the LSP use
// the same code.

import Ground

/// One end of a payment channel: BOLT 2's updates, commitments and revocations, without keys and without I/O. Both
/// ends use this type.
///
/// The caller must, without exception: call; take the messages with `takeOutgoing`; make the changed channel
/// durable; only then send. At most one commitment is unrevoked at a time, and updates are sent together with the
/// commitment that covers them.
///
/// A call that throws has changed nothing. Each change of the durable part raises `revision`.
public struct Channel: Hashable, Sendable {
  public internal(set) var record: ChannelRecord
  var link = ChannelLink()

  public init(id: Bytes32, localMsat: UInt64, remoteMsat: UInt64, isOpener: Bool) throws(ChannelError) {
    try self.init(
      restoring: ChannelRecord(id: id, isOpener: isOpener, localMsat: localMsat, remoteMsat: remoteMsat))
  }

  /// From the columns of a database, disconnected.
  public init(restoring record: ChannelRecord) throws(ChannelError) {
    try record.checkSoundness()
    self.record = record
    rollBack()
  }

  /// From a backup.
  public init(decoding bytes: [UInt8]) throws(ChannelError) {
    try self.init(restoring: try ChannelRecord(decoding: bytes))
  }

  /// For a backup.
  public func encoded() -> [UInt8] { record.encoded() }

  public var id: Bytes32 { record.id }
  public var localMsat: UInt64 { record.localMsat }
  public var remoteMsat: UInt64 { record.remoteMsat }
  public var htlcs: [HTLC] { record.htlcs }
  public var revision: UInt64 { record.revision }

  /// The sum of balances and HTLCs. Only a splice changes it.
  public var capacityMsat: UInt64 {
    record.htlcs.reduce(record.localMsat &+ record.remoteMsat) { $0 &+ $1.amountMsat }
  }

  /// Whether both ends have exchanged `channel_reestablish` on this connection.
  public var isReestablished: Bool { link.isUp }

  /// Incoming HTLCs that are irrevocably committed and neither fulfilled nor failed yet.
  public var committedHTLCs: [HTLC] { record.htlcs.filter { $0.state == .receivedAddAckRevocation } }

  /// Runs a change on a copy, so that a refusal leaves everything as it was.
  mutating func change<Result>(
    _ body: (inout Channel) throws(ChannelError) -> Result
  ) throws(ChannelError) -> Result {
    var changed = self
    let result = try body(&changed)
    if changed.record != record { changed.record.revision += 1 }
    self = changed
    return result
  }

  /// Applies the step to all HTLCs, and adds the amounts of removed ones to a balance. Returns the HTLCs that moved.
  mutating func advance(_ step: HTLCStep) -> [HTLC] {
    var moved: [HTLC] = []
    var remaining: [HTLC] = []
    for var htlc in record.htlcs {
      switch htlc.state.after(step) {
      case .unmoved: remaining.append(htlc)
      case .moved(let state):
        htlc.state = state
        moved.append(htlc)
        remaining.append(htlc)
      case .gone:
        moved.append(htlc)
        payOut(htlc)
      }
    }
    record.htlcs = remaining
    return moved
  }

  /// Adds a removed HTLC's amount to a balance. The sum cannot overflow: it is within the capacity.
  private mutating func payOut(_ htlc: HTLC) {
    let isPaid = if case .fulfilled = htlc.removal { true } else { false }
    if (htlc.direction == .received) == isPaid {
      record.localMsat += htlc.amountMsat
    } else {
      record.remoteMsat += htlc.amountMsat
    }
  }
}

extension Channel: Codable {
  private enum CodingKeys: CodingKey { case record, link }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let record = try container.decode(ChannelRecord.self, forKey: .record)
    try record.checkSoundness()
    self.record = record
    link = try container.decode(ChannelLink.self, forKey: .link)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(record, forKey: .record)
    try container.encode(link, forKey: .link)
  }
}

/// The channel's state of the current connection. Never durable: a restored channel starts without one.
struct ChannelLink: Hashable, Codable, Sendable {
  var saidReestablish = false
  var heardReestablish = false
  /// Sent on an earlier connection, and lost.
  var mustResendCommitment = false
  var mustResendRevocation = false
  /// Nil is empty.
  private var splices: SpliceLink?

  var isUp: Bool { saidReestablish && heardReestablish }

  var splicing: SpliceLink {
    get { splices ?? SpliceLink() }
    set { splices = newValue == SpliceLink() ? nil : newValue }
  }
}

/// The four events that move HTLCs, for all HTLCs of a channel at once.
enum HTLCStep {
  case commitmentSent
  case revocationReceived
  case commitmentReceived
  case revocationSent
}

/// The effect of a step on one HTLC.
enum HTLCProgress: Equatable {
  case unmoved
  case moved(HTLCState)
  case gone
}

extension HTLCState {
  /// BOLT 2's transitions.
  func after(_ step: HTLCStep) -> HTLCProgress {
    switch (self, step) {
    case (.sentAdd, .commitmentSent): .moved(.sentAddCommit)
    case (.sentAddCommit, .revocationReceived): .moved(.receivedAddRevocation)
    case (.receivedAddRevocation, .commitmentReceived): .moved(.receivedAddAckCommit)
    case (.receivedAddAckCommit, .revocationSent): .moved(.sentAddAckRevocation)
    case (.receivedRemove, .commitmentReceived): .moved(.receivedRemoveCommit)
    case (.receivedRemoveCommit, .revocationSent): .moved(.sentRemoveRevocation)
    case (.sentRemoveRevocation, .commitmentSent): .moved(.sentRemoveAckCommit)
    case (.sentRemoveAckCommit, .revocationReceived): .gone

    case (.receivedAdd, .commitmentReceived): .moved(.receivedAddCommit)
    case (.receivedAddCommit, .revocationSent): .moved(.sentAddRevocation)
    case (.sentAddRevocation, .commitmentSent): .moved(.sentAddAckCommit)
    case (.sentAddAckCommit, .revocationReceived): .moved(.receivedAddAckRevocation)
    case (.sentRemove, .commitmentSent): .moved(.sentRemoveCommit)
    case (.sentRemoveCommit, .revocationReceived): .moved(.receivedRemoveRevocation)
    case (.receivedRemoveRevocation, .commitmentReceived): .moved(.receivedRemoveAckCommit)
    case (.receivedRemoveAckCommit, .revocationSent): .gone

    default: .unmoved
    }
  }
}

/// The state of one HTLC by BOLT 2, with the names of most implementations. "sent" and "received" are seen from this
/// side. 0 to 8 are states of an HTLC that this side offered, 10 to 18 of one that the other side offered; the other
/// side has the mirrored state, with `sent` and `received` exchanged.
///
/// Each state is left by exactly one event, in parentheses.
public enum HTLCState: UInt8, Hashable, Codable, Sendable, CaseIterable {
  // Offered by this side.
  /// Not committed, and perhaps not sent. → sentAddCommit (commitment sent)
  case sentAdd = 0
  /// → receivedAddRevocation (revocation received)
  case sentAddCommit = 1
  /// Irrevocably in the other side's commitment. → receivedAddAckCommit (commitment received)
  case receivedAddRevocation = 2
  /// → sentAddAckRevocation (revocation sent)
  case receivedAddAckCommit = 3
  /// Irrevocably committed on both sides. → receivedRemove (fulfil or fail received)
  case sentAddAckRevocation = 4
  /// → receivedRemoveCommit (commitment received), sentAddAckRevocation (connection lost)
  case receivedRemove = 5
  /// → sentRemoveRevocation (revocation sent)
  case receivedRemoveCommit = 6
  /// → sentRemoveAckCommit (commitment sent)
  case sentRemoveRevocation = 7
  /// → gone (revocation received)
  case sentRemoveAckCommit = 8

  // Offered by the other side.
  /// → receivedAddCommit (commitment received), gone (connection lost)
  case receivedAdd = 10
  /// → sentAddRevocation (revocation sent)
  case receivedAddCommit = 11
  /// → sentAddAckCommit (commitment sent)
  case sentAddRevocation = 12
  /// → receivedAddAckRevocation (revocation received)
  case sentAddAckCommit = 13
  /// Irrevocably committed on both sides. → sentRemove (fulfilled or failed here)
  case receivedAddAckRevocation = 14
  /// Not committed, and perhaps not sent. → sentRemoveCommit (commitment sent)
  case sentRemove = 15
  /// → receivedRemoveRevocation (revocation received)
  case sentRemoveCommit = 16
  /// → receivedRemoveAckCommit (commitment received)
  case receivedRemoveRevocation = 17
  /// → gone (revocation sent)
  case receivedRemoveAckCommit = 18
}

extension HTLCState {
  public var direction: HTLCDirection { rawValue < 10 ? .offered : .received }

  /// Whether a fulfillment or failure is pending.
  public var isBeingRemoved: Bool { rawValue % 10 >= 5 }

  /// Irrevocably in both commitments, and its removal has not begun.
  var isForGood: Bool { self == .sentAddAckRevocation || self == .receivedAddAckRevocation }

  /// Whether the commitment that this side signed last, for the other side, contains the HTLC.
  var isInRemoteCommitment: Bool {
    switch direction {
    case .offered: rawValue >= 1 && rawValue <= 7
    case .received: rawValue >= 13 && rawValue <= 15
    }
  }

  /// Whether the commitment that the other side signed last, for this side, contains the HTLC.
  var isInLocalCommitment: Bool {
    switch direction {
    case .offered: rawValue >= 3 && rawValue <= 5
    case .received: rawValue >= 11 && rawValue <= 17
    }
  }
}
