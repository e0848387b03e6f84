/// `NODEID@HOST:PORT` as people type it: the one reader of that form. Whether the id is a point of the curve is for who
/// dials it.
public struct NodeAddress: Hashable, Sendable {
  /// 66 hexadecimal digits, of which the first two say that it is a compressed point.
  public let id: String
  public let place: HostAndPort

  private static let idDigits = 66

  public init?(_ text: String) {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, let place = HostAndPort(String(parts[1])),
      parts[0].utf8.count == Self.idDigits, parts[0].hasPrefix("02") || parts[0].hasPrefix("03"),
      parts[0].allSatisfy(\.isHexDigit)
    else { return nil }
    id = String(parts[0])
    self.place = place
  }
}
