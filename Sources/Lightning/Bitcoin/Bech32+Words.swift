// Words of five bits, the highest bit first.
extension Bech32 {
  /// The bytes, padded with zeros to a whole word.
  package static func words(of bytes: some Sequence<UInt8>) -> [UInt8] {
    var words: [UInt8] = []
    var kept: UInt32 = 0
    var count = 0
    for byte in bytes {
      kept = kept << 8 | UInt32(byte)
      count += 8
      while count >= 5 {
        count -= 5
        words.append(UInt8(kept >> UInt32(count) & 31))
      }
    }
    if count > 0 { words.append(UInt8(kept << UInt32(5 - count) & 31)) }
    return words
  }

  /// The whole bytes in these words; the remaining bits are padding.
  package static func bytes(of words: some Sequence<UInt8>) -> [UInt8] { pack(words).bytes }

  /// The bytes with the remaining bits as one more byte, padded with zeros: BOLT 11 signs these.
  package static func paddedBytes(of words: some Sequence<UInt8>) -> [UInt8] {
    let (bytes, left) = pack(words)
    return left.map { bytes + [$0] } ?? bytes
  }

  private static func pack(_ words: some Sequence<UInt8>) -> (bytes: [UInt8], left: UInt8?) {
    var bytes: [UInt8] = []
    var kept: UInt32 = 0
    var count = 0
    for word in words {
      kept = kept << 5 | UInt32(word & 31)
      count += 5
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(kept >> UInt32(count) & 0xff))
      }
    }
    return (bytes, count > 0 ? UInt8(kept << UInt32(8 - count) & 0xff) : nil)
  }
}
