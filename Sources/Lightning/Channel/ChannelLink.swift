/// What a channel knows about the present connection. It is never durable: a restored channel starts without one.
struct ChannelLink: Hashable, Codable, Sendable {
  var saidReestablish = false
  var heardReestablish = false
  /// Sent before, and lost on the way.
  var mustResendCommitment = false
  var mustResendRevocation = false

  var isUp: Bool { saidReestablish && heardReestablish }
}
