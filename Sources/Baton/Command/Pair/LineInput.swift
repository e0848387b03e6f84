import DaemonRuntime
import Glibc

/// Lines of standard input, if this process may read it.
final class LineInput {
  private static let lineBytesMax = 4096

  /// -1 at the end of input.
  private(set) var descriptor: Int32
  private var rest: [UInt8] = []

  /// A background job is stopped (SIGTTIN) if it reads from its terminal.
  init() {
    let isForeground = isatty(standardInput) == 0 || tcgetpgrp(standardInput) == getpgrp()
    descriptor = isForeground ? standardInput : -1
  }

  /// To be called when the descriptor is readable. A line that is too long is truncated.
  func read() -> [String] {
    var buffer = [UInt8](repeating: 0, count: Self.lineBytesMax)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    if count < 0 && errno == EINTR { return [] }
    guard count > 0 else {
      descriptor = -1
      let last = rest
      rest = []
      return [String(decoding: last, as: UTF8.self)]
    }
    rest += buffer[..<count]
    var lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let unfinished = lines.removeLast()
    rest = Array(unfinished.prefix(Self.lineBytesMax))
    return lines.map { String(decoding: $0, as: UTF8.self) }
  }
}
