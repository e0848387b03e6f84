import DaemonRuntime

/// lspd's URL for senders, such as `http://127.0.0.1:40123`, and for lspd to listen on the same port after a restart.
struct HTTPAddressFile {
  private static let scheme = "http://"

  let path: String

  /// Nil for a missing file, or one that is damaged.
  func read() -> HostAndPort? {
    SmallFile.read(path, limit: 64).flatMap { Self.parse($0) }
  }

  static func parse(_ bytes: [UInt8]) -> HostAndPort? {
    let text = String(decoding: bytes.filter { $0 > 32 && $0 < 127 }, as: UTF8.self)
    guard text.hasPrefix(scheme) else { return nil }
    return HostAndPort(String(text.dropFirst(scheme.count)))
  }

  static func url(_ place: HostAndPort) -> String { "\(scheme)\(place)" }

  func write(_ place: HostAndPort) throws(SystemError) { try AddressFile.write(Self.url(place), to: path) }
}
