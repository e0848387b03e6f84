import Glibc

/// The exit codes of all programs of the project.
public enum ExitCode: Int32, Hashable, Sendable, CaseIterable {
  case done = 0
  /// A story's answers differ from the expected ones, two containers differ, or a check found what loses nothing.
  case differs = 1
  /// Verdicts of run, sim, explore and chaos, and of a check.
  case exclusionOrMoneyBroken = 2
  case noProgress = 3
  case crashedByItself = 4
  /// A payment, or a withdrawal, did not go through.
  case paymentFailed = 5
  /// A search stopped at a bound; what it had seen by then was good.
  case gaveUp = 6
  /// A wait timed out.
  case tooSlow = 7
  /// The phone or its peer refused the request.
  case notDone = 8
  /// From sysexits.
  case wrongUsage = 64
  case daemonMissing = 69
  case bugOfOurs = 70
  case cannotCreate = 73
  case inputOutputError = 74
  case badConfiguration = 78
  /// 128 plus the signal's number, as in shells.
  case hungUp = 129
  case interrupted = 130
  case quitByKey = 131
  case terminated = 143
}

/// Ends the process with one sentence on stderr, and detail lines. Control characters in names and paths never
/// reach the terminal.
public func exitWithSentence(_ code: ExitCode, _ sentence: String, details: [String] = []) -> Never {
  sayOnStandardError(sentence, details: details)
  exit(code.rawValue)
}

/// Prints one sentence and its detail lines.
public func sayOnStandardError(_ sentence: String, details: [String] = []) {
  let lines = ["\(programName): \(sentence)"] + details
  writeAll(standardError, Array(lines.map { "\($0.onOneLine)\n" }.joined().utf8))
}

public let standardInput: Int32 = 0
public let standardOutput: Int32 = 1
public let standardError: Int32 = 2

/// The last part of the name the program was started under.
public var programName: String {
  TypedArguments.words.first.flatMap { $0.split(separator: "/").last }.map(String.init) ?? "baton"
}

/// Writes everything, unbuffered: C's stdout is fully buffered on a pipe. False if the reader is gone.
@discardableResult public func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
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

/// Prints one line on stdout, unbuffered.
public func printLine(_ text: String) { writeAll(standardOutput, Array("\(text)\n".utf8)) }
