import DaemonRuntime
import Glibc
import Simulation

/// Writes each seed's line as soon as it is known, from several threads: a killed process loses only the seeds that it
/// was running.
final class ResultWriter: Sendable {
  private struct State {
    var file: LineWriter?
    var hasFailed = false
  }

  static let standardOutputName = "-"

  private let options: String
  private let state: Locked<State>

  /// `-` is standard output. An existing file is truncated: its lines may be of another version.
  init(_ path: String, options: String) throws(CommandFailure) {
    self.options = options
    if path == Self.standardOutputName {
      state = Locked(State(file: nil))
      return
    }
    do throws(SystemError) {
      let descriptor = try PlainFile.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, mode: 0o644)
      state = Locked(State(file: LineWriter(appendingTo: descriptor)))
    } catch {
      throw CommandFailure(.cannotCreate, "\(error.fact); name another file with --results")
    }
  }

  /// False once a line could not be written: the campaign ends.
  func write(_ result: RunResult, _ story: WorldStory) -> Bool {
    let line = SeedResult(result, story: story, options: options).line
    return state.withLock { state in
      if state.hasFailed { return false }
      let isWritten = state.file?.append(line) ?? StandardOutput.write("\(line)\n")
      state.hasFailed = !isWritten
      return isWritten
    }
  }

  var hasFailed: Bool { state.withLock { $0.hasFailed } }
}
