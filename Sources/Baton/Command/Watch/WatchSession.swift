import CLinux
import DaemonRuntime
import Glibc
import Ground

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
    } onFailure: {
      [unowned self] in
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
    baton_stop_self()
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
