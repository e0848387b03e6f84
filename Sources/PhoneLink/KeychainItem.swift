import DaemonRuntime

/// One item of the phone's keychain, as a process asks for it.
public struct KeychainItem: Hashable, Sendable {
  /// The key to which servers seal the wallet's pushes.
  public static let pushKey = "push-key"

  public let group: String
  public let account: String

  public init(group: String, account: String) {
    self.group = group
    self.account = account
  }

  public enum Answer: Hashable, Sendable {
    case found([UInt8])
    case missing
    /// The phone withholds it now; with the phone's reason.
    case withheld(String)
  }

  /// Answered by a message that `answer` reads.
  public var read: ControlMessage {
    ControlMessage("keychain-read", ["request": account, "group": group, "account": account])
  }

  /// nil for a message that is no answer to `read`.
  public func answer(in message: ControlMessage) -> Answer? {
    guard message["request"] == account else { return nil }
    switch message.verb {
    case "keychain-answer": return .found(message.body)
    case "keychain-refused" where message["because"] == "missing": return .missing
    case "keychain-refused": return .withheld(message["message"] ?? "the phone gives no reason")
    default: return nil
    }
  }
}
