/// Writes numbers and bytes as words of five bits, the highest bit first.
struct BitWriter {
  private(set) var words: [UInt8] = []

  mutating func put(_ more: some Sequence<UInt8>) { words.append(contentsOf: more) }

  /// The lowest bits of a number, in `count` words.
  mutating func number(_ value: UInt64, words count: Int) {
    for place in (0..<count).reversed() {
      words.append(place > 12 ? 0 : UInt8(value >> UInt64(5 * place) & 31))
    }
  }

  /// A number in the fewest words; none for 0.
  mutating func shortest(_ value: UInt64) {
    number(value, words: (UInt64.bitWidth - value.leadingZeroBitCount + 4) / 5)
  }

  /// The bytes, padded with zeros to a whole word.
  mutating func bytes(_ bytes: some Sequence<UInt8>) { words.append(contentsOf: Bech32.words(of: bytes)) }
}
