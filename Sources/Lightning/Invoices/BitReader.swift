/// Reads words of five bits in their order. Whatever they are, it gives a value or an error.
struct BitReader {
  private var rest: ArraySlice<UInt8>

  init(_ words: some Collection<UInt8>) { rest = ArraySlice(words) }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func take(_ count: Int) throws(InvoiceError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= rest.count else { throw .fieldIsCut }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// Of at most twelve words, so that it fits.
  mutating func number(words count: Int) throws(InvoiceError) -> UInt64 {
    try take(count).reduce(0) { $0 << 5 | UInt64($1) }
  }

  /// The whole bytes in these words; what is left over is padding.
  static func bytes(of words: some Sequence<UInt8>) -> [UInt8] { pack(words).bytes }

  /// With what is left over as one byte more, zeros behind it: what is signed.
  static func paddedBytes(of words: some Sequence<UInt8>) -> [UInt8] {
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
