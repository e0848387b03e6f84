@testable import Judge
@testable import TestHomes

/// The frames of one splice as BOLT 2 lays them out, and its transaction as BIP 144 does: 20,000 sat to an external
/// key, at 1000 sat per kw.
enum SpliceBytes {
  static let amountSat: UInt64 = 20_000
  /// BOLT 3's weight of such a transaction is 724.
  static let feeSat: UInt64 = 724
  /// What stays of the channel's first 10,000,000 sat.
  static let remainingSat: UInt64 = 10_000_000 - amountSat - feeSat
  static let peerKey: [UInt8] = [2] + WireBytes.sha256([7])
  static let target: [UInt8] = [0, 20] + [UInt8](repeating: 0x5C, count: 20)
  static let funding: [UInt8] =
    [0, 32]
    + WireBytes.sha256(
      [0x52, 33]
        + ([peerKey, SampleRun.node].sorted { $0.lexicographicallyPrecedes($1) }.joined(separator: [33]))
        + [0x52, 0xae])
  private static let channel = WireBytes.channel

  private static func number(_ value: UInt64, _ count: Int) -> [UInt8] { WireBytes.number(value, count) }
  private static func reversed(_ value: UInt64, _ count: Int) -> [UInt8] { number(value, count).reversed() }

  static let transaction: [UInt8] =
    reversed(2, 4) + [1] + channel + reversed(0, 4) + [0] + reversed(0xffff_fffd, 4) + [2]
    + reversed(remainingSat, 8) + [34] + funding + reversed(amountSat, 8) + [22] + target + reversed(0, 4)
  static let txid = WireBytes.sha256(WireBytes.sha256(transaction))

  static func stfu(_ isInitiator: Bool) -> [UInt8] { [0, 2] + channel + [isInitiator ? 1 : 0] }

  static let spliceInit: [UInt8] =
    [0, 80] + channel + number(UInt64(bitPattern: -Int64(amountSat + feeSat)), 8) + number(1000, 4)
    + number(0, 4) + SampleRun.node
  static let spliceAck: [UInt8] = [0, 81] + channel + number(0, 8) + peerKey
  static let txAddInput: [UInt8] =
    [0, 66] + channel + number(0, 8) + [0, 0] + number(0, 4) + number(0xffff_fffd, 4) + [0, 32] + channel

  static func txAddOutput(_ serial: UInt64, _ satoshis: UInt64, _ script: [UInt8]) -> [UInt8] {
    [0, 67] + channel + number(serial, 8) + number(satoshis, 8) + number(UInt64(script.count), 2) + script
  }

  static let outputs = [txAddOutput(2, remainingSat, funding), txAddOutput(4, amountSat, target)]
  static let txComplete: [UInt8] = [0, 70] + channel
  static let commit: [UInt8] = WireBytes.commit(signatures: 0) + [1, 32] + txid
  static let txSignatures: [UInt8] =
    [0, 71] + channel + txid + [0, 0, 0, 64] + [UInt8](repeating: 0, count: 64)
  static let spliceLocked: [UInt8] = [0, 77] + channel + txid
  static let txAbort: [UInt8] = [0, 74] + channel + [0, 0]

  /// The TLVs of a `channel_reestablish`.
  static func fundings(next: Bool? = nil, locked: [UInt8] = channel) -> [UInt8] {
    (next.map { [1, 33] + txid + [$0 ? 1 : 0] } ?? []) + [5, 33] + locked + [0]
  }
}
