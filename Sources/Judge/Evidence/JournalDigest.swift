/// What of a line the checks ask for. A journal is long by what they do not: channel states, backups, beats, messages
/// between the processes.
struct JournalDigest {
  /// How many of the guard's events are kept behind a request for a claim, though they say nothing of it: as many as may
  /// be answers to what else was ordered in its line, and one more.
  private static let keptBehindRequest = 3
  private var guardsToKeep = 0

  static func configuration(of core: String, _ body: JSONValue) -> JSONValue? {
    guard let whole = body["configuration"] else { return nil }
    switch core {
    case "peer":
      let record = whole["state"]?["channel"]?["record"]
      return .members([
        ("isLegacy", whole["isLegacy"]),
        ("state", record.map { .members([("channel", .members([("record", $0)]))]) }),
      ])
    case "phone": return .members([("enforcesLimits", whole["enforcesLimits"])])
    default: return nil
    }
  }

  /// Nil if none of it.
  mutating func event(of core: String, _ record: JournalRecord) -> JournalRecord? {
    switch core {
    case "guard": guardEvent(record)
    case "node":
      kept(
        record, record.event.only(["spliceRequested"]),
        ["write", "invoiceStored", "invoiceCancelled", "paymentOffered", "paymentEnded", "spliceEnded"])
    case "peer": peerEvent(record)
    case "phone":
      kept(record, record.event.only(["serviceFinished", "processEnded"]), ["tell", "kill", "recordFate"])
    default: nil
    }
  }

  private func kept(_ record: JournalRecord, _ event: JSONValue?, _ words: Set<String>) -> JournalRecord? {
    let directives = record.directives.compactMap { directive -> JSONValue? in
      guard let word = directive.firstMember?.key, words.contains(word) else { return nil }
      return word == "write" ? Self.write(directive) : word == "tell" ? Self.push(directive) : directive
    }
    guard event != nil || !directives.isEmpty else { return nil }
    return record.saying(.members([("event", event ?? .null), ("directives", .array(directives))]))
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
    return record.saying(.members([("event", event), ("directives", .array(directives))]))
  }

  /// Without the channel that it writes.
  private static func write(_ directive: JSONValue) -> JSONValue {
    let change = directive.payload("write")
    let received = (change?["received"]?.items ?? []).map { receipt -> JSONValue in
      .members([
        ("invoice", .members([("paymentHash", receipt["invoice"]?["paymentHash"])])),
        ("amountMsat", receipt["amountMsat"]),
      ])
    }
    return .members([
      (
        "write",
        .members([("_0", .members([("received", .array(received)), ("payments", change?["payments"])]))])
      )
    ])
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

  // MARK: The peer

  private func peerEvent(_ record: JournalRecord) -> JournalRecord? {
    var isIgnored = false
    let directives = record.directives.compactMap { directive -> JSONValue? in
      if directive["requestPush"] != nil { return directive }
      guard let changes = directive.payload("store")?.items else { return nil }
      isIgnored = isIgnored || changes.contains { $0["frameIgnored"] != nil }
      return .members([("store", .members([("_0", .array(changes.compactMap(Self.change)))]))])
    }
    guard !directives.isEmpty else { return nil }
    let event = isIgnored ? record.event : Self.withoutMessage(record.event)
    return record.saying(.members([("event", event), ("directives", .array(directives))]))
  }

  private static func change(_ change: JSONValue) -> JSONValue? {
    switch change.firstMember?.key {
    case "fence", "backup": nil
    case "channel":
      .members([
        ("channel", .members([("_0", .members([("revision", change.payload("channel")?["revision"])]))]))
      ])
    default: change
    }
  }

  /// The messages of splices stay: of some of their numbers only the journal has a second copy.
  private static let compared: Set = [
    "quiescence", "spliceInit", "spliceAck", "addInput", "addOutput", "transactionComplete",
    "transactionSignatures", "transactionAbort", "spliceLocked", "commitmentSigned",
  ]

  private static func withoutMessage(_ event: JSONValue) -> JSONValue {
    guard let received = event["received"] else { return event.nameAlone }
    guard let message = received["_1"] else { return event }
    let isCompared = message.firstMember.map { compared.contains($0.key) } ?? false
    return .members([
      (
        "received",
        .members([("connection", received["connection"]), ("_1", isCompared ? message : message.nameAlone)])
      )
    ])
  }
}

extension JSONValue {
  /// Those that have a value.
  static func members(_ members: [(String, JSONValue?)]) -> JSONValue {
    .object(members.compactMap { key, value in value.map { JSONMember(key: key, value: $0) } })
  }

  var firstMember: JSONMember? {
    guard case .object(let members) = self else { return nil }
    return members.first
  }

  /// An enum case without what it carries.
  var nameAlone: JSONValue {
    guard let name = firstMember?.key else { return self }
    return .object([JSONMember(key: name, value: .object([]))])
  }

  /// An enum case, if it is one of these.
  func only(_ names: Set<String>) -> JSONValue? {
    firstMember.map { names.contains($0.key) } == true ? self : nil
  }
}
