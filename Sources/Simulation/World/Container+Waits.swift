import Ground
import Wallet

// Start of the wait of each incomplete multi-part payment: a table of its own, as in the real container.
extension Container {
  struct Wait: Hashable, Sendable {
    var paymentHash: Bytes32
    var boot: BootID
    var since: Instant

    func waited(boot: BootID, at now: Instant) -> TimeSpan? {
      boot == self.boot && since <= now ? now - since : nil
    }
  }

  /// `now` is of a clock that counts sleep.
  func readNode(boot: BootID, at now: Instant) -> NodeState {
    var state = node
    state.waiting = waits.map {
      WaitingParts(paymentHash: $0.paymentHash, waited: $0.waited(boot: boot, at: now))
    }
    return state
  }

  mutating func write(waiting hashes: [Bytes32], boot: BootID, at now: Instant) {
    let running = waits.filter { $0.waited(boot: boot, at: now) != nil }
    waits = hashes.map { hash in
      running.first { $0.paymentHash == hash } ?? Wait(paymentHash: hash, boot: boot, since: now)
    }
  }
}

extension World {
  /// The node state that a process would read now.
  package var nodeInContainer: NodeState { container.value.readNode(boot: boot, at: peerNow) }

  /// Every pending payment is incomplete, and no sender adds parts any more: the parts time out and are failed back.
  var lacksOnlyParts: Bool {
    appRuns(isSettling: true)
      && peer.value.state.payments.allSatisfy { payment in
        guard let total = payment.request.paymentData?.totalMsat else { return false }
        let parts = peer.value.state.payments.filter { $0.request.paymentHash == payment.request.paymentHash }
        return parts.reduce(0) { $0 + $1.request.amountMsat } < total
      }
  }
}
