// LightningChannel: one payment channel: updates, commitments, revocations and splices. The wallet and the LSP use
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
