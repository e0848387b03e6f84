/// The sums of several writes' summaries.
struct WriteSums {
  private(set) var count: Int64 = 0
  private(set) var received: Int64 = 0
  private(set) var invoices = 0
  private(set) var offered: Int64 = 0
  private(set) var ended: Int64 = 0
  private(set) var isRestored = false
  /// The writes with received payments, in order.
  private var receiving: [ReceivingWrite] = []
  /// Times of the writes that changed the channel.
  private(set) var revisionsNs: [Int64] = []
  private(set) var firstNs: Int64?
  private(set) var lastNs: Int64?

  mutating func add(_ write: NodeWriteEntry) {
    count += 1
    firstNs = min(firstNs ?? .max, write.atNs)
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

  /// The write of the receipt with this number, from 1 on.
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

/// A write with received payments.
struct ReceivingWrite {
  /// The number of receipts up to this write.
  let upTo: Int64
  let atNs: Int64
  /// It adopted the peer's backup.
  let isRestored: Bool
}
