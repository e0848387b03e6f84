/// What several writes did together, as their rows say it.
struct WriteSums {
  private(set) var received: Int64 = 0
  private(set) var invoices = 0
  private(set) var offered: Int64 = 0
  private(set) var ended: Int64 = 0
  private(set) var isRestored = false
  /// Those that received something, in order.
  private var receiving: [ReceivingWrite] = []
  /// Of those that changed the channel.
  private(set) var revisionsNs: [Int64] = []
  private(set) var lastNs: Int64?

  mutating func add(_ write: NodeWriteEntry) {
    lastNs = max(lastNs ?? .min, write.atNs)
    guard let summary = write.summary else { return }
    received = received &+ summary.received
    invoices += summary.invoices
    offered = offered &+ summary.offered
    ended = ended &+ summary.ended
    isRestored = isRestored || summary.isRestored
    if summary.received > 0 {
      receiving.append(ReceivingWrite(upTo: received, atNs: write.atNs, isRestored: summary.isRestored))
    }
    if summary.revision != nil { revisionsNs.append(write.atNs) }
  }

  /// The write that the receipt with this number, from 1, belongs to.
  func write(ofReceipt number: Int64) -> ReceivingWrite? {
    var low = 0
    var high = receiving.count
    while low < high {
      let middle = (low + high) / 2
      if receiving[middle].upTo < number { low = middle + 1 } else { high = middle }
    }
    return low < receiving.count ? receiving[low] : nil
  }

  static func byEpoch(_ writes: Rows<NodeWriteEntry>) -> [Int64: WriteSums] {
    var sums: [Int64: WriteSums] = [:]
    for write in writes { sums[write.epoch, default: WriteSums()].add(write) }
    return sums
  }
}

/// A write that counted payments as received.
struct ReceivingWrite {
  /// As many were received up to here.
  let upTo: Int64
  let atNs: Int64
  /// It adopted the peer's backup.
  let isRestored: Bool
}
