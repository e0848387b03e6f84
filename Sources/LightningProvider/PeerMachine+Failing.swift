import Ground
import Lightning

// The LSP fails the channel, as an operator orders: to senders the recipient's channel is disabled from then on.
extension PeerMachine {
  /// The text of the error that the order sends.
  public static let failedOnOrder = "closed by the provider"

  /// What is under way in the channel would end on the chain, which this LSP does not have.
  public var refusalToFailChannel: ChannelFailureRefusal? {
    if state.failure != nil { return .failedBefore }
    return state.channel.htlcs.isEmpty && state.channel.pendingSplice == nil ? nil : .inUse
  }

  public func refusalToAnnounce(_ reason: PushReason) -> ChannelFailureRefusal? {
    guard announcesEach else { return .pushesOnlyPayments }
    if reason == .mutualClose { return refusalToFailChannel }
    return state.failure == nil ? nil : .failedBefore
  }

  /// There is no cooperative close (`shutdown`): a closed channel is one that the LSP has failed.
  mutating func announcementOrdered(_ reason: PushReason, at now: Instant) -> [PeerDirective] {
    guard refusalToAnnounce(reason) == nil else { return [] }
    let change = reason == .mutualClose ? channelFailureOrdered(at: now) : []
    return change + [.requestPush(PushRequest(reason: reason, kind: .alert))]
  }

  /// BOLT 1: the error fails the channel for good. A held payment waits for its end, and is not offered any more.
  mutating func channelFailureOrdered(at now: Instant) -> [PeerDirective] {
    guard refusalToFailChannel == nil else { return [] }
    state.failure = Self.failedOnOrder
    let connection = registered
    var step = PeerStep(changes: [.channelFailed(connection: connection ?? 0, Self.failedOnOrder)])
    if let connection {
      let error = Message.error(ErrorOrWarning(channel: state.channel.id, text: Self.failedOnOrder))
      giveUp(connection, "the channel has failed", sending: error, at: now, &step)
    }
    return step.directives
  }
}
