import Ground

/// The connection's status for users; the wallet makes the text.
public enum Status: Hashable, Codable, Sendable {
  case idle
  case waitingForExtension
  case waitingForOther(pid: Int32)
  case appGoesFirst
  case blocked(pid: Int32?, isStopped: Bool)
  case claiming
  case connecting(Epoch)
  /// With the reason.
  case hinderedFromConnecting(Epoch, String)
  case connected(Epoch)
  case settling(Epoch)
  case releasing(Epoch)
  case usedByAnotherDevice
  /// The peer knows an epoch that cannot be raised above: the peer is wrong, or not ours.
  case peerOutOfReach(highest: Epoch)
  /// The container failed.
  case trouble(String)

  /// For programs; it does not change with the text.
  public var code: StatusCode {
    switch self {
    case .idle: .idle
    case .waitingForExtension: .waitingForExtension
    case .waitingForOther: .waitingForOther
    case .appGoesFirst: .appGoesFirst
    case .blocked: .blocked
    case .claiming: .claiming
    case .connecting: .connecting
    case .hinderedFromConnecting: .hinderedFromConnecting
    case .connected: .connected
    case .settling: .settling
    case .releasing: .releasing
    case .usedByAnotherDevice: .usedByAnotherDevice
    case .peerOutOfReach: .peerOutOfReach
    case .trouble: .trouble
    }
  }

  public var epoch: Epoch? {
    switch self {
    case .connecting(let epoch), .hinderedFromConnecting(let epoch, _), .connected(let epoch),
      .settling(let epoch), .releasing(let epoch):
      epoch
    default: nil
    }
  }
}

/// The status's code on the wire.
public enum StatusCode: String, Hashable, Sendable, CaseIterable {
  case idle
  case waitingForExtension = "waiting-for-extension"
  case waitingForOther = "waiting-for-process"
  case appGoesFirst = "app-goes-first"
  case blocked
  case claiming
  case connecting
  case hinderedFromConnecting = "hindered-from-connecting"
  case connected
  case settling
  case releasing
  case usedByAnotherDevice = "used-by-another-device"
  case peerOutOfReach = "peer-out-of-reach"
  case trouble

  /// The user has to know why there is no connection.
  public var isTrouble: Bool {
    [.hinderedFromConnecting, .usedByAnotherDevice, .peerOutOfReach, .trouble].contains(self)
  }

  /// The channel is re-established.
  public var isConnected: Bool { self == .connected || self == .settling }
}
