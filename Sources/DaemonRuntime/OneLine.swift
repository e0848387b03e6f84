extension String {
  /// Untrusted text within a sentence: a character that ends the line, moves the cursor or changes the text
  /// direction is replaced by a dot.
  public var onOneLine: String {
    // Fast path: nearly every text is clean.
    guard unicodeScalars.contains(where: Self.leavesTheLine) else { return self }
    var scalars = String.UnicodeScalarView()
    for scalar in unicodeScalars { scalars.append(Self.leavesTheLine(scalar) ? "." : scalar) }
    return String(scalars)
  }

  private static func leavesTheLine(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7f..<0xa0, 0x2028...0x202e, 0x2066...0x2069: true
    // Direction marks and invisible characters. Joiners stay: emoji and some scripts need them.
    case 0x061c, 0x200b, 0x200e, 0x200f, 0x2060...0x2064, 0xfeff: true
    default: false
    }
  }
}
