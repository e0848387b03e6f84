import Ground
import Guardrails

// Events of the phone, the user and the other process. An event that is irrelevant now is a no-op, so repeated calls
// are harmless.
extension NodeCoordinator {
  // MARK: The app

  /// The app is in the foreground and wants the node.
  public func enteredForeground() { dialingAtOnce { handle(.enteredForeground) } }

  public func enteredBackground() { handle(.enteredBackground) }

  /// The phone's time for this task is up. The task is still open: `endBackgroundTask` follows.
  public func backgroundTimeExpired(task: UInt64) { handle(.backgroundTimeExpired(task: task)) }

  /// A silent push has woken the app; `forNanoseconds` is the phone's time limit, if known.
  public func silentPush(
    _ id: UInt64, _ reason: PushReason, payment: PaymentHash? = nil, forNanoseconds time: Int64? = nil
  ) {
    handle(
      .silentPushArrived(
        Push(id: id, reason: reason, paymentHash: payment, time: time.map(TimeSpan.init(nanoseconds:)))))
  }

  /// A task that must be finished has begun; the app keeps the node for it in the background. It ends with the same
  /// name and generation.
  public func taskBegan(_ name: String, generation: UInt64) {
    handle(.taskBegan(TaskBeginning(name: name, generation: generation)))
  }

  public func taskEnded(_ name: String, generation: UInt64) {
    handle(.taskEnded(TaskBeginning(name: name, generation: generation)))
  }

  /// The user asks to move the node to this device, whatever device the peer knows.
  public func moveHere() { handle(.moveRequested) }

  public func networkChanged(isThere: Bool) {
    guard isThere else { return handle(.networkChanged(isThere: false)) }
    dialingAtOnce { handle(.networkChanged(isThere: true)) }
  }

  /// Ends a node's pause between two dials when the user opens the app or the network returns.
  private func dialingAtOnce(_ handle: () -> Void) {
    let before = lease
    handle()
    if let before, before === lease, !stopIsAsked { node.dialNow() }
  }

  // MARK: The extension

  /// The caller chooses the ids, and uses each once per process.
  public func push(_ id: UInt64, _ reason: PushReason, payment: PaymentHash? = nil) {
    noteArrival(of: id)
    handle(.pushArrived(Push(id: id, reason: reason, paymentHash: payment)))
  }

  public func timeWillExpire(push: UInt64) { handle(.expiryWarned(push: push)) }

  // MARK: Both

  public func terminationRequested() { handle(.terminationRequested) }

  /// A message that the other process passed to `send(presence:)`; other bytes are ignored.
  public func presenceHeard(_ bytes: [UInt8]) {
    if let message = PresenceMessage(decoding: bytes) { handle(.presenceHeard(message)) }
  }

  /// The other process may have ended: the coordinator looks again.
  public func partnerEnded() { handle(.partnerEnded) }
}
