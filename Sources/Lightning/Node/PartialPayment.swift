import Ground

/// A payment of which some parts have come and others have not, with its end by the clock of this process.
struct PartialPayment: Hashable, Codable, Sendable {
  var paymentHash: Bytes32
  var endsAt: Instant
  /// Whether the next owner would know since when it waits.
  var isStored = false
}

extension PartialPayment: Shiftable {
  mutating func shift(by span: TimeSpan) { endsAt.shift(by: span) }
}

extension NodeMachine {
  /// What was missing may have had no way to come before: each connection leaves a set so much time at least. Less than
  /// the extension stays for anything, so that no life is too short to end it.
  static let partGrace = TimeSpan.seconds(3)

  /// The state, and since when what is incomplete in it waits.
  ///
  /// After a reboot the wait begins once more: BOLT 4 gives the sender a minute, and phones do not reboot by themselves
  /// for ever.
  mutating func learn(_ state: NodeState, at now: Instant) {
    node = state
    isBehindContainer = false
    node.waiting = []
    partials = state.waiting.map { waiting in
      let began = now - max(waiting.waited ?? .zero, .zero)
      return PartialPayment(
        paymentHash: waiting.paymentHash,
        endsAt: max(began + multiPartWindow, now + min(Self.partGrace, multiPartWindow)),
        isStored: waiting.waited != nil)
    }
  }

  /// What the container does not know yet of the sets that wait; nil if that is nothing.
  func newWaits(since before: [PartialPayment]) -> [Bytes32]? {
    let isNews = partials.contains { !$0.isStored } || partials.count != before.count
    return isNews ? partials.map(\.paymentHash).sorted() : nil
  }

  mutating func storedWaits(_ change: NodeChange) {
    guard let waiting = change.waiting else { return }
    for index in partials.indices where waiting.contains(partials[index].paymentHash) {
      partials[index].isStored = true
    }
  }
}
