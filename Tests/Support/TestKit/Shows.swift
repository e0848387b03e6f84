import Testing

extension Trait where Self == Shows {
  /// The test shows these statements of Tests/coverage.tsv.
  public static func shows(_ ids: String...) -> Self { Self(ids: ids) }
}

/// `scripts/coverage` reads the ids from the source.
public struct Shows: TestTrait {
  public let ids: [String]
}
