/// `NODEID@HOST:PORT` as typed. Whether the id is a point of the curve is checked at the dial.
public struct NodeAddress: Hashable, Sendable {
  /// 66 hexadecimal digits, starting with 02 or 03 (a compressed point).
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
