import Ground
import DaemonRuntime
import Glibc
import PhonePolicy

/// Answers requests for keychain items and containers, over the channel of a wallet process or the control socket.
/// The rules are in PhonePolicy; item values are never journaled.
extension PhoneShell {
  static let keychainVerbs = ["keychain-read", "keychain-write", "keychain-delete", "container"]

  /// The channel identifies the process: only this child was given its other end.
  func askKeychain(_ message: ControlMessage, from role: Role) throws(ControlMessageError) {
    let request = try message.required("request")
    var answer: ControlMessage
    do throws(ControlMessageError) {
      answer = try answerForKeychain(message, to: .wallet(role))
    } catch { answer = .error(error.description) }
    if let sentence = answer.errorSentence {
      let because = answer["because"]
      answer = ControlMessage("keychain-refused", ["message": sentence])
      answer["because"] = because
    } else {
      answer.verb = "keychain-answer"
    }
    answer["request"] = request
    child(role)?.send(answer)
  }

  /// On the control socket the kernel names the connecting process. Its pid may be reused, so its start time must
  /// match our child's too.
  func asker(_ peer: PeerCredentials) -> KeychainAsker {
    let startTime = ProcessTable.startTime(of: peer.pid)
    for role in Role.allCases {
      guard let identity = child(role)?.process.identity else { continue }
      if identity.pid == peer.pid && identity.startTime == startTime { return .wallet(role) }
    }
    return .unknownProcess(pid: peer.pid)
  }

  func answerForKeychain(
    _ message: ControlMessage, to asker: KeychainAsker
  ) throws(ControlMessageError) -> ControlMessage {
    let result: ControlMessage
    do {
      result = message.verb == "container" ? try container(message, asker) : try item(message, asker)
    } catch let error as ControlMessageError { throw error } catch { return .error("\(error)") }
    if let sentence = result.errorSentence { journal.note("\(message.verb) is refused: \(sentence)") }
    return result
  }

  private func container(_ message: ControlMessage, _ asker: KeychainAsker) throws -> ControlMessage {
    let id = try Self.name("id", message)
    if let refusal = phone.refusal(to: asker, container: id) { return .error(refusal.description) }
    return ControlMessage("ok", ["path": home.container])
  }

  private func item(_ message: ControlMessage, _ asker: KeychainAsker) throws -> ControlMessage {
    let group = try Self.name("group", message)
    let account = try Self.name("account", message)
    // A process without the entitlement does not learn which items exist.
    if let refusal = phone.refusal(to: asker, group: group, protection: .afterFirstUnlock) {
      return .error(refusal.description)
    }
    let known = try keychain.item(group, account)
    let request = try message["protection"].map(Self.protection)
    let strictest =
      [known?.protection, request].contains(.whenUnlocked)
      ? KeychainProtection.whenUnlocked : .afterFirstUnlock
    if let refusal = phone.refusal(to: asker, group: group, protection: strictest) {
      return .error(refusal.description)
    }
    var missing = ControlMessage.error("there is no item \(account) in the access group \(group)")
    missing["because"] = "missing"
    switch message.verb {
    case "keychain-read":
      guard let known else { return missing }
      return ControlMessage(
        "ok", ["protection": known.protection.rawValue], body: try keychain.value(of: known))
    case "keychain-delete": return keychain.delete(group, account) ? ControlMessage("ok") : missing
    default:
      if try message.flag("only-new", default: false), known != nil {
        var existing = ControlMessage.error(
          "there is an item \(account) in the access group \(group) already")
        existing["because"] = "exists"
        return existing
      }
      guard message.body.count <= KeychainStore.valueMax else {
        return .error(
          "the item has \(message.body.count) bytes and may have \(KeychainStore.valueMax); shorten it")
      }
      try keychain.write(message.body, group, account, request ?? known?.protection ?? .whenUnlocked)
      return ControlMessage("ok")
    }
  }

  private static func name(_ field: String, _ message: ControlMessage) throws(ControlMessageError) -> String {
    let text = try message.required(field)
    guard (1...KeychainStore.nameMax).contains(text.unicodeScalars.count), text == text.onOneLine else {
      throw .badValue(name: field, expected: "one line of at most \(KeychainStore.nameMax) characters")
    }
    return text
  }

  private static func protection(_ word: String) throws(ControlMessageError) -> KeychainProtection {
    guard let protection = KeychainProtection(rawValue: word) else {
      throw .badValue(
        name: "protection", expected: KeychainProtection.allCases.map(\.rawValue).joined(separator: " or "))
    }
    return protection
  }
}
