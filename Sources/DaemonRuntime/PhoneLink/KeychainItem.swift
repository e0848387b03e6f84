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

  /// Adds the item, unless there is one. Answered by a message that `added` reads.
  public func addition(of secret: [UInt8], protection: String) -> ControlMessage {
    ControlMessage(
      "keychain-write",
      [
        "request": account, "group": group, "account": account, "protection": protection, "only-new": "yes",
      ], body: secret)
  }

  public enum Added: Hashable, Sendable {
    case now
    /// Another process has added one before.
    case before
    case withheld(String)
  }

  /// nil for a message that is no answer to `addition`.
  public func added(in message: ControlMessage) -> Added? {
    guard message["request"] == account else { return nil }
    switch message.verb {
    case "keychain-answer": return .now
    case "keychain-refused" where message["because"] == "exists": return .before
    case "keychain-refused": return .withheld(Self.reason(in: message))
    default: return nil
    }
  }

  private static func reason(in message: ControlMessage) -> String {
    message["message"] ?? "the phone gives no reason"
  }

  /// The message's body is this item: the answer of a phone that has it and gives it.
  public func isGiven(in message: ControlMessage) -> Bool {
    message.verb == "keychain-answer" && message["request"] == account
  }

  /// nil for a message that is no answer to `read`.
  public func answer(in message: ControlMessage) -> Answer? {
    guard message["request"] == account else { return nil }
    switch message.verb {
    case "keychain-answer": return .found(message.body)
    case "keychain-refused" where message["because"] == "missing": return .missing
    case "keychain-refused": return .withheld(Self.reason(in: message))
    default: return nil
    }
  }
}
