import Glibc

/// How a program of the project ends.
public enum ExitCode: Int32, Hashable, Sendable, CaseIterable {
  case done = 0
  /// Something else came of a story than it expects.
  case differs = 1
  /// Verdicts of run, sim, explore and chaos.
  case exclusionOrMoneyBroken = 2
  case noProgress = 3
  case crashedByItself = 4
  /// Somebody asked whether there are problems, and there are.
  case problemsFound = 65
  /// From sysexits.
  case wrongUsage = 64
  case daemonMissing = 69
  case bugOfOurs = 70
  case cannotCreate = 73
  case inputOutputError = 74
  case badConfiguration = 78
}

/// Ends the process with one sentence on stderr.
public func exitWithSentence(_ code: ExitCode, _ sentence: String) -> Never {
  writeAll(standardError, Array("\(programName): \(sentence)\n".utf8))
  exit(code.rawValue)
}

public let standardInput: Int32 = 0
public let standardOutput: Int32 = 1
public let standardError: Int32 = 2

/// The last part of the name the program was started under.
public var programName: String {
  CommandLine.arguments.first.flatMap { $0.split(separator: "/").last }.map(String.init) ?? "baton"
}

/// Writes everything, unbuffered: stdout of C buffers fully when it is a pipe. False when the reader is gone.
@discardableResult
public func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
  var offset = 0
  while offset < bytes.count {
    let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress! + offset, bytes.count - offset) }
    if count < 0 {
      if errno == EINTR { continue }
      if errno == EAGAIN {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&waiting, 1, -1)
        continue
      }
      return false
    }
    offset += count
  }
  return true
}

/// One line on stdout, at once.
public func printLine(_ text: String) { writeAll(standardOutput, Array("\(text)\n".utf8)) }
