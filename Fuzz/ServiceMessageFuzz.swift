import Ground

@testable import Lightning

/// A wallet's requests about webhooks, and an LSP's answers.
enum ServiceMessageFuzz: FuzzTarget {
  static let name = "service-message"
  static let longestInput = 2048

  static var seeds: [[UInt8]] {
    let requests: [WebhookRequest] = [
      .protocols, .list, .set(name: "My wallet", url: "https://example.org:8443/push?l=1%20&c=best"),
      .set(name: "a", url: "http://[::1]/"), .remove(name: "My wallet"),
    ]
    let answers: [WebhookAnswer] = [
      .protocols([1, 5]), .set(count: 1, max: 10, isUnchanged: false), .list(names: ["a"], max: 10), .removed,
    ]
    let errors: [ServiceError] = [.badParameters(unrecognized: ["x"]), .tooManyWebhooks(max: 10)]
    return requests.map { $0.encoded(id: "1f") }
      + answers.map { Array(ServiceReply.encoded(.string("1f"), result: $0.result).utf8) }
      + errors.map { Array(ServiceReply.encoded(.string("1f"), $0).utf8) }
  }

  static func feed(_ bytes: [UInt8]) {
    var book = WebhookBook()
    var step = WebhookStep()
    book.hear(bytes, WebhookRules(reach: .anywhere), at: Instant(nanoseconds: 0), &step)
    guard let reply = step.reply, let value = JSONValue(parsing: Array(reply.utf8)) else {
      return promise(false, "a request has no answer in JSON")
    }
    promise(reply.utf8.count < 65533, "an answer does not fit into a message")
    promise(step.changes.isEmpty == book.webhooks.isEmpty, "a refused request is stored")
    for webhook in book.webhooks {
      promise((try? WebhookURL(webhook.url)) != nil, "a stored URL is none")
      promise(webhook.url.utf8.allSatisfy { $0 > 32 && $0 < 127 }, "a stored URL is not in printable ASCII")
    }
    if let error = value["error"] { promiseOneLine(ServiceError(reading: error).description) }
    if let reply = ServiceReply(parsing: bytes), case .failure(let error) = reply.outcome {
      promiseOneLine(error.description)
    }
  }
}
