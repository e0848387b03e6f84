/// How much of a block a transaction that two ends make together takes (BOLT 3, Appendix A), and what that costs.
/// Every part is counted as BOLT 2 wants it, so that both ends come to the same before there is a signature.
public enum TransactionWeight {
  /// A byte that is no witness counts four times.
  private static let perByte = 4
  /// Version, lock time, and the numbers of inputs and outputs; the marker and the flag of BIP 144. Who began pays
  /// for them.
  public static let common = (4 + 4 + 1 + 1) * perByte + 2
  /// What is spent, an empty script behind its length, and the sequence number.
  private static let input = (32 + 4 + 1 + 4) * perByte
  /// Two signatures of 73 bytes at the most, the script with both keys, an empty element, the lengths of all four and
  /// their number.
  private static let sharedWitness = 1 + 1 + (1 + 73) + (1 + 73) + (1 + 71)
  /// The channel's funding, as it is spent.
  public static let sharedInput = input + sharedWitness

  public static func output(_ script: OutputScript) -> Int {
    (8 + CompactSize.size(of: script.bytes.count) + script.bytes.count) * perByte
  }

  /// Of a splice that spends the channel's funding alone.
  public static func splice(paying scripts: [OutputScript]) -> Int {
    common + sharedInput + scripts.reduce(0) { $0 + output($1) }
  }

  /// In satoshis, at a rate for each thousand units of weight; a part of one counts as one.
  public static func fee(_ weight: Int, perKw rate: UInt32) -> UInt64 {
    (UInt64(max(0, weight)) * UInt64(rate) + 999) / 1000
  }
}
