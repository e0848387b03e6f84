import DaemonRuntime
import Glibc
import Ground

/// `baton watch --json`: each look as one line, until a signal or until nobody reads it.
final class WatchStream {
  private let loop: EventLoop
  private var feed: LiveFeed?
  private var failure: SystemError?
  private var end = ExitCode.done

  init() throws(SystemError) { loop = try EventLoop() }

  func run(_ phone: Phone, _ output: Output) throws(SystemError) -> ExitCode {
    for interruption in Interruption.handled {
      try loop.onSignal(interruption.rawValue) { [unowned self] in
        end = interruption.exitCode
        loop.stop()
      }
    }
    // The reader may go away without a further look. A file has no reader, and cannot be watched.
    try? loop.watch(standardOutput, []) { [unowned self] _ in loop.stop() }
    feed = try LiveFeed(phone, loop: loop) { [unowned self] view in
      output.say(view)
      if StandardOutput.hasFailed { loop.stop() }
    } onFailure: { [unowned self] in
      failure = $0
      loop.stop()
    }
    try loop.run()
    feed?.stop()
    if let failure { throw failure }
    return end
  }
}
