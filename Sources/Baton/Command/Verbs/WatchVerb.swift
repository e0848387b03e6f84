import DaemonRuntime
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
