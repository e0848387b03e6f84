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
