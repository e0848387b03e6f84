import Ground
import DaemonRuntime
import Testing

@testable import WalletProcess

@Suite("The app's work in the background") struct BackgroundWorkTests {
  /// One app with its loop, and what it told the phone.
  private final class App {
    let loop: EventLoop
    var sent: [ControlMessage] = []
    var notes: [String] = []
    var looks = 0
    private(set) var work: BackgroundWork!

    init(
      patience: TimeSpan = .seconds(60), cleanUp: (() -> BackgroundWork.Step)? = nil,
      look: @escaping (Int) -> BackgroundWork.Step
    ) throws {
      loop = try EventLoop()
      work = BackgroundWork(
        loop: loop, patience: patience, send: { [unowned self] in sent.append($0) },
        note: { [unowned self] in notes.append($0) },
        lookAtWallet: { [unowned self] in
          looks += 1
          return look(looks)
        }, cleanUp: cleanUp)
    }

    func told(_ verb: String, _ run: String = "7", _ identifier: String = BackgroundWork.refresh) throws {
      try work.told(ControlMessage(verb, ["identifier": identifier, "run": run, "message": "no"]))
    }

    func waitUntilDone(_ count: Int = 1) throws {
      let end = loop.now + .seconds(30)
      while completions.count < count && loop.now < end {
        _ = try loop.run(for: .milliseconds(5)) { self.completions.count >= count }
      }
    }

    var completions: [String] { sent.filter { $0.verb == "task-done" }.compactMap { $0["success"] } }
    var verbs: [String] { sent.map(\.verb) }
  }

  @Test("K-34, D-1.5 The next refresh is asked for before the work begins")
  func nextFirst() throws {
    let app = try App { _ in .done("epoch 3") }
    try app.told("task")
    #expect(app.verbs == ["task-submit", "task-done"])
    #expect(app.sent[0]["earliest-seconds"] == "14400")
    #expect(app.completions == ["yes"])
  }

  @Test("D-1.6, D-2.4, K-34 A failure completes without success, and the chain goes on")
  func failure() throws {
    let app = try App { _ in .failed("no such file") }
    try app.told("task")
    #expect(app.verbs == ["task-submit", "task-done"])
    #expect(app.completions == ["no"])
    #expect(app.notes.last?.contains("no such file") == true)
  }

  @Test("D-2.3 Who is blocked looks again until it can read")
  func looksAgain() throws {
    let app = try App { $0 < 3 ? .busy("the container is blocked by 12") : .done("epoch 3") }
    try app.told("task")
    #expect(app.completions == [])
    try app.waitUntilDone()
    #expect(app.completions == ["yes"])
    #expect(app.looks == 3)
  }

  @Test("D-2.2 It gives up when its own time is over, before the phone's is")
  func ownTime() throws {
    #expect(BackgroundWork.patience == .seconds(25))
    let app = try App(patience: .milliseconds(300)) { _ in .busy("the container is blocked by 12") }
    try app.told("task")
    try app.waitUntilDone()
    #expect(app.completions == ["no"])
    #expect(app.notes.last?.contains("blocked by 12, until its time was up") == true)
  }

  @Test("K-33, D-1.4 Expiry cancels the work, and the run is completed once")
  func expiry() throws {
    let app = try App { _ in .busy("blocked") }
    try app.told("task")
    try app.told("task-will-expire")
    #expect(app.completions == ["no"])
    let looks = app.looks
    // A timer that is set after that of the next look, for later: when it comes, that one would have come.
    var isLater = false
    app.loop.after(BackgroundWork.retryPause + BackgroundWork.retryPause) { isLater = true }
    _ = try app.loop.run(for: .seconds(30)) { isLater }
    #expect(isLater)
    #expect(app.looks == looks)
    try app.told("task-will-expire")
    #expect(app.completions == ["no"])
  }

  @Test("K-33 A late expiry of an older run does not end the newer one")
  func lateExpiry() throws {
    let app = try App { $0 == 1 ? .done("first") : .busy("blocked") }
    try app.told("task", "1")
    try app.told("task", "2")
    try app.told("task-will-expire", "1")
    #expect(app.completions == ["yes"])
    try app.told("task-will-expire", "2")
    #expect(app.completions == ["yes", "no"])
  }

  @Test("M-3.4 The journals are cleaned step by step, and the phone is heard in between")
  func steps() throws {
    var steps = 0
    let app = try App(
      cleanUp: {
        steps += 1
        return steps < 4 ? .goesOn : .done("removed 50 old journals")
      }, look: { _ in .failed("this is no refresh") })
    try app.told("task", "3", BackgroundWork.processing)
    #expect(steps == 1)
    try app.waitUntilDone()
    #expect(steps == 4)
    #expect(app.completions == ["yes"])
  }

  @Test("D-1.3 A refusal is written down in the words of the sample")
  func refused() throws {
    let app = try App { _ in .done("") }
    app.work.schedule()
    #expect(app.sent.compactMap { $0["kind"] } == ["refresh"])
    try app.told("task-refused")
    #expect(app.notes == ["Failed to schedule background task: no"])
  }
}
