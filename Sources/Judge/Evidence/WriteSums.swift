/// What several writes did together, as their rows say it.
struct WriteSums {
  private(set) var received: Int64 = 0
  private(set) var invoices = 0
  private(set) var offered: Int64 = 0
  private(set) var ended: Int64 = 0
  private(set) var isRestored = false
  /// The first that received something.
  private(set) var firstReceivedNs: Int64?
  /// Of those that changed the channel.
  private(set) var revisionsNs: [Int64] = []

  mutating func add(_ write: NodeWriteEntry) {
    guard let summary = write.summary else { return }
    received = received &+ summary.received
    invoices += summary.invoices
    offered = offered &+ summary.offered
    ended = ended &+ summary.ended
    isRestored = isRestored || summary.isRestored
    if summary.received > 0 { firstReceivedNs = min(firstReceivedNs ?? .max, write.atNs) }
    if summary.revision != nil { revisionsNs.append(write.atNs) }
  }

  static func byEpoch(_ writes: Rows<NodeWriteEntry>) -> [Int64: WriteSums] {
    var sums: [Int64: WriteSums] = [:]
    for write in writes { sums[write.epoch, default: WriteSums()].add(write) }
    return sums
  }
}
