/// Which webhooks an LSP calls. A wallet chooses the URL, so an LSP that called every one could be used to reach the
/// servers of its own network.
public enum WebhookReach: String, Hashable, Codable, Sendable, CaseIterable {
  /// http and https, on this machine: for an emulated LSP.
  case loopback
  /// https alone; no address of this machine or of a private network, whatever the name resolves to.
  case anywhere = "public"
  /// The LSP has no webhooks.
  case off
}

/// A webhook's URL: RFC 1738 without user names, passwords and fragments, in ASCII.
public struct WebhookURL: Hashable, Sendable {
  public static let charactersMax = 1024

  public let text: String
  /// In small letters.
  public let scheme: String
  /// In small letters, an IPv6 address in its brackets.
  public let host: String
  public let port: UInt16?

  public init(_ text: String) throws(ServiceError) {
    guard text.count <= Self.charactersMax else { throw .tooLong }
    var rest = Array(text.utf8)[...]
    let schemeEnd = rest.firstIndex(of: UInt8(ascii: ":")) ?? rest.startIndex
    let scheme = rest[..<schemeEnd]
    guard let first = scheme.first, Self.isLetter(first),
      scheme.allSatisfy({ Self.isLetter($0) || Self.isDigit($0) || Self.schemeMarks.contains($0) }),
      rest[schemeEnd...].allSatisfy({ Self.permitted.contains($0) }),
      rest[schemeEnd...].starts(with: "://".utf8)
    else { throw .unreadableURL }
    rest = rest[(schemeEnd + 3)...]
    let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    guard let (host, port) = Self.place(authority), Self.hasWholeEscapes(rest.dropFirst(authority.count))
    else { throw .unreadableURL }
    self.text = text
    self.scheme = String(decoding: scheme, as: UTF8.self).lowercased()
    self.host = host
    self.port = port
  }

  /// Whether an LSP of this reach calls the URL; a name may still resolve to an address that it does not call.
  public func isCalled(by reach: WebhookReach) -> Bool {
    switch reach {
    case .loopback: (scheme == "https" || scheme == "http") && isOfThisMachine
    case .anywhere: scheme == "https"
    case .off: false
    }
  }

  /// By its spelling, without asking for a name: other spellings of the same addresses are not known here.
  private var isOfThisMachine: Bool {
    if host == "localhost" || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy { part in UInt8(part).map { "\($0)" == part } == true }
  }

  // MARK: Parts

  private static let schemeMarks = Array("+-.".utf8)
  /// RFC 1738's unreserved and reserved characters, `~`, which others write, and the brackets of IPv6 addresses.
  private static let permitted = Set(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789$-_.+!*'(),;/?:@=&%~[]".utf8)

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
  }

  private static func place(_ authority: ArraySlice<UInt8>) -> (host: String, port: UInt16?)? {
    let hostEnd: Int
    if authority.first == UInt8(ascii: "[") {
      guard let bracket = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      hostEnd = bracket + 1
      guard isAddress(authority[authority.startIndex..<hostEnd].dropFirst().dropLast()) else { return nil }
    } else {
      hostEnd = authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
      guard isName(authority[..<hostEnd]) else { return nil }
    }
    let host = String(decoding: authority[..<hostEnd], as: UTF8.self).lowercased()
    let port = authority[hostEnd...]
    guard !port.isEmpty else { return (host, nil) }
    let digits = port.dropFirst()
    guard port.first == UInt8(ascii: ":"), !digits.isEmpty, digits.allSatisfy(isDigit),
      let number = UInt16(String(decoding: digits, as: UTF8.self)), number > 0
    else { return nil }
    return (host, number)
  }

  /// Roughly an IPv6 address: whoever connects reads it exactly.
  private static func isAddress(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.count >= 2 && bytes.count <= 45 && bytes.contains(UInt8(ascii: ":"))
      && bytes.allSatisfy { isHexadecimal($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
  }

  private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
    let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return bytes.count <= 253
      && labels.allSatisfy { label in
        (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
          && label.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
      }
  }

  /// Two digits after each percent sign; brackets only around an address.
  private static func hasWholeEscapes(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.indices.allSatisfy { index in
      switch bytes[index] {
      case UInt8(ascii: "%"):
        bytes.endIndex - index > 2 && isHexadecimal(bytes[index + 1]) && isHexadecimal(bytes[index + 2])
      case UInt8(ascii: "["), UInt8(ascii: "]"): false
      default: true
      }
    }
  }
}
