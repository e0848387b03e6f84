import CLinux
import DaemonRuntime
import Glibc

/// The terminal that `baton watch` draws on. However the program ends, it leaves it as it was; after SIGKILL `reset`
/// does.
final class WatchTerminal {
  private let output: Output
  private var painter: WatchPainter
  private var isTaken = false

  init(output: Output) {
    self.output = output
    painter = WatchPainter(output: output)
  }

  /// Why nothing can be drawn, and what to do instead.
  static func refusal() -> String? {
    guard isatty(standardOutput) == 1 else {
      return
        "standard output is not a terminal; use `baton watch --once`, or `baton watch --json` for a script"
    }
    guard isatty(standardInput) == 1 else {
      return "standard input is not a terminal, so no key could be pressed; use `baton watch --once`"
    }
    let name = getenv("TERM").map { String(cString: $0) } ?? ""
    guard !name.isEmpty, name != "dumb" else {
      return
        "this terminal cannot move its cursor (TERM is \(name.isEmpty ? "not set" : name)); use `baton logs -f`, or `baton watch --once`"
    }
    return nil
  }

  /// Also when the process goes on after a stop: meanwhile a shell has used the terminal.
  func take() throws(SystemError) {
    if !isTaken {
      let bytes = WatchPainter.leave
      // For the life of the process: a handler of a crash may not allocate.
      _ = baton_terminal_restore_on_crash(standardInput, strdup(bytes), bytes.utf8.count)
    }
    if baton_terminal_keys_begin(standardInput) != 0 { throw SystemError("set up the terminal") }
    isTaken = true
    painter.forget()
    StandardOutput.write(WatchPainter.enter)
  }

  func giveBack() {
    guard isTaken else { return }
    isTaken = false
    StandardOutput.write(WatchPainter.leave)
    _ = baton_terminal_keys_end(standardInput)
  }

  /// 80 by 24 where the terminal does not know, as on a serial line.
  static var size: (columns: Int, rows: Int) {
    var columns: Int32 = 0
    var rows: Int32 = 0
    guard baton_terminal_size(standardOutput, &columns, &rows) == 0, columns > 0, rows > 0 else {
      return (80, 24)
    }
    return (Int(columns), Int(rows))
  }

  /// False once nothing can be written any more.
  func draw(_ lines: [WatchLine], again: Bool) -> Bool {
    if again { painter.forget() }
    let text = painter.paint(lines)
    return text.isEmpty || StandardOutput.write(text)
  }

  /// Nil when the terminal is gone.
  func keys() -> [WatchKey]? {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(standardInput, &bytes, bytes.count)
    if count < 0 { return errno == EINTR || errno == EAGAIN ? [] : nil }
    return count == 0 ? nil : WatchKey.all(in: Array(bytes[..<count]))
  }
}
