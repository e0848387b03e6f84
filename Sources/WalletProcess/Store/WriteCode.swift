import Wallet

/// A fenced write's changes, as its row stores them: `revision=7 received=1`. Each part occurs once, with a number.
public enum WriteCode {
  public enum Part: String, Hashable, Sendable, CaseIterable {
    /// From the peer's backup.
    case restored = "restored"
    /// Of the channel.
    case revision = "revision"
    case invoice = "invoice"
    case cancelled = "cancelled"
    case received = "received"
    case offered = "offered"
    case ended = "ended"
    /// The number of payments with missing parts from now on.
    case waiting = "waiting"
    /// The peer failed the channel.
    case failed = "failed"
  }

  public static func of(_ change: NodeChange) -> String {
    parts(of: change).map { "\($0.part.rawValue)=\($0.number)" }.joined(separator: " ")
  }

  private static func parts(of change: NodeChange) -> [(part: Part, number: UInt64)] {
    let sent = change.payments
    let all: [(Part, UInt64?)] = [
      (.restored, change.restored == nil ? nil : 1), (.revision, change.channel?.revision),
      (.invoice, change.newInvoice == nil ? nil : 1), (.cancelled, change.cancelled == nil ? nil : 1),
      (.received, some(change.received.count)), (.offered, some(sent?.offered.count ?? 0)),
      (.ended, some(sent?.ended.count ?? 0)), (.waiting, change.waiting.map { UInt64($0.count) }),
      (.failed, change.failure == nil ? nil : 1),
    ]
    return all.compactMap { part, number in number.map { (part, $0) } }
  }

  private static func some(_ count: Int) -> UInt64? { count == 0 ? nil : UInt64(count) }

  /// nil for codes that this version does not write.
  public static func read(_ code: String) -> [(part: Part, number: UInt64)]? {
    var parts: [(Part, UInt64)] = []
    for word in code.split(separator: " ") {
      let sides = word.split(separator: "=", maxSplits: 1)
      guard sides.count == 2, let part = Part(rawValue: String(sides[0])), let number = UInt64(sides[1])
      else { return nil }
      parts.append((part, number))
    }
    return parts
  }
}
