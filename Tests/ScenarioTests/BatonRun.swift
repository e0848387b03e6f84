import Baton

/// `baton run` in its own directory.
final class BatonRun {
  private let place = TemporaryDirectory()
  private var started: Started?

  /// After a failure: `baton run` ends its daemons.
  deinit {
    guard isRunning else { return }
    started?.send(SIGTERM)
    _ = end()
  }

  func path(_ name: String) -> String { place(name) }
  @discardableResult func write(_ name: String, _ text: String) -> String { place.write(name, text) }
  func text(_ name: String) -> String { place.text(name) }
  var said: String { text("said") }

  @discardableResult func start(_ arguments: [String]) throws -> pid_t {
    let started = try place.start("baton", ["run"] + arguments)
    self.started = started
    return started.pid
  }

  var isRunning: Bool { started?.isRunning ?? false }

  /// The exit code.
  func end() -> Int32 { started?.waitForEnd() ?? -1 }

  func run(_ arguments: String...) throws -> Int32 {
    try start(arguments)
    return end()
  }

  func wait(_ what: String, _ condition: () -> Bool) throws {
    do { try Wait.until(what, condition) } catch { throw Wait.Failure(description: "\(error): \(said)") }
  }
}
