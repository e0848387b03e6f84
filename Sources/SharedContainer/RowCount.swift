/// A number of rows, counted up to a limit: a history grows for years, and the cost of reading must not.
public struct RowCount: Hashable, Sendable {
  public var number: Int64
  /// False: there are more rows.
  public var isExact: Bool

  public init(_ number: Int64, isExact: Bool = true) {
    self.number = number
    self.isExact = isExact
  }
}
