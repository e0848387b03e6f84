import Ground

/// What a user reads about the connection; the wallet makes the text.
public enum Status: Hashable, Codable, Sendable {
  case idle
  case waitingForExtension
  case waitingForOther(pid: Int32)
  case appGoesFirst
  case blocked(pid: Int32?, isStopped: Bool)
  case claiming
  case connecting(Epoch)
  /// And why it is not connected yet.
  case hinderedFromConnecting(Epoch, String)
  case connected(Epoch)
  case settling(Epoch)
  case releasing(Epoch)
  case usedByAnotherDevice
  /// The peer knows an epoch above which no claim may be raised: it is wrong, or not ours.
  case peerOutOfReach(highest: Epoch)
  /// The container failed.
  case trouble(String)

  /// For programs; it stays the same when the words for people change.
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

/// A status in one word that is said on the wire.
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

  /// The channel is re-established.
  public var isConnected: Bool { self == .connected || self == .settling }
}
