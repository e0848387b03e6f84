import DaemonRuntime
import Foundation
import TestKit
import Glibc
import Baton
import PhonePolicy
import ProcessSupport

/// A running `baton serve`, of a phone that does not run. In a process of its own: the server leaves half of its process's
/// descriptors to others, and a process of tests may have more open.
final class ServeProcess {
  struct Answer {
    var status: Int
    var head: String
    var body: String
  }

  let address: ServeAddress
  private let home = TemporaryDirectory()
  private let process = Process()

  init(_ options: [String] = []) throws {
    process.executableURL = URL(filePath: "\(Started.directory)/baton")
    process.arguments = ["--home", home.path, "--json", "serve"] + options
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.start()
    address = try #require(ServeAddress(json: pipe.fileHandleForReading.availableData))
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
  }

  /// The status with which it ends when told to.
  func end() -> Int32 {
    process.terminate()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Sends the bytes, and gives what comes until the server closes, or until `enough`.
  func ask(_ request: String, until enough: (String) -> Bool = { _ in false }) throws -> Answer {
    let client = try connected()
    defer { close(client) }
    let bytes = Array(request.utf8)
    expect(send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)), is: bytes.count)
    var received: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while !enough(String(decoding: received, as: UTF8.self)) {
      let count = recv(client, &piece, piece.count, 0)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      received += piece[..<count]
    }
    let text = String(decoding: received, as: UTF8.self)
    let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
    let status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return Answer(status: status, head: String(parts[0]), body: parts.count > 1 ? String(parts[1]) : "")
  }

  func connected() throws -> Int32 {
    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    // Only a time limit for a test that hangs.
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_port = UInt16(clamping: address.port).bigEndian
    place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if result != 0 { throw SystemError("reach the server") }
    return client
  }

  func head(_ line: String, _ more: String = "") -> String {
    "\(line) HTTP/1.1\r\nHost: 127.0.0.1:\(address.port)\r\nAuthorization: Bearer \(address.token)\r\n\(more)\r\n"
  }
}
