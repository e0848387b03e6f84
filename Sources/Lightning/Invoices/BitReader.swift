/// Reads words of five bits in order. Any words give a value or an error, never a trap.
struct BitReader {
  private var rest: ArraySlice<UInt8>

  init(_ words: some Collection<UInt8>) { rest = ArraySlice(words) }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func take(_ count: Int) throws(InvoiceError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= rest.count else { throw .fieldIsCut }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// At most twelve words, which fit into 64 bits.
  mutating func number(words count: Int) throws(InvoiceError) -> UInt64 {
    try take(count).reduce(0) { $0 << 5 | UInt64($1) }
  }
}
