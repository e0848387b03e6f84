/// A server of webhooks in the test's event loop, on a port of 127.0.0.1.
final class WebhookServer {
  struct Post: Equatable {
    var line: String
    var headers: [String: String]
    var body: String

    var timestamp: String { headers["x-lsps5-timestamp"] ?? "" }
    var signature: String { headers["x-lsps5-signature"] ?? "" }
  }

  private(set) var posts: [Post] = []
  /// Nil: no answer, and the connection stays open.
  var answer: String? = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
  let port: UInt16
  private let loop: EventLoop
  private let listener: Int32
  private var open: [Int32: [UInt8]] = [:]
  private var numbers: [Int32: Int] = [:]
  private var lastNumber = 0
  /// Connections by their order of arrival, in the order of their ends.
  private(set) var closed: [Int] = []

  init(loop: EventLoop) throws {
    self.loop = loop
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
        bind(descriptor, place, size) == 0 && listen(descriptor, 16) == 0
          && getsockname(descriptor, place, &size) == 0
      }
    }
    guard bound else { throw SystemError("listen") }
    listener = descriptor
    port = UInt16(bigEndian: address.sin_port)
    try loop.watch(listener, .readable) { [unowned self] _ in accept() }
  }

  deinit {
    for descriptor in [listener] + Array(open.keys) {
      loop.unwatch(descriptor)
      close(descriptor)
    }
  }

  var url: String { "http://127.0.0.1:\(port)/wake?token=5" }

  private func accept() {
    let client = Glibc.accept(listener, nil, nil)
    guard client >= 0 else { return }
    open[client] = []
    lastNumber += 1
    numbers[client] = lastNumber
    try? loop.watch(client, .readable) { [unowned self] _ in read(client) }
  }

  private func read(_ client: Int32) {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = recv(client, &buffer, buffer.count, 0)
    guard count > 0 else { return forget(client) }
    open[client, default: []] += buffer[..<count]
    guard let post = Self.post(String(decoding: open[client] ?? [], as: UTF8.self)) else { return }
    open[client] = []
    posts.append(post)
    guard let answer else { return }
    _ = Array(answer.utf8).withUnsafeBytes { send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    forget(client)
  }

  private func forget(_ client: Int32) {
    loop.unwatch(client)
    close(client)
    open[client] = nil
    closed += numbers.removeValue(forKey: client).map { [$0] } ?? []
  }

  /// Nil while the body is not whole.
  private static func post(_ text: String) -> Post? {
    guard let end = text.range(of: "\r\n\r\n") else { return nil }
    let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      headers[parts[0].lowercased()] = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
    }
    let body = String(text[end.upperBound...])
    guard body.utf8.count >= Int(headers["content-length"] ?? "0") ?? 0 else { return nil }
    return Post(line: lines[0], headers: headers, body: body)
  }
}
