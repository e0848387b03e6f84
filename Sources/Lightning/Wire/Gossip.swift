import Bitcoin

/// BOLT 7: what peers tell each other of the network. Nothing of it is needed here, as all payments go through one peer; but
/// peers send it unasked, and who offers `gossip_queries` answers questions.
enum Gossip {
  /// `channel_announcement` to `gossip_timestamp_filter`.
  static let types: ClosedRange<UInt16> = 256...265

  private static let queryShortChannelIDs: UInt16 = 261
  private static let replyShortChannelIDsEnd: UInt16 = 262
  private static let queryChannelRange: UInt16 = 263
  private static let replyChannelRange: UInt16 = 264

  static func isQuestion(_ type: UInt16) -> Bool { type == queryShortChannelIDs || type == queryChannelRange }

  /// That nothing is known, in the form that is asked for; nil for what is no question, or half of one.
  static func answer(to type: UInt16, _ question: Bytes) -> Message? {
    let reader = question.array
    switch type {
    case queryShortChannelIDs where reader.count >= 32:
      // The chain that was asked about, and: no up-to-date information about it.
      return .unknown(type: replyShortChannelIDsEnd, bytes: Bytes(reader[..<32] + [0]))
    case queryChannelRange where reader.count >= 40:
      // The chain and the blocks that were asked about, the same, and an empty list in its plain encoding.
      return .unknown(type: replyChannelRange, bytes: Bytes(reader[..<40] + [0, 0, 1, 0]))
    default: return nil
    }
  }
}

extension Message {
  /// An announcement, an update, a filter, or a question about them.
  public var isGossip: Bool {
    if case .unknown(let type, _) = self { Gossip.types.contains(type) } else { false }
  }

  /// What a question about the network is answered with.
  package var gossipAnswer: Message? {
    guard case .unknown(let type, let bytes) = self else { return nil }
    return Gossip.answer(to: type, bytes)
  }
}
