import Crypto
import DaemonRuntime
import Ground
import Wallet
import Lightning

// The user's requests about webhooks, and the LSP's answers.
extension Request {
  static let webhookVerbs = ["set-webhook", "list-webhooks", "remove-webhook"]

  /// Nil for another verb. LSPS0 wants ids of 80 random bits and more.
  static func webhook(_ message: ControlMessage) throws(ControlMessageError) -> Request? {
    let request: WebhookRequest
    switch message.verb {
    case "set-webhook": request = .set(name: try message.required("name"), url: try message.required("url"))
    case "list-webhooks": request = .list
    case "remove-webhook": request = .remove(name: try message.required("name"))
    default: return nil
    }
    return .webhook(request, id: Hexadecimal.encode(randomBytes(16)))
  }
}

extension WebhookAnswer {
  var message: ControlMessage {
    switch self {
    case .set(let count, let max, let isUnchanged):
      return ControlMessage(
        "webhook",
        ["state": isUnchanged ? "unchanged" : "set", "count": "\(count)", "max": "\(max)"])
    case .removed: return ControlMessage("webhook", ["state": "removed"])
    case .list(let names, let max):
      let list = JSONValue.array(names.map { .string($0) })
      return ControlMessage("webhooks", ["max": "\(max)"], body: Array(list.json.utf8))
    case .protocols(let numbers):
      return ControlMessage("protocols", ["numbers": numbers.map { "\($0)" }.joined(separator: " ")])
    }
  }
}
