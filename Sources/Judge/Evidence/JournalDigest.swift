import Ground

/// Reduces a journal record to the parts that the checks use. Most of a journal is not used: channel states,
/// backups, beats, presence messages.
struct JournalDigest {
  /// How many of the guard's events are kept after the order of a claim: as many as may answer the other orders of
  /// its line, and one more.
  private static let keptBehindRequest = 3
  private var guardsToKeep = 0

  /// For each of the peer's wallets its initial channel, for the phone whether it enforces its limits.
  static func configuration(of core: String, _ body: JSONValue) -> JSONValue? {
    let whole = body["configuration"]
    return switch core {
    case "peer": whole?["state"]?["channel"]?["record"]
    case "phone": whole?["enforcesLimits"]
    default: nil
    }
  }

  /// Nil if no check uses the record.
  mutating func event(of core: String, _ record: JournalRecord) -> JournalRecord? {
    switch core {
    case "guard":
      kept(record, record.event.only(["incomingStored"]), ["storeIncoming"]) ?? guardEvent(record)
    case "incoming": kept(record, record.event.only(["removed", "notRemoved"]), ["remove"])
    case "node":
      kept(
        record, record.event.only(["spliceRequested"]),
        ["write", "invoiceStored", "invoiceCancelled", "paymentOffered", "paymentEnded", "spliceEnded"])
    case "phone":
      kept(
        record, record.event.only(["serviceFinished", "processEnded"]),
        ["tell", "suspend", "kill", "recordFate", "show"])
    default: nil
    }
  }

  private func kept(_ record: JournalRecord, _ event: JSONValue?, _ words: Set<String>) -> JournalRecord? {
    let directives = record.directives.compactMap { directive -> JSONValue? in
      guard let word = directive.firstMember?.key, words.contains(word) else { return nil }
      return switch word {
      case "write": directive.nameAlone
      case "tell": Self.push(directive)
      case "show": directive.payload("show")?["push"].map { .members([("show", .members([("push", $0)]))]) }
      default: directive
      }
    }
    guard event != nil || !directives.isEmpty else { return nil }
    return record.replacingBody(.members([("event", event ?? .null), ("directives", .array(directives))]))
  }

  // MARK: The wallet

  private mutating func guardEvent(_ record: JournalRecord) -> JournalRecord? {
    let words: Set = ["claim", "raiseEpoch", "readReceived", "stopNode"]
    let directives = record.directives.filter { $0.firstMember.map { words.contains($0.key) } ?? false }
    let asks = directives.contains { $0["claim"] != nil || $0["raiseEpoch"] != nil }
    let isAnswer = record.event["claimed"] != nil
    if asks { guardsToKeep = Self.keptBehindRequest + 1 }
    defer { guardsToKeep = max(0, guardsToKeep - 1) }
    guard asks || isAnswer || guardsToKeep > 0 else { return nil }
    let event = asks || isAnswer ? record.event : record.event.nameAlone
    return record.replacingBody(.members([("event", event), ("directives", .array(directives))]))
  }

  // MARK: The phone

  private static func push(_ directive: JSONValue) -> JSONValue? {
    guard let push = directive["tell"]?["_1"]?["push"] else { return nil }
    return .members([
      (
        "tell",
        .members([
          ("_0", directive["tell"]?["_0"]), ("_1", .members([("push", .members([("id", push["id"])]))])),
        ])
      )
    ])
  }
}

extension JSONValue {
  /// An object of the members with a value.
  static func members(_ members: [(String, JSONValue?)]) -> JSONValue {
    .object(members.compactMap { key, value in value.map { JSONMember(key: key, value: $0) } })
  }

  var firstMember: JSONMember? {
    guard case .object(let members) = self else { return nil }
    return members.first
  }

  /// An enum case without its payload.
  var nameAlone: JSONValue {
    guard let name = firstMember?.key else { return self }
    return .object([JSONMember(key: name, value: .object([]))])
  }

  /// The enum case, if it has one of these names.
  func only(_ names: Set<String>) -> JSONValue? {
    firstMember.map { names.contains($0.key) } == true ? self : nil
  }
}
