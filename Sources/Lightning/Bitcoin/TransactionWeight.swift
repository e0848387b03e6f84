/// The weight of a negotiated transaction (BOLT 3, Appendix A) and its fee. Each part counts as in BOLT 2, so that
/// both ends agree before they sign.
public enum TransactionWeight {
  /// A non-witness byte counts four times.
  private static let perByte = 4
  /// Version, lock time, the counts of inputs and outputs, BIP 144's marker and flag. The initiator pays for them.
  public static let common = (4 + 4 + 1 + 1) * perByte + 2
  /// The outpoint, an empty script with its length, and the sequence.
  private static let input = (32 + 4 + 1 + 4) * perByte
  /// Two signatures of at most 73 bytes, the script with both keys, an empty element, the lengths of all four and
  /// their count.
  private static let sharedWitness = 1 + 1 + (1 + 73) + (1 + 73) + (1 + 71)
  /// The input that spends the channel's funding.
  public static let sharedInput = input + sharedWitness

  public static func output(_ script: OutputScript) -> Int {
    (8 + CompactSize.size(of: script.bytes.count) + script.bytes.count) * perByte
  }

  /// For a splice that spends only the channel's funding.
  public static func splice(paying scripts: [OutputScript]) -> Int {
    common + sharedInput + scripts.reduce(0) { $0 + output($1) }
  }

  /// In satoshis, rounded up, at a rate per 1000 weight units.
  public static func fee(_ weight: Int, perKw rate: UInt32) -> UInt64 {
    (UInt64(max(0, weight)) * UInt64(rate) + 999) / 1000
  }
}

/// Bitcoin's CompactSize, little-endian; only the shortest form is accepted.
enum CompactSize {
  static func size(of value: Int) -> Int {
    switch value {
    case ..<0xfd: 1
    case ...0xffff: 3
    case ...0xffff_ffff: 5
    default: 9
    }
  }
}
