import Ground

/// When a silent push arrived at the app, or a visible one at the extension, and how long the node then took to start
/// and to connect.
package struct PushTime: Hashable, Sendable {
  package var push: UInt64
  var isSilent = true
  /// The pid of the process that it was handed to.
  var process: Int32?
  var arrivedAt: Instant
  /// The push was about a payment and arrived while the app was in the background.
  var isWakingForPayment = false
  /// Nil if the node did not start or ran already.
  var nodeStarted: TimeSpan?
  package var connected: TimeSpan?
}
