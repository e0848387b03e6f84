extension String {
  /// Foreign text as part of a sentence: a character that would end the line, move a cursor or turn the reading
  /// direction is shown as a dot.
  public var onOneLine: String {
    // Nearly every text is clean, and stays what it is.
    guard unicodeScalars.contains(where: Self.leavesTheLine) else { return self }
    var scalars = String.UnicodeScalarView()
    for scalar in unicodeScalars { scalars.append(Self.leavesTheLine(scalar) ? "." : scalar) }
    return String(scalars)
  }

  private static func leavesTheLine(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7f..<0xa0, 0x2028...0x202e, 0x2066...0x2069: true
    // Marks of direction, and what is not seen at all. Joiners stay: emoji and whole scripts are written with them.
    case 0x061c, 0x200b, 0x200e, 0x200f, 0x2060...0x2064, 0xfeff: true
    default: false
    }
  }
}
