import CLinux
import DaemonRuntime
import Glibc
import Ground

/// The phone, live.
enum WatchVerb: Verb {
  static let declaration = CommandLineDeclaration(
    name: "watch", summary: "watch the phone live, and drive it with keys",
    options: [OptionDeclaration("--once", help: "print the screen once, as text, and end")],
    examples: [
      (
        "baton watch",
        "processes, holder, beat, peer, pushes, payments, ends and journals; ? lists the keys"
      ),
      ("baton watch --once", "the same screen on any terminal, in a file, or in a report"),
      ("baton watch --json", "one document for each change, for a script"),
    ])

  /// A database that no process has open is copied to a temporary directory. The screen and the stream end their looks
  /// themselves.
  static func supervision(_ line: ParsedCommandLine) -> Supervision? {
    line.isGiven("--once") ? Supervision(isLooking: true) : nil
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let phone = try invocation.presentPhone
    if invocation.line.isGiven("--once") { return once(phone, invocation.output) }
    if invocation.output.isJSON { return try stream(phone, invocation.output) }
    if let refusal = WatchTerminal.refusal() { throw CommandFailure(.wrongUsage, refusal) }
    return try WatchSession(phone, output: invocation.output).run()
  }

  /// Each look as one line, until a signal or until nobody reads it.
  private static func stream(_ phone: Phone, _ output: Output) throws(SystemError) -> ExitCode {
    let loop = try EventLoop()
    var (end, failure) = (ExitCode.done, SystemError?.none)
    for interruption in Interruption.handled {
      try loop.onSignal(interruption.rawValue) {
        end = interruption.exitCode
        loop.stop()
      }
    }
    // The reader may go away without a further look. A file has no reader, and cannot be watched.
    try? loop.watch(standardOutput, []) { _ in loop.stop() }
    let feed = try LiveFeed(phone, loop: loop) { view in
      output.say(view)
      if StandardOutput.hasFailed { loop.stop() }
    } onFailure: {
      failure = $0
      loop.stop()
    }
    try loop.run()
    feed.stop()
    if let failure { throw failure }
    return end
  }

  private static func once(_ phone: Phone, _ output: Output) -> ExitCode {
    let view = LiveLook(phone).take(changed: true)
    guard !output.isJSON else {
      output.say(view)
      return .done
    }
    let size = WatchTerminal.size
    var screen = WatchScreen(home: phone.home, columns: size.columns, rows: size.rows, at: Clock.monotonicNow)
    _ = screen.handle(.looked(view), at: Clock.monotonicNow)
    for line in screen.lines { StandardOutput.write(line.painted(by: output) + "\n") }
    return .done
  }
}

/// `baton watch` on a terminal: keys, signals and looks become events of the screen.
final class WatchSession {
  private let loop: EventLoop
  private let phone: Phone
  private let terminal: WatchTerminal
  private let lanes: LiveLanes
  private var feed: LiveFeed?
  private var screen: WatchScreen
  private var timer: LoopTimer?
  private var end = ExitCode.done
  private var failure: SystemError?

  init(_ phone: Phone, output: Output) throws(SystemError) {
    loop = try EventLoop()
    self.phone = phone
    terminal = WatchTerminal(output: output)
    lanes = LiveLanes(phone, loop: loop)
    let size = WatchTerminal.size
    screen = WatchScreen(home: phone.home, columns: size.columns, rows: size.rows, at: loop.now)
  }

  func run() throws(SystemError) -> ExitCode {
    for interruption in Interruption.handled {
      try loop.onSignal(interruption.rawValue) { [unowned self] in leave(interruption.exitCode) }
    }
    try loop.onSignal(SIGWINCH) { [unowned self] in resize() }
    try loop.onSignal(SIGTSTP) { [unowned self] in pause() }
    try loop.onSignal(SIGCONT) { [unowned self] in goOn() }
    try terminal.take()
    defer { terminal.giveBack() }
    try loop.watch(standardInput, .readable) { [unowned self] _ in readKeys() }
    feed = try LiveFeed(phone, loop: loop) { [unowned self] in
      handle(.looked($0))
    } onFailure: { [unowned self] in
      fail($0)
    }
    resize()
    try loop.run()
    feed?.stop()
    if let failure { throw failure }
    return end
  }

  // MARK: Events

  private func handle(_ event: WatchScreen.Event) {
    for directive in screen.handle(event, at: loop.now) {
      switch directive {
      case .perform(let action): perform(action)
      case .draw: draw(again: false)
      case .drawAgain: draw(again: true)
      case .leave: leave(.done)
      }
    }
    timer?.cancel()
    timer = screen.deadline.map { loop.at($0) { [unowned self] in handle(.deadlineReached) } }
  }

  private func perform(_ action: LiveAction) {
    do throws(SystemError) {
      try lanes.perform(action) { [unowned self] outcome in
        handle(.performed(outcome))
        feed?.lookSoon()
      }
    } catch { fail(error) }
  }

  private func draw(again: Bool) {
    if !terminal.draw(screen.lines, again: again) { leave(.hungUp) }
  }

  private func readKeys() {
    guard let keys = terminal.keys() else { return leave(.hungUp) }
    for key in keys { handle(.pressed(key)) }
  }

  private func resize() {
    let size = WatchTerminal.size
    handle(.sized(columns: size.columns, rows: size.rows))
  }

  // MARK: Stop and end

  /// ^Z: the shell gets its terminal back as it was.
  private func pause() {
    terminal.giveBack()
    // The loop blocks the signals that it reads.
    var stop = sigset_t()
    var before = sigset_t()
    sigemptyset(&stop)
    sigaddset(&stop, SIGTSTP)
    pthread_sigmask(SIG_UNBLOCK, &stop, &before)
    kill(getpid(), SIGTSTP)
    pthread_sigmask(SIG_SETMASK, &before, nil)
    goOn()
  }

  /// Also after a SIGSTOP, which no process notices.
  private func goOn() {
    do throws(SystemError) { try terminal.take() } catch { return fail(error) }
    resize()
    feed?.lookSoon()
  }

  private func leave(_ code: ExitCode) {
    end = code
    loop.stop()
  }

  private func fail(_ error: SystemError) {
    failure = error
    loop.stop()
  }
}

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
    var size = winsize()
    guard ioctl(standardOutput, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return (80, 24)
    }
    return (Int(size.ws_col), Int(size.ws_row))
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
