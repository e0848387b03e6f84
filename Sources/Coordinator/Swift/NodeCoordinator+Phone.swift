import Ground
import Guardrails

// What the phone, the user and the other process say. What does not matter now changes nothing, so a second call does no
// harm.
extension NodeCoordinator {
  // MARK: The app

  /// It is in front of the user and wants the node.
  public func enteredForeground() { hurryingTheNode { handle(.enteredForeground) } }

  public func enteredBackground() { handle(.enteredBackground) }

  /// The phone takes the time back that it gave for this task. It is not ended by this: `endBackgroundTask` follows.
  public func backgroundTimeExpired(task: UInt64) { handle(.backgroundTimeExpired(task: task)) }

  /// A push that shows nothing has woken the app; `forNanoseconds` is what the phone gives for it, if it says so.
  public func silentPush(
    _ id: UInt64, _ reason: PushReason, payment: PaymentHash? = nil, forNanoseconds time: Int64? = nil
  ) {
    handle(
      .silentPushArrived(
        Push(id: id, reason: reason, paymentHash: payment, time: time.map(TimeSpan.init(nanoseconds:)))))
  }

  /// Work that must not be left half done has begun; the app keeps the node for it in the background. The end belongs to
  /// the beginning of the same name and generation.
  public func taskBegan(_ name: String, generation: UInt64) {
    handle(.taskBegan(TaskBeginning(name: name, generation: generation)))
  }

  public func taskEnded(_ name: String, generation: UInt64) {
    handle(.taskEnded(TaskBeginning(name: name, generation: generation)))
  }

  /// The user says that the node is on this device from now on, whichever the peer knows.
  public func moveHere() { handle(.moveRequested) }

  public func networkChanged(isThere: Bool) {
    guard isThere else { return handle(.networkChanged(isThere: false)) }
    hurryingTheNode { handle(.networkChanged(isThere: true)) }
  }

  /// A node that pauses between two dials dials at once when the user opens the app or the network returns.
  private func hurryingTheNode(_ handle: () -> Void) {
    let before = lease
    handle()
    if let before, before === lease, !stopIsAsked { node.dialNow() }
  }

  // MARK: The extension

  /// Ids are the caller's, and never used twice in one process.
  public func push(_ id: UInt64, _ reason: PushReason, payment: PaymentHash? = nil) {
    noteArrival(of: id)
    handle(.pushArrived(Push(id: id, reason: reason, paymentHash: payment)))
  }

  public func timeWillExpire(push: UInt64) { handle(.expiryWarned(push: push)) }

  // MARK: Both

  public func terminationRequested() { handle(.terminationRequested) }

  /// What the other process gave to `send(presence:)`; anything else is ignored.
  public func presenceHeard(_ bytes: [UInt8]) {
    if let message = PresenceMessage(decoding: bytes) { handle(.presenceHeard(message)) }
  }

  /// The other process has ended, as far as one knows: it is looked at once more.
  public func partnerEnded() { handle(.partnerEnded) }
}
