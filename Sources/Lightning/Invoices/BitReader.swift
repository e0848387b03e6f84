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
}
