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
  /// A payment, or a withdrawal, did not go through.
  case paymentFailed = 5
  /// It ended at a bound before it had seen everything; what it has seen was good.
  case gaveUp = 6
  /// What it waited for did not come in its time.
  case tooSlow = 7
  /// The phone or its peer answered, and did not do it.
  case notDone = 8
  /// From sysexits.
  case wrongUsage = 64
  /// Somebody asked whether there are problems, and there are.
  case problemsFound = 65
  case daemonMissing = 69
  case bugOfOurs = 70
  case cannotCreate = 73
  case inputOutputError = 74
  case badConfiguration = 78
  /// 128 and the number of the signal, as shells say it.
  case hungUp = 129
  case interrupted = 130
  case quitByKey = 131
  case terminated = 143
}

/// Ends the process with one sentence on stderr, and lines that belong to it. Whatever names and paths are in them, no
/// character reaches the terminal that would do anything there.
public func exitWithSentence(_ code: ExitCode, _ sentence: String, details: [String] = []) -> Never {
  sayOnStandardError(sentence, details: details)
  exit(code.rawValue)
}

/// One sentence, and the lines of others that belong to it.
public func sayOnStandardError(_ sentence: String, details: [String] = []) {
  let lines = ["\(programName): \(sentence)"] + details
  writeAll(standardError, Array(lines.map { "\($0.onOneLine)\n" }.joined().utf8))
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
