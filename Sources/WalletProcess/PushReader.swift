import Ground
import Database
import Guardrails

/// Reads the payload of a push. SQLite is in the process anyway and reads JSON strictly: no parser of our own, and no
/// Foundation.
final class PushReader {
  private let connection: Connection?
  private static let payloadLimit = 4096

  init() { connection = try? Connection(path: ":memory:", access: .create) }

  func read(_ payload: [UInt8], id: UInt64) -> Push {
    (try? parse(payload, id: id)) ?? Push(id: id, reason: .unreadable)
  }

  private func parse(_ payload: [UInt8], id: UInt64) throws -> Push? {
    guard let connection, payload.count <= Self.payloadLimit, MemberNames.areTexts(payload) else {
      return nil
    }
    let text = String(decoding: payload, as: UTF8.self)
    // Nothing but a JSON object is looked into.
    let row = try connection.firstRow(
      """
      SELECT CASE WHEN json_valid(?1) AND json_type(?1) = 'object' THEN json_extract(?1, '$.reason') END,
        CASE WHEN json_valid(?1) AND json_type(?1) = 'object' THEN json_extract(?1, '$.payment_hash') END
      """, [.text(text)])
    guard let row, case .text(let word) = try row.value(0), let reason = Self.reason(word) else { return nil }
    var push = Push(id: id, reason: reason)
    if case .text(let hash) = try row.value(1) { push.paymentHash = Bytes32(hex: hash) }
    return push
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
