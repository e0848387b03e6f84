import Guardrails

// What people read of codes. Made here and nowhere else.

public enum WalletTexts {
  /// Behind why the phone does not give the seed out.
  public static func seedWithheld(_ why: String) -> String { "\(why), so the wallet cannot read its seed" }
}

extension Status {
  public var text: String {
    switch self {
    case .idle: "not connected: the node is not wanted"
    case .waitingForExtension: "receiving payment in background"
    case .waitingForOther(let pid): "waiting: process \(pid) holds the node"
    case .appGoesFirst: "waiting: the app goes first"
    case .blocked(let pid, let isStopped): Trouble.blocked(pid: pid, isStopped: isStopped).text
    case .claiming: "claiming the node"
    case .connecting: "connecting"
    case .hinderedFromConnecting(_, let sentence): "connecting: \(sentence)"
    case .connected: "connected"
    case .settling: "connected, settling a payment"
    case .releasing: "releasing the node"
    case .usedByAnotherDevice: "this node is in use by another device; `baton restore` moves it here"
    case .peerOutOfReach(let highest):
      "the peer names epoch \(highest), which ours cannot reach: check that it is the right peer"
    case .trouble(let sentence): sentence
    }
  }
}

extension Trouble {
  public var text: String {
    switch self {
    case .blocked(let pid, let isStopped):
      "blocked: \(pid.map(String.init) ?? "another process") is \(isStopped ? "stopped " : "")inside a transaction"
    case .failed(let sentence), .lost(let sentence): sentence
    }
  }
}

extension FinishReason {
  public var text: String {
    switch self {
    case .totalTime: "29.5 s are over"
    case .idle: "5 s without another payment"
    case .appWantsNode: "the app wants the node"
    case .handedOver: "handed over to the app"
    case .received: "the payment is received already"
    case .unreadablePush: "the push could not be read"
    case .timeWillExpire: "the phone takes the time away"
    case .fenced: "another process owns the node"
    case .terminated: "asked to terminate"
    case .otherDevice: "this node is in use by another device"
    case .outOfReach: "the peer names an epoch that is out of reach"
    case .tooManyPushes: "too many pushes wait"
    case .containerLost: "the container was taken away"
    }
  }
}

extension EndReason {
  public var text: String {
    switch self {
    case .fenced: "fenced: another process owns the node"
    case .terminated: "asked to terminate"
    case .containerLost: "the container was taken away"
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
    case .askedToEnd: "the app was asked to end before anything came"
    }
  }
}
