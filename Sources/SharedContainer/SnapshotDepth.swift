/// How much of a container is looked at. The history grows for years, so what is told by default does not grow with it.
public struct SnapshotDepth: Hashable, Sendable {
  /// The last rows of each table; nil for all.
  public var rowsPerTableMax: Int?
  /// Every claim, every count and every page.
  public var isThorough: Bool

  public init(rowsPerTableMax: Int? = 1000, isThorough: Bool = false) {
    self.rowsPerTableMax = rowsPerTableMax
    self.isThorough = isThorough
  }

  /// As many are counted, and as many claims read.
  static let countedMax: Int64 = 1000
  /// Of 4,096 bytes: so many pages are looked at in milliseconds.
  static let pagesMax: Int64 = 512

  var claimsMax: Int64? { isThorough ? nil : Self.countedMax }
  var countedMax: Int64? { isThorough ? nil : Self.countedMax }
}
