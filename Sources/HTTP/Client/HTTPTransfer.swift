import CCurl
import Glibc

/// One question under way.
final class HTTPTransfer {
  let number: UInt64
  /// The body's limit; nil: the body is not read.
  let largest: Int?
  let reach: AddressReach?
  let end: (Result<HTTPAnswer, HTTPFailure>) -> Void
  private var headers: UnsafeMutablePointer<curl_slist>?
  private(set) var body: [UInt8] = []
  private(set) var isTooLarge = false
  private var isForbidden = false

  init(
    _ number: UInt64, largest: Int?, reach: AddressReach? = nil,
    end: @escaping (Result<HTTPAnswer, HTTPFailure>) -> Void
  ) {
    self.number = number
    self.largest = largest
    self.reach = reach
    self.end = end
  }

  deinit { curl_slist_free_all(headers) }

  func add(_ headers: [String], to easy: UnsafeMutableRawPointer) {
    for header in headers { self.headers = curl_slist_append(self.headers, header) }
    _ = baton_curl_set_headers(easy, self.headers)
  }

  /// False ends the transfer.
  func take(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let largest else { return false }
    isTooLarge = body.count + bytes.count > largest
    if !isTooLarge { body += bytes }
    return !isTooLarge
  }

  /// As libcurl would open it, if the address is one to connect to.
  func open(_ address: UnsafePointer<curl_sockaddr>) -> Int32 {
    if let reach, !reach.takes(Self.bytes(of: address), except: OwnAddresses.all()) {
      isForbidden = true
      return CURL_SOCKET_BAD
    }
    return socket(
      address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
      address.pointee.protocol)
  }

  private static func bytes(of address: UnsafePointer<curl_sockaddr>) -> [UInt8] {
    withUnsafePointer(to: address.pointee.addr) { plain in
      let raw = UnsafeRawBufferPointer(
        start: plain, count: min(MemoryLayout.size(ofValue: plain.pointee), Int(address.pointee.addrlen)))
      switch address.pointee.family {
      case AF_INET where raw.count >= 8: return Array(raw[4..<8])
      // The address is longer than `sockaddr`.
      case AF_INET6 where address.pointee.addrlen >= 24: return Self.version6(address)
      default: return []
      }
    }
  }

  private static func version6(_ address: UnsafePointer<curl_sockaddr>) -> [UInt8] {
    guard let place = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return [] }
    return Array(UnsafeRawBufferPointer(start: UnsafeRawPointer(address) + place + 8, count: 16))
  }

  func result(_ code: CURLcode, status: Int) -> Result<HTTPAnswer, HTTPFailure> {
    // Without its body the answer is whole with its status, however the transfer ended.
    if largest == nil, status >= 200 { return .success(HTTPAnswer(status: status, body: [])) }
    switch code {
    case CURLE_OK: return .success(HTTPAnswer(status: status, body: body))
    case CURLE_OPERATION_TIMEDOUT: return .failure(.timedOut)
    default: return .failure(isForbidden ? .forbidden : isTooLarge ? .tooLarge : .unreachable)
    }
  }
}

/// The addresses of this machine's interfaces.
enum OwnAddresses {
  /// As `AddressReach` takes them. Nil if they cannot be had.
  static func all() -> [[UInt8]]? {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return nil }
    defer { freeifaddrs(first) }
    return sequence(first: first, next: { $0?.pointee.ifa_next }).prefix { $0 != nil }.compactMap { entry in
      guard let address = entry?.pointee.ifa_addr else { return nil }
      let raw = UnsafeRawPointer(address)
      switch Int32(address.pointee.sa_family) {
      case AF_INET: return Array(UnsafeRawBufferPointer(start: raw + 4, count: 4))
      case AF_INET6: return Array(UnsafeRawBufferPointer(start: raw + 8, count: 16))
      default: return nil
      }
    }
  }
}

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
