/// The names of the messages of BOLT 1 and 2 and of this project.
package enum MessageWords {
  package static func name(of type: UInt16) -> String { names[type] ?? "message \(type)" }

  private static let names: [UInt16: String] = [
    1: "warning", 2: "stfu", 7: "peer_storage", 9: "peer_storage_retrieval", 16: "init", 17: "error",
    18: "ping", 19: "pong", 66: "tx_add_input", 67: "tx_add_output", 70: "tx_complete",
    71: "tx_signatures", 74: "tx_abort", 77: "splice_locked", 80: "splice_init", 81: "splice_ack",
    128: "update_add_htlc", 130: "update_fulfill_htlc", 131: "update_fail_htlc",
    132: "commitment_signed", 133: "revoke_and_ack", 134: "update_fee",
    135: "update_fail_malformed_htlc", 136: "channel_reestablish", 0xBA71: "fence_answer",
    0xBA73: "push_key", 0xBA75: "hold_ended", 37913: "lsps",
  ]
}
