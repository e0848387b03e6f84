import Ground
import Guardrails
import JSON

/// Reads of the payload of a push what the extension needs.
enum PushReader {
  private static let payloadLimit = 4096

  static func read(_ payload: [UInt8], id: UInt64) -> Push {
    guard payload.count <= payloadLimit, let value = JSONValue(parsing: payload),
      let reason = value["reason"]?.text.flatMap(reason)
    else { return Push(id: id, reason: .unreadable) }
    return Push(id: id, reason: reason, paymentHash: value["payment_hash"]?.text.flatMap { Bytes32(hex: $0) })
  }

  /// Phoenix's words; some of its servers send them with a `$` behind.
  private static func reason(_ word: String) -> Push.Reason? {
    switch word.hasSuffix("$") ? String(word.dropLast()) : word {
    case "IncomingPayment": .incomingPayment
    case "PendingSettlement": .pendingSettlement
    case "IncomingOnionMessage": .onionMessage
    default: nil
    }
  }
}
