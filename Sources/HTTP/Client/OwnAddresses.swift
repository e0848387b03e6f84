import Glibc

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
