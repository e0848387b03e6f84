/// What a channel knows about the present connection. It is never durable: a restored channel starts without one.
struct ChannelLink: Hashable, Codable, Sendable {
  var saidReestablish = false
  var heardReestablish = false
  /// Sent before, and lost on the way.
  var mustResendCommitment = false
  var mustResendRevocation = false
  /// Nil is an empty one, as in journals from before there were splices.
  private var splices: SpliceLink?

  var isUp: Bool { saidReestablish && heardReestablish }

  var splicing: SpliceLink {
    get { splices ?? SpliceLink() }
    set { splices = newValue == SpliceLink() ? nil : newValue }
  }
}
