// The texts that users read for codes; only made here.

public enum WalletTexts {
  /// Appended to the phone's reason for withholding the seed.
  public static func seedWithheld(_ why: String) -> String { "\(why), so the wallet cannot read its seed" }
}

extension Status {
  public var text: String {
    switch self {
    case .idle: "not connected: idle"
    case .waitingForExtension: "receiving payment in background"
    case .waitingForOther(let pid): "waiting: process \(pid) holds the node"
    case .appGoesFirst: "waiting: the app may claim the node first"
    case .blocked(let pid, let isStopped): Trouble.blocked(pid: pid, isStopped: isStopped).text
    case .claiming: "claiming the node"
    case .connecting: "connecting"
    case .hinderedFromConnecting(_, let sentence): "connecting: \(sentence)"
    case .connected: "connected"
    case .settling: "connected, settling a payment"
    case .releasing: "releasing the node"
    case .usedByAnotherDevice: "this node is in use by another device; `baton restore` moves it here"
    case .peerOutOfReach(let highest):
      "the peer knows epoch \(highest), which this wallet cannot exceed; check that it is the right peer"
    case .trouble(let sentence): sentence
    }
  }
}

extension Trouble {
  public var text: String {
    switch self {
    case .blocked(let pid, let isStopped):
      "blocked: \(pid.map { "process \($0)" } ?? "another process") is \(isStopped ? "stopped " : "")inside a transaction"
    case .failed(let sentence), .lost(let sentence): sentence
    }
  }
}

extension FinishReason {
  public var text: String {
    switch self {
    case .totalTime: "29.5 s after the push"
    case .idle: "5 s without another payment"
    case .appWantsNode: "the app wants the node"
    case .handedOver: "handed over to the app"
    case .received: "the payment was already received"
    case .unreadablePush: "the push could not be read"
    case .timeWillExpire: "the extension's time will expire"
    case .fenced: "another process holds the node"
    case .terminated: "asked to terminate"
    case .otherDevice: "this node is in use by another device"
    case .outOfReach: "the peer knows an epoch that this wallet cannot exceed"
    case .tooManyPushes: "too many pushes are queued"
    case .containerLost: "the container was removed or replaced"
    case .announced: "the user was told, and the app receives"
    }
  }
}

extension EndReason {
  public var text: String {
    switch self {
    case .fenced: "fenced: another process holds the node"
    case .terminated: "asked to terminate"
    case .containerLost: "the container was removed or replaced"
    }
  }
}

extension SilentPushFailure {
  public var text: String {
    switch self {
    case .peerDidNotAnswer: "the peer did not answer in time"
    case .container(let trouble): trouble.text
    case .node(let sentence): sentence
    case .halted(let status): status.text
    case .askedToEnd: "the app was terminated before a payment arrived"
    }
  }
}
