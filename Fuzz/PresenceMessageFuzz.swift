@testable import Guardrails

/// A presence message of the other process.
enum PresenceMessageFuzz: FuzzTarget {
  static let name = "presence-message"
  static let longestInput = 20

  static var seeds: [[UInt8]] {
    PresenceCode.allCases.map { PresenceMessage(code: $0, wantsNode: true).encoded() }
      + [PresenceMessage(code: .appPing, asksForHandover: true, released: 7).encoded()]
  }

  static func feed(_ bytes: [UInt8]) {
    guard let message = PresenceMessage(decoding: bytes) else { return }
    promise(message.encoded() == bytes, "a presence message does not round-trip")
  }
}
