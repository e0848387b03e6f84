@testable import Lightning

/// Which notification goes to which webhook, when, and how often.
@Suite("The LSP's book of webhooks") struct WebhookBookTests {
  private var book = WebhookBook()
  private let rules = WebhookRules(reach: .anywhere)

  private static func seconds(_ count: Int64) -> Instant { Instant(nanoseconds: count * 1_000_000_000) }

  private mutating func play(_ change: (inout WebhookBook, inout WebhookStep) -> Void) -> WebhookStep {
    var step = WebhookStep()
    change(&book, &step)
    return step
  }

  private mutating func ask(_ request: WebhookRequest, at second: Int64 = 0) -> WebhookStep {
    play { [rules] in $0.hear(request.encoded(id: "1"), rules, at: Self.seconds(second), &$1) }
  }

  private mutating func set(_ name: String, _ path: String = "", at second: Int64 = 0) -> WebhookStep {
    ask(.set(name: name, url: "https://a.org/\(path)"), at: second)
  }

  private mutating func notice(
    _ notification: WebhookNotification = .paymentIncoming, at second: Int64
  ) -> WebhookStep {
    play { [rules] in $0.notice(notification, rules, at: Self.seconds(second), &$1) }
  }

  private mutating func end(_ call: UInt64, _ outcome: WebhookOutcome, at second: Int64 = 0) -> WebhookStep {
    play { $0.ended(call, outcome, at: Self.seconds(second), &$1) }
  }

  private mutating func deadline(at second: Int64) -> WebhookStep {
    play { [rules] in $0.deadlineReached(rules, at: Self.seconds(second), &$1) }
  }

  private func called(_ step: WebhookStep) -> [String] {
    step.orders.compactMap {
      if case .call(let call) = $0 {
        "\(call.webhook.name)\(call.webhook.url.dropFirst(14)) \(call.notification.method.rawValue.dropFirst(6))"
      } else {
        nil
      }
    }
  }

  private let delivered = WebhookOutcome.answered(status: 200)

  /// Two webhooks that have heard of their registration.
  private mutating func registerTwo() {
    for (name, call) in [("a", UInt64(1)), ("b", 2)] {
      expect(called(set(name)), is: ["\(name) webhook_registered"])
      _ = end(call, delivered)
    }
  }

  @Test mutating func `A new webhook hears of its registration, alone, and a changed one again`() {
    registerTwo()
    expect(called(set("a", at: 1)), is: [])
    expect(called(set("a", "x", at: 60)), is: ["ax webhook_registered"])
  }

  private func error(_ step: WebhookStep) -> Int64? {
    step.reply.flatMap { JSONValue(parsing: Array($0.utf8))?["error"]?["code"]?.int }.map { Int64($0) }
  }

  @Test mutating func `One name is registered once in the cooldown, and ten names are`() {
    let slowDown = ServiceError.slowDown.code
    #expect(error(set("a", at: 0)) == nil)
    #expect(error(set("a", at: 1)) == nil, "it is unchanged")
    let again = set("a", "x", at: 59)
    #expect(error(again) == slowDown && called(again) == [] && again.changes == [])
    // Removed and registered again it is the same name, and a new name for each call does not help either.
    _ = ask(.remove(name: "a"), at: 59)
    expect(error(set("a", "x", at: 59)), is: slowDown)
    for number in 2...10 {
      #expect(error(set("\(number)", at: 59)) == nil)
      _ = ask(.remove(name: "\(number)"), at: 59)
    }
    expect(error(set("b", at: 59)), is: slowDown)
    #expect(error(set("a", "x", at: 60)) == nil)
    expect(error(set("b", at: 60)), is: slowDown)
    // What the ledger has of them counts in the next run too.
    book = WebhookBook(lastCall: 1, registered: [("a", Self.seconds(60))])
    expect(error(set("a", "y", at: 119)), is: slowDown)
    #expect(error(set("a", "y", at: 120)) == nil)
  }

  @Test
  mutating func `Of a wallet's ten webhooks two are called at a time, and each end begins the next call`() {
    for number in UInt64(1)...10 {
      _ = set("\(number)")
      _ = end(number, delivered)
    }
    expect(called(notice(at: 100)), is: ["1 payment_incoming", "2 payment_incoming"])
    // Nothing is due until one of them has ended.
    #expect(book.deadline(rules) == nil && called(deadline(at: 101)).isEmpty)
    expect(called(end(11, .timedOut, at: 110)), is: ["3 payment_incoming"])
    expect(called(end(12, delivered, at: 110)), is: ["4 payment_incoming"])
    // The first one's second attempt is due, too, and waits for all first ones.
    for call in UInt64(13)...18 {
      expect(called(end(call, delivered, at: 112)), is: ["\(call - 8) payment_incoming"])
    }
    expect(called(end(19, delivered, at: 112)), is: ["1 payment_incoming"])
  }

  @Test mutating func `The registration is stored before its call begins`() {
    let step = set("a")
    guard case .set = step.changes.first, case .called = step.changes.dropFirst().first,
      step.changes.last == .begun(call: 1), step.changes.count == 3
    else {
      Issue.record("\(step.changes)")
      return
    }
  }

  @Test mutating func `A notification goes to all webhooks`() {
    registerTwo()
    let all: [WebhookNotification] = [
      .paymentIncoming, .expirySoon(timeout: 800_000), .liquidityManagementRequest, .onionMessageIncoming,
    ]
    var call: UInt64 = 3
    for notification in all {
      let word = notification.method.rawValue.dropFirst(6)
      expect(called(notice(notification, at: 5)), is: ["a \(word)", "b \(word)"])
      _ = end(call, delivered, at: 5)
      _ = end(call + 1, delivered, at: 5)
      call += 2
    }
  }

  @Test mutating func `Without a webhook nothing is called`() {
    expect(notice(at: 0), is: WebhookStep())
    _ = set("a")
    _ = end(1, delivered)
    _ = ask(.remove(name: "a"))
    expect(notice(at: 1), is: WebhookStep())
    #expect(book.isQuiet)
  }

  @Test mutating func `A method in its cooldown is not raised, and the others are`() {
    registerTwo()
    _ = notice(.onionMessageIncoming, at: 0)
    expect(notice(.onionMessageIncoming, at: 59), is: WebhookStep())
    #expect(notice(.expirySoon(timeout: 1), at: 1).changes.count > 0)
    expect(notice(.expirySoon(timeout: 2), at: 2), is: WebhookStep())
    #expect(notice(.onionMessageIncoming, at: 60).changes.count > 0)
  }

  @Test mutating func `The cooldowns begin anew when the wallet has been here`() {
    registerTwo()
    expect(called(notice(at: 0)).count, is: 2)
    _ = end(3, delivered)
    _ = end(4, delivered)
    _ = play { $0.walletCame(&$1) }
    expect(called(notice(at: 2)).count, is: 2)
  }

  @Test mutating func `A payment within the cooldown is announced at its end, if one still waits`() {
    registerTwo()
    _ = notice(at: 0)
    _ = end(3, delivered)
    _ = end(4, delivered)
    #expect(book.deadline(rules) == nil)
    expect(notice(at: 10), is: WebhookStep())
    #expect(book.deadline(rules) == Self.seconds(60) && !book.isQuiet)
    var other = self
    expect(called(deadline(at: 60)), is: ["a payment_incoming", "b payment_incoming"])
    _ = other.play { $0.paymentsEnded(&$1) }
    #expect(other.book.deadline(rules) == nil && other.book.isQuiet)
  }

  @Test mutating func `A webhook hears of its registration before anything else`() {
    _ = set("a")
    expect(called(notice(at: 0)), is: [])
    // No timer turns while it waits.
    #expect(book.deadline(rules) == nil)
    expect(called(end(1, delivered)), is: ["a payment_incoming"])
  }

  @Test mutating func `A registration that was tried and is not heard does not hold up a payment`() {
    _ = set("a")
    _ = notice(at: 0)
    expect(called(end(1, .timedOut, at: 10)), is: ["a payment_incoming"])
  }

  // MARK: Attempts

  @Test mutating func `A call without an answer is repeated four times with growing pauses, and given up`() {
    _ = set("a")
    var second: Int64 = 0
    for pause: Int64 in [1, 4, 15, 60] {
      let step = end(1, pause == 4 ? .timedOut : .unreachable, at: second)
      expect(step.changes, is: [.tried(call: 1, pause == 4 ? .timedOut : .unreachable)])
      expect(book.deadline(rules), is: Self.seconds(second + pause))
      expect(deadline(at: second + pause - 1), is: WebhookStep())
      second += pause
      let again = deadline(at: second)
      #expect(again.changes == [.begun(call: 1)] && called(again).count == 1)
      #expect(book.deadline(rules) == nil)
    }
    expect(
      end(1, .unreachable, at: second).changes,
      is: [
        .tried(call: 1, .unreachable), .ended(call: 1, .givenUp),
      ])
    #expect(book.isQuiet)
  }

  @Test(arguments: [200, 201, 204, 301, 400, 404, 410, 429, 500, 503])
  mutating func `Whatever a server answers, it is not called again`(_ status: Int) {
    _ = set("a")
    let step = end(1, .answered(status: status))
    #expect(step.changes == [.ended(call: 1, .answered(status: status))] && book.isQuiet)
    expect(
      WebhookOutcome.answered(status: status).word, is: (status == 200 ? "delivered" : "answered-otherwise"))
  }

  @Test mutating func `An address that is not called is not called again`() {
    _ = set("a")
    expect(end(1, .forbiddenAddress).changes, is: [.ended(call: 1, .forbiddenAddress)])
  }

  @Test mutating func `Nothing more goes to a webhook that is removed, replaced, or whose wallet is here`() {
    for kind in 0..<3 {
      var test = WebhookBookTests()
      _ = test.set("a", at: -60)
      _ = test.end(1, delivered)
      _ = test.set("b", at: -60)
      _ = test.end(2, delivered)
      // One under way, one that waits for its next attempt.
      _ = test.notice(at: 1)
      _ = test.end(4, .timedOut, at: 2)
      _ = test.notice(.onionMessageIncoming, at: 2)
      var changes: [WebhookChange] = []
      var orders: [WebhookOrder] = []
      func add(_ step: WebhookStep) {
        changes += step.changes
        orders += step.orders
      }
      switch kind {
      case 0: for name in ["a", "b"] { add(test.ask(.remove(name: name), at: 3)) }
      case 1: for name in ["a", "b"] { add(test.set(name, "new", at: 3)) }
      default: add(test.play { $0.walletCame(&$1) })
      }
      for call: UInt64 in 3...6 {
        #expect(changes.contains(.ended(call: call, .notNeeded)), "\(kind) \(call)")
      }
      #expect(orders.contains(.cancel(call: 3)) && !orders.contains(.cancel(call: 5)))
      let later = test.deadline(at: 1000)
      #expect(test.called(later) == [] && later.changes == [])
      // The end of an attempt that is cancelled changes nothing.
      expect(test.end(3, .unreachable, at: 4), is: WebhookStep())
    }
  }

  @Test mutating func `A registration is called also while the wallet is here`() {
    _ = set("a")
    let step = play { $0.walletCame(&$1) }
    #expect(step == WebhookStep() && !book.isQuiet)
  }

  @Test mutating func `A restarted LSP goes on with open calls, and keeps cooldowns and numbers`() {
    registerTwo()
    _ = notice(at: 100)
    _ = end(3, .timedOut, at: 110)
    book = WebhookBook(
      webhooks: book.webhooks,
      calls: book.calls.map {
        WebhookCall(
          number: $0.number, webhook: $0.webhook, notification: $0.notification, attempts: $0.attempts,
          nextAt: Self.seconds(120))
      }, lastCall: 4, noticed: [(.paymentIncoming, Self.seconds(100))])
    expect(book.deadline(rules), is: Self.seconds(120))
    expect(called(deadline(at: 120)), is: ["a payment_incoming", "b payment_incoming"])
    expect(notice(at: 121), is: WebhookStep())
    _ = end(3, .unreachable, at: 121)
    expect(book.deadline(rules), is: Self.seconds(125))
    let step = notice(.liquidityManagementRequest, at: 122)
    guard case .called(let call) = step.changes.first else {
      Issue.record("\(step)")
      return
    }
    expect(call.number, is: 5)
  }

  @Test func `Each notification has one body, and a height exactly for expiry_soon`() {
    expect(
      WebhookNotification.paymentIncoming.body,
      is: #"{"jsonrpc":"2.0","method":"lsps5.payment_incoming","params":{}}"#)
    expect(
      WebhookNotification.expirySoon(timeout: 800_144).body,
      is: #"{"jsonrpc":"2.0","method":"lsps5.expiry_soon","params":{"timeout":800144}}"#)
    for method in WebhookNotification.Method.allCases {
      let timeout: UInt32? = method == .expirySoon ? 7 : nil
      expect(WebhookNotification(method, timeout: timeout)?.method, is: method)
      #expect(WebhookNotification(method, timeout: timeout == nil ? 7 : nil) == nil)
    }
  }
}

extension WebhookNotification {
  static let liquidityManagementRequest = WebhookNotification(.liquidityManagementRequest)!
  static let onionMessageIncoming = WebhookNotification(.onionMessageIncoming)!
  static func expirySoon(timeout: UInt32) -> WebhookNotification {
    WebhookNotification(.expirySoon, timeout: timeout)!
  }
}
