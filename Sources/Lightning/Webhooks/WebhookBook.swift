import Ground

/// One wallet's webhooks at its LSP, and the notifications under way to them.
///
/// A notification goes to all webhooks while the wallet is away, and one method at most once in `cooldown` until the
/// wallet comes. A webhook hears of its registration first, and that goes out also to a connected wallet's: in `cooldown`
/// at most once for each name, and for ten names.
public struct WebhookBook: Hashable, Codable, Sendable {
  /// LDK's limit.
  public static let webhooksMax = 10
  public static let standardCooldown = TimeSpan.seconds(60)
  /// A wallet chooses who is called, and may choose servers that are silent: it takes no more of the LSP's connections.
  static let underWayMax = 2
  /// Between the attempts of one call; after the last one it is given up.
  static let pauses: [TimeSpan] = [.seconds(1), .seconds(4), .seconds(15), .seconds(60)]
  /// LSPS5's number.
  private static let lsps5: UInt64 = 5

  struct Noticed: Hashable, Codable, Sendable {
    var method: WebhookNotification.Method
    var at: Instant
  }

  /// In the order of their registration.
  public private(set) var webhooks: [Webhook]
  /// The oldest first.
  public private(set) var calls: [WebhookCall]
  private var lastCall: UInt64
  /// When each method was last raised since the wallet was here.
  var noticed: [Noticed] = []
  struct Registered: Hashable, Codable, Sendable {
    var name: String
    var at: Instant
  }

  /// Each of the last ones calls a server of the wallet's choice: the newest last.
  private var registered: [Registered] = []
  /// A payment came within the cooldown: it is announced at the end of that, if it waits then.
  package private(set) var owesPayment = false

  /// As in the ledger. `noticed`: the newest notification of each method since the wallet was here. `registered`: the
  /// newest registrations, the oldest first.
  public init(
    webhooks: [Webhook] = [], calls: [WebhookCall] = [], lastCall: UInt64 = 0,
    noticed: [(WebhookNotification.Method, Instant)] = [], registered: [(String, Instant)] = []
  ) {
    self.webhooks = webhooks
    self.calls = calls
    self.lastCall = lastCall
    self.noticed = noticed.map { Noticed(method: $0.0, at: $0.1) }
    self.registered = registered.map { Registered(name: $0.0, at: $0.1) }
  }

  /// Nothing is under way or due: the ledger has all of it.
  public var isQuiet: Bool { calls.isEmpty && !owesPayment }

  public func deadline(_ rules: WebhookRules) -> Instant? {
    let next = calls.indices.filter { !waits($0) }.compactMap { calls[$0].nextAt }
    let owed = owesPayment ? cooledDown(.paymentIncoming, rules) : nil
    return (next + (owed.map { [$0] } ?? [])).min()
  }

  // MARK: Requests

  /// The answer to the payload of a wallet's message.
  package mutating func hear(
    _ bytes: [UInt8], _ rules: WebhookRules, at now: Instant, _ step: inout WebhookStep
  ) {
    do throws(ServiceError) {
      step.reply = reply(to: try ServiceRequest(parsing: bytes), rules, at: now, &step)
    } catch { step.reply = ServiceReply.encoded(.null, error) }
  }

  private mutating func reply(
    to request: ServiceRequest, _ rules: WebhookRules, at now: Instant, _ step: inout WebhookStep
  ) -> String {
    do throws(ServiceError) {
      let answer = try answer(try WebhookRequest(request), rules, at: now, &step)
      return ServiceReply.encoded(request.id, result: answer.result)
    } catch { return ServiceReply.encoded(request.id, error) }
  }

  /// The answer to a node without a channel.
  package static func refuseStranger(_ bytes: [UInt8], _ rules: WebhookRules, _ step: inout WebhookStep) {
    var nobody = WebhookBook()
    do throws(ServiceError) {
      let request = try ServiceRequest(parsing: bytes)
      if case .protocols = try? WebhookRequest(request) {
        nobody.hear(bytes, rules, at: Instant(nanoseconds: 0), &step)
      } else {
        step.reply = ServiceReply.encoded(request.id, .noChannel)
      }
    } catch { step.reply = ServiceReply.encoded(.null, error) }
  }

  private mutating func answer(
    _ request: WebhookRequest, _ rules: WebhookRules, at now: Instant, _ step: inout WebhookStep
  ) throws(ServiceError) -> WebhookAnswer {
    switch request {
    case .protocols: return .protocols(rules.reach == .off ? [] : [Self.lsps5])
    case _ where rules.reach == .off: throw .unknownMethod
    case .list: return .list(names: webhooks.map(\.name), max: UInt64(Self.webhooksMax))
    case .remove(let name):
      guard webhooks.contains(where: { $0.name == name }) else { throw .unknownName }
      webhooks.removeAll { $0.name == name }
      step.changes.append(.removed(name: name))
      endCalls(&step) { $0.webhook.name == name }
      return .removed
    case .set(let name, let url): return try set(name, url, rules, at: now, &step)
    }
  }

  private mutating func set(
    _ name: String, _ text: String, _ rules: WebhookRules, at now: Instant, _ step: inout WebhookStep
  ) throws(ServiceError) -> WebhookAnswer {
    guard Webhook.nameBytes(name) <= Webhook.nameBytesMax else { throw .tooLong }
    let url = try WebhookURL(text)
    guard url.isCalled(by: rules.reach) else { throw .unsupportedProtocol }
    let webhook = Webhook(name: name, url: text)
    let isUnchanged = webhooks.contains(webhook)
    if !isUnchanged {
      let index = webhooks.firstIndex { $0.name == name }
      guard index != nil || webhooks.count < Self.webhooksMax else {
        throw .tooManyWebhooks(max: UInt64(Self.webhooksMax))
      }
      registered.removeAll { $0.at + rules.cooldown <= now }
      guard registered.count < Self.webhooksMax, !registered.contains(where: { $0.name == name }) else {
        throw .slowDown
      }
      if let index {
        webhooks[index] = webhook
        endCalls(&step) { $0.webhook.name == name }
      } else {
        webhooks.append(webhook)
      }
      registered.append(Registered(name: name, at: now))
      step.changes.append(.set(webhook))
      call(webhook, .webhookRegistered, at: now, &step)
      beginDue(at: now, &step)
    }
    return .set(count: UInt64(webhooks.count), max: UInt64(Self.webhooksMax), isUnchanged: isUnchanged)
  }

  // MARK: Notifications

  /// To all webhooks of a wallet that is away. A method in its cooldown is not raised.
  package mutating func notice(
    _ notification: WebhookNotification, _ rules: WebhookRules, at now: Instant, _ step: inout WebhookStep
  ) {
    guard !webhooks.isEmpty, notification != .webhookRegistered else { return }
    let method = notification.method
    if let end = cooledDown(method, rules), now < end {
      if method == .paymentIncoming { owesPayment = true }
      return
    }
    if method == .paymentIncoming { owesPayment = false }
    noticed.removeAll { $0.method == method }
    noticed.append(Noticed(method: method, at: now))
    for webhook in webhooks { call(webhook, notification, at: now, &step) }
    beginDue(at: now, &step)
  }

  private func cooledDown(_ method: WebhookNotification.Method, _ rules: WebhookRules) -> Instant? {
    noticed.first { $0.method == method }.map { $0.at + rules.cooldown }
  }

  private mutating func call(
    _ webhook: Webhook, _ notification: WebhookNotification, at now: Instant, _ step: inout WebhookStep
  ) {
    lastCall += 1
    let call = WebhookCall(number: lastCall, webhook: webhook, notification: notification, nextAt: now)
    calls.append(call)
    step.changes.append(.called(call))
  }

  /// The wallet is here, and hears by itself what waits for it. Its cooldowns begin anew.
  package mutating func walletCame(_ step: inout WebhookStep) {
    noticed = []
    owesPayment = false
    endCalls(&step) { $0.notification != .webhookRegistered }
  }

  /// No payment waits for the wallet any more.
  package mutating func paymentsEnded(_ step: inout WebhookStep) {
    owesPayment = false
    endCalls(&step) { $0.notification == .paymentIncoming }
  }

  private mutating func endCalls(_ step: inout WebhookStep, where ends: (WebhookCall) -> Bool) {
    for call in calls where ends(call) {
      step.changes.append(.ended(call: call.number, .notNeeded))
      if call.nextAt == nil { step.orders.append(.cancel(call: call.number)) }
    }
    calls.removeAll(where: ends)
  }

  // MARK: Delivery

  package mutating func deadlineReached(_ rules: WebhookRules, at now: Instant, _ step: inout WebhookStep) {
    if owesPayment { notice(.paymentIncoming, rules, at: now, &step) }
    beginDue(at: now, &step)
  }

  /// An attempt has ended. Of a call that is not under way nothing is heard any more.
  package mutating func ended(
    _ number: UInt64, _ outcome: WebhookOutcome, at now: Instant, _ step: inout WebhookStep
  ) {
    guard let index = calls.firstIndex(where: { $0.number == number && $0.nextAt == nil }) else { return }
    let attempts = Int(clamping: calls[index].attempts)
    if outcome.mayRetry, attempts <= Self.pauses.count, attempts > 0 {
      calls[index].nextAt = now + Self.pauses[attempts - 1]
      step.changes.append(.tried(call: number, outcome))
    } else {
      if outcome.mayRetry { step.changes.append(.tried(call: number, outcome)) }
      calls.remove(at: index)
      step.changes.append(.ended(call: number, outcome.mayRetry ? .givenUp : outcome))
    }
    beginDue(at: now, &step)
  }

  private mutating func beginDue(at now: Instant, _ step: inout WebhookStep) {
    // First attempts first: servers that were silent do not hold up the others.
    let order =
      calls.indices.filter { calls[$0].attempts == 0 } + calls.indices.filter { calls[$0].attempts > 0 }
    for index in order {
      guard let due = calls[index].nextAt, due <= now, !waits(index) else { continue }
      calls[index].nextAt = nil
      calls[index].attempts += 1
      step.changes.append(.begun(call: calls[index].number))
      step.orders.append(.call(calls[index]))
    }
  }

  /// While enough calls are under way, or an earlier one to its webhook is, or was never tried. The end of one of those
  /// begins it.
  private func waits(_ index: Int) -> Bool {
    if calls.count(where: { $0.nextAt == nil }) >= Self.underWayMax { return true }
    return calls[..<index].contains {
      $0.webhook.name == calls[index].webhook.name && ($0.nextAt == nil || $0.attempts == 0)
    }
  }
}

extension WebhookBook: Shiftable {
  package mutating func shift(by span: TimeSpan) {
    for index in noticed.indices { noticed[index].at.shift(by: span) }
    for index in registered.indices { registered[index].at.shift(by: span) }
    for index in calls.indices { calls[index].nextAt.shift(by: span) }
  }
}

/// The answer to a request, as the client reads it.
public struct ServiceReply: Hashable, Sendable {
  public let id: String
  public let outcome: Result<JSONValue, ServiceError>

  /// Nil for anything else, also for notifications and for the answer to a message without a readable id.
  public init?(parsing bytes: [UInt8]) {
    guard let value = JSONValue(parsing: bytes), value.isObject, let id = value["id"]?.text else {
      return nil
    }
    self.id = id
    if let error = value["error"] {
      outcome = .failure(ServiceError(reading: error))
    } else if let result = value["result"], result.isObject {
      outcome = .success(result)
    } else {
      return nil
    }
  }

  static func encoded(_ id: JSONValue, result: JSONValue) -> String {
    (["jsonrpc": .string("2.0"), "id": id, "result": result] as JSONValue).json
  }

  static func encoded(_ id: JSONValue, _ error: ServiceError) -> String {
    (["jsonrpc": .string("2.0"), "id": id, "error": error.value] as JSONValue).json
  }
}
