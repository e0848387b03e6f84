import DaemonRuntime
import Glibc
import Ground
import Live
import PhoneClient
import Terminal

/// `baton watch --json`: each look as one line, until ^C or until nobody reads it.
final class WatchStream {
  private let loop: EventLoop
  private var feed: LiveFeed?
  private var failure: SystemError?

  init() throws(SystemError) { loop = try EventLoop() }

  func run(_ phone: Phone, _ output: Output) throws(SystemError) {
    // The reader may go away without a further look.
    try loop.watch(standardOutput, []) { [unowned self] _ in loop.stop() }
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
  }
}
