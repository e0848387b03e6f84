import Ground

/// What the node reports to the guard.
public enum NodeReport: Hashable, Codable, Sendable {
  /// Not connected: the node dials, waits before it dials again, or the peer has failed its channel.
  case connecting
  /// The channel is re-established.
  case established
  /// The pending work, on each change; starts from `.nothing` when the node starts.
  case busy(NodeActivity)
  case received(ReceivedPayment)
  /// The socket is closed and nothing more will be written. Only after `stopNode`: a node that has failed or lost its
  /// connection goes on until then.
  case stopped
  /// A write or the check after `init` found another owner. The node has closed its socket.
  case fenced
  /// The peer has seen a higher epoch; only from a peer that receives the fence.
  case refused(highest: Epoch, container: ContainerID)
  /// An error for the user; the node keeps retrying.
  case trouble(String)
}

/// A received payment, as its notification needs it.
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
