import Ground
import Guardrails
import JSON

/// Reads the extension's fields from a push's payload.
enum PushReader {
  private static let payloadLimit = 4096

  static func read(_ payload: [UInt8], id: UInt64) -> Push {
    guard payload.count <= payloadLimit, let value = JSONValue(parsing: payload),
      let reason = value["reason"]?.text.flatMap(reason)
    else { return Push(id: id, reason: .unreadable) }
    return Push(id: id, reason: reason, paymentHash: value["payment_hash"]?.text.flatMap { Bytes32(hex: $0) })
  }

  /// Phoenix's reasons; some of its servers append a `$`.
  private static func reason(_ word: String) -> Push.Reason? {
    switch word.hasSuffix("$") ? String(word.dropLast()) : word {
    case "IncomingPayment": .incomingPayment
    case "PendingSettlement": .pendingSettlement
    case "IncomingOnionMessage": .onionMessage
    default: nil
    }
  }
}
