/// How much of a container is read. The history grows for years, so the default is limited.
public struct SnapshotDepth: Hashable, Sendable {
  /// The last rows of each table; nil for all.
  public var rowsPerTableMax: Int?
  /// Every claim, every count and every page.
  public var isThorough: Bool
  /// Every page, and every index against its table: it takes several times as long.
  public var checksIndexes: Bool

  public init(rowsPerTableMax: Int? = 1000, isThorough: Bool = false, checksIndexes: Bool = false) {
    self.rowsPerTableMax = rowsPerTableMax
    self.isThorough = isThorough
    self.checksIndexes = checksIndexes
  }

  /// The limit for counted rows, and for claims that are read.
  static let countedMax: Int64 = 1000
  /// Pages of 4,096 bytes; so many are checked in milliseconds.
  static let pagesMax: Int64 = 512

  var claimsMax: Int64? { isThorough ? nil : Self.countedMax }
  var countedMax: Int64? { isThorough ? nil : Self.countedMax }
}
