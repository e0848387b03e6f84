import Ground

/// What a silent push set going in the app, and how long each step took from its arrival there.
package struct SilentPushTime: Hashable, Sendable {
  package var push: UInt64
  var arrivedAt: Instant
  /// The app was in the background then, and the push about a payment.
  var isWakingForPayment = false
  /// Nil where it came to none, or the node ran already.
  var nodeStarted: TimeSpan?
  package var connected: TimeSpan?
}
