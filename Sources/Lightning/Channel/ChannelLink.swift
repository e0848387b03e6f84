/// The channel's state of the current connection. Never durable: a restored channel starts without one.
struct ChannelLink: Hashable, Codable, Sendable {
  var saidReestablish = false
  var heardReestablish = false
  /// Sent on an earlier connection, and lost.
  var mustResendCommitment = false
  var mustResendRevocation = false
  /// Nil is empty.
  private var splices: SpliceLink?

  var isUp: Bool { saidReestablish && heardReestablish }

  var splicing: SpliceLink {
    get { splices ?? SpliceLink() }
    set { splices = newValue == SpliceLink() ? nil : newValue }
  }
}
