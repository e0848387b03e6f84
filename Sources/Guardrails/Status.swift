import Ground

/// What a person reads about the connection. The text is made here and nowhere else.
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
  case trouble(String)

  public var text: String {
    switch self {
    case .idle: "not connected: the node is not wanted"
    case .waitingForExtension: "receiving payment in background"
    case .waitingForOther(let pid): "waiting: process \(pid) holds the node"
    case .appGoesFirst: "waiting: the app goes first"
    case .blocked(let pid, let isStopped): Self.blockedText(pid, isStopped)
    case .claiming: "claiming the node"
    case .connecting: "connecting"
    case .hinderedFromConnecting(_, let sentence): "connecting: \(sentence)"
    case .connected: "connected"
    case .settling: "connected, settling a payment"
    case .releasing: "releasing the node"
    case .usedByAnotherDevice: "this node is in use by another device; `baton restore` moves it here"
    case .trouble(let sentence): sentence
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

  private static func blockedText(_ pid: Int32?, _ isStopped: Bool) -> String {
    let who = pid.map(String.init) ?? "another process"
    return isStopped
      ? "blocked: \(who) is stopped inside a transaction" : "blocked: \(who) is inside a transaction"
  }
}
