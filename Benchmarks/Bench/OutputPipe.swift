import DaemonRuntime
import Glibc

/// A child's output. The child gets `writing`; close our copy afterwards, so that the child's end is seen.
struct OutputPipe {
  private let reading: Int32
  let writing: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemError("create a pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    reading = ends[0]
    writing = ends[1]
  }

  func closeWriting() { close(writing) }
  func closeReading() { close(reading) }

  func readLine() -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while read(reading, &byte, 1) == 1, byte != UInt8(ascii: "\n") { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }

  func readAll() -> String {
    var all: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(reading, &part, part.count)
      guard count > 0 else { return String(decoding: all, as: UTF8.self) }
      all += part.prefix(count)
    }
  }
}
