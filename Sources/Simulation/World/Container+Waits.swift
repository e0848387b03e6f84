import Ground
import LightningNode

// Since when payments wait that lack some of their parts: a table of its own, as in a real container.
extension Container {
  struct Wait: Hashable, Sendable {
    var paymentHash: Bytes32
    var boot: BootID
    var since: Instant

    func waited(boot: BootID, at now: Instant) -> TimeSpan? {
      boot == self.boot && since <= now ? now - since : nil
    }
  }

  /// By a clock that counts sleep.
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
  /// What a process reads of its container now.
  var nodeInContainer: NodeState { container.value.readNode(boot: boot, at: peerNow) }

  /// All that is still under way lacks parts that nobody sends any more: their time must run out, or has, and they are
  /// being given back.
  var lacksOnlyParts: Bool {
    appRuns(isSettling: true)
      && peer.value.state.payments.allSatisfy { payment in
        guard let total = payment.request.paymentData?.totalMsat else { return false }
        let parts = peer.value.state.payments.filter { $0.request.paymentHash == payment.request.paymentHash }
        return parts.reduce(0) { $0 + $1.request.amountMsat } < total
      }
  }
}
