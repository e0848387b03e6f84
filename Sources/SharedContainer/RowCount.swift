/// How many rows there are, counted as far as it costs little: a history grows for years, and a look at it must not.
public struct RowCount: Hashable, Sendable {
  public var number: Int64
  /// False: there are more than the number.
  public var isExact: Bool

  public init(_ number: Int64, isExact: Bool = true) {
    self.number = number
    self.isExact = isExact
  }
}
