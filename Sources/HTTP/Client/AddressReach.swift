/// Which addresses a client connects to, whatever the name in the URL resolves to: who chose the URL may have chosen
/// the name's address too.
public enum AddressReach: Sendable {
  /// This machine alone.
  case loopback
  /// No address of this machine, whatever its kind, of a private or shared network, of one link, of a test, or of many receivers.
  case publicOnly

  /// `bytes`: the 4 of an IPv4 address, the 16 of an IPv6 one. `own`: this machine's; nil if they are not known.
  public func takes(_ bytes: [UInt8], except own: [[UInt8]]?) -> Bool {
    if self == .publicOnly {
      guard let own, !own.contains(bytes), Self.inner(bytes).map({ !own.contains($0) }) ?? true else {
        return false
      }
    }
    return switch bytes.count {
    case 4: takesVersion4(bytes)
    case 16: takesVersion6(bytes)
    default: false
    }
  }

  /// The IPv4 address in an IPv6 one.
  private static func inner(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count == 16 else { return nil }
    let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xff && bytes[11] == 0xff
    let isTranslated = bytes[..<12].elementsEqual([0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0])
    return isMapped || isTranslated ? Array(bytes[12...]) : nil
  }

  private func takesVersion4(_ bytes: [UInt8]) -> Bool {
    let isLoopback = bytes[0] == 127
    guard self == .publicOnly else { return isLoopback }
    switch (bytes[0], bytes[1], bytes[2]) {
    case (0, _, _), (10, _, _), (127, _, _), (224...255, _, _), (169, 254, _), (192, 168, _), (192, 0, 0),
      (192, 0, 2), (198, 51, 100), (203, 0, 113), (100, 64...127, _), (172, 16...31, _), (198, 18...19, _):
      return false
    default: return true
    }
  }

  /// Addresses with an IPv4 address in them are judged by that one.
  private func takesVersion6(_ bytes: [UInt8]) -> Bool {
    if let inner = Self.inner(bytes) { return takesVersion4(inner) }
    let isLoopback = bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] == 1
    guard self == .publicOnly else { return isLoopback }
    // Of the rest only global unicast; 6to4 (2002) has an IPv4 address in it too, and Teredo and examples (2001) are no
    // servers.
    let isOther =
      bytes[0] == 0x20 && (bytes[1] == 2 || (bytes[1] == 1 && (bytes[2] == 0 || bytes[2] == 0x0d)))
    return bytes[0] & 0xe0 == 0x20 && !isOther
  }
}
