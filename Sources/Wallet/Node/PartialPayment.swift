import Ground

/// An incomplete payment, with its time limit by the clock of this process.
struct PartialPayment: Hashable, Codable, Sendable {
  var paymentHash: Bytes32
  var endsAt: Instant
  /// Whether the start of the wait is stored for the next owner.
  var isStored = false
}

extension PartialPayment: Shiftable {
  mutating func shift(by span: TimeSpan) { endsAt.shift(by: span) }
}

extension NodeMachine {
  /// Each connection gives an incomplete set at least this much time, as the sender could not deliver before it. It
  /// is less than any stay of the extension, so that each process lives long enough to fail the set.
  static let partGrace = TimeSpan.seconds(3)

  /// Takes over a state that was read, with the time limits of its incomplete payments.
  ///
  /// After a reboot the wait starts again: BOLT 4 requires at least a minute, and reboots are rare.
  mutating func learn(_ state: NodeState, at now: Instant) {
    node = state
    isBehindContainer = false
    node.waiting = []
    if keepsPartsInMemory { partsOfOthers = state.channel?.committedHTLCs.map(\.id) ?? [] }
    partials = state.waiting.map { waiting in
      let began = now - max(waiting.waited ?? .zero, .zero)
      return PartialPayment(
        paymentHash: waiting.paymentHash,
        endsAt: max(began + multiPartWindow, now + min(Self.partGrace, multiPartWindow)),
        isStored: waiting.waited != nil)
    }
  }

  /// The incomplete payments, if the container has others stored; else nil.
  func newWaits(since before: [PartialPayment]) -> [Bytes32]? {
    let isChanged = partials.contains { !$0.isStored } || partials.count != before.count
    return isChanged ? partials.map(\.paymentHash).sorted() : nil
  }

  mutating func storedWaits(_ change: NodeChange) {
    guard let waiting = change.waiting else { return }
    for index in partials.indices where waiting.contains(partials[index].paymentHash) {
      partials[index].isStored = true
    }
  }
}
