import Ground

/// What the node tells the guardrails about itself.
public enum NodeReport: Hashable, Codable, Sendable {
  /// It dials, or waits to dial again.
  case connecting
  /// The channel is re-established.
  case established
  /// Said when it changes, from nothing at the start of the node on.
  case busy(NodeActivity)
  case received(ReceivedPayment)
  /// The socket is closed and nothing more will be written.
  case stopped
  /// A write or the check after the `init` found another owner. The node has closed its socket.
  case fenced
  /// The peer has seen a higher epoch.
  case refused(highest: Epoch, container: ContainerID)
  /// Something a user should know; the node goes on trying, or stays where it is.
  case trouble(String)
}

/// A payment that the wallet has received, as the notification needs it.
public struct ReceivedPayment: Hashable, Codable, Sendable {
  public var paymentHash: Bytes32
  public var amountMsat: UInt64
  public var text: String

  public init(paymentHash: Bytes32, amountMsat: UInt64, text: String) {
    self.paymentHash = paymentHash
    self.amountMsat = amountMsat
    self.text = text
  }
}
