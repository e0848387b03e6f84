import Ground
import DaemonRuntime
import Glibc

/// Progress of long work on stderr: on a terminal one line that is overwritten, otherwise a line every ten seconds.
final class ProgressLine: Sendable {
  private static let interval = TimeSpan.seconds(10)

  private let isTerminal = isatty(standardError) == 1
  private let isQuiet: Bool
  private let toldAt = Locked(Clock.monotonicNow)

  /// `isQuiet`: nothing on a terminal; logs still get their lines.
  init(isQuiet: Bool) { self.isQuiet = isQuiet }

  func tell(_ sentence: String) {
    if isTerminal {
      if !isQuiet { writeAll(standardError, Array("\u{1b}[2K\r\(sentence)".utf8)) }
      return
    }
    let isTime = toldAt.withLock { toldAt in
      guard Clock.monotonicNow - toldAt >= Self.interval else { return false }
      toldAt = Clock.monotonicNow
      return true
    }
    if isTime { writeAll(standardError, Array("baton: \(sentence)\n".utf8)) }
  }

  func end() {
    if isTerminal && !isQuiet { writeAll(standardError, Array("\u{1b}[2K\r".utf8)) }
  }
}

/// `--jobs`: on how many threads long work runs.
enum JobsOption {
  static let declaration = OptionDeclaration(
    "--jobs", value: .integer(1...256), help: "threads; default: the number of processors")

  /// By default one for each processor.
  static func number(_ line: ParsedCommandLine) -> Int {
    line.integer("--jobs").map { Int(clamping: $0) } ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  }
}
