@testable import Baton

@Suite(
  "Stories on real processes", .serialized,
  .disabled(
    if: getenv("BATON_SANITIZED") != nil, "programs under a sanitizer exceed the phone's memory limit"),
  .waits)
struct RealScenarioTests {
  /// Takes 30 s of the phone's time; `baton run` plays it too.
  private static let tooLong = ["frozen-until-the-phone-kills-it.txt"]
  /// Stories run in real time, and mostly wait. On a busy machine only `atOnce.busy` share what is left of it.
  private static let atOnce = (most: 10, busy: 2)

  /// More processes want to run than those of this suite: the fourth word is `runnable/all`.
  private static var isMachineBusy: Bool {
    let words = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8))?.split(separator: " ") ?? []
    return words.dropFirst(3).first?.split(separator: "/").first.flatMap { Int($0) } ?? 0 > 6
  }

  @Test func `Stories for both stages give the same answers on real processes as in virtual time`() throws {
    let names = Stories.names.filter { Stories.isPlayedEverywhere($0) && !Self.tooLong.contains($0) }
    #expect(names.count >= 30)
    var waiting = names[...]
    var playing: [(name: String, run: BatonRun)] = []
    while !waiting.isEmpty || !playing.isEmpty {
      while playing.count < (Self.isMachineBusy ? Self.atOnce.busy : Self.atOnce.most),
        let name = waiting.popFirst()
      {
        playing.append((name, try start(name)))
      }
      let over = playing.filter { !$0.run.isRunning }
      for (name, run) in over {
        expect(run.end(), is: 0, "\(name): \(run.said)")
        expect(run.text("real.txt"), is: run.text("simulated.txt"), "\(name)")
        expect(run.text("real.txt"), is: (try Stories.text(name)), "\(name)")
      }
      playing.removeAll { one in over.contains { $0.run === one.run } }
      poll(nil, 0, 5)
    }
  }

  private func start(_ name: String) throws -> BatonRun {
    let run = BatonRun()
    let bare = try bare(name)
    run.write("simulated.txt", bare)
    expect(try run.run("--simulated", "--update", run.path("simulated.txt")), is: 0, "\(run.said)")
    try run.start(["--update", run.write("real.txt", bare)])
    return run
  }

  /// The story without expected answers, so that all answers come from the stage.
  private func bare(_ name: String) throws -> String {
    try Stories.text(name).split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !ScenarioParser.isOutput(String($0)) }.joined(separator: "\n")
  }

  @Test(arguments: Stories.names.filter(Stories.isRealOnly))
  func `A story that only real processes can play has its expected answers`(name: String) throws {
    let run = BatonRun()
    expect(try run.run(Stories.folder.appending(path: name).path), is: 0, "\(run.said)")
  }

  @Test func `A refusal of the phone reads the same on real processes and simulated`() throws {
    let run = BatonRun()
    let file = run.write("refused.txt", refused)
    expect(try run.run("--simulated", file), is: 0, "\(run.said)")
    expect(try run.run(file), is: 0, "\(run.said)")
  }

  private let refused = """
    # The phone refuses what cannot be done.
    the phone suspends the app after 1 s
    the user taps the newest notification
      > cannot be done: there is no notification in the list
    payment 1 of 1000 sat arrives
    wait until the user sees payment 1
    the user chooses “CALL_BACK” of the newest notification
      > cannot be done: the app has registered no action CALL_BACK for this notification; `baton list categories` lists the registered ones
    the app opens
    wait until the app is connected
    the app goes home
    wait until the app is suspended
    the app freezes
      > cannot be done: cannot freeze or thaw a suspended process
    the app thaws
      > cannot be done: cannot freeze or thaw a suspended process
    the verdict
      > sound: 1 of 1 payment settled, once each, equal on both sides

    """

  @Test
  func `Launching a background task that is not pending is refused, and any launch in a production build`()
    throws
  {
    let run = BatonRun()
    let debug = """
      # No such task
      the phone runs a debug build
      the task “com.example.nothing” is launched
        > cannot be done: no such task is pending; `baton list tasks` lists the pending ones
      what became of the task “com.example.nothing”?
        > the app has not asked for the task “com.example.nothing”
      the verdict
        > sound: 0 of 0 payments settled

      """
    expect(try run.run(run.write("debug.txt", debug)), is: 0, "\(run.said)")
    let production = debug.replacing("the phone runs a debug build\n", with: "")
    expect(try run.run(run.write("production.txt", production)), is: 1)
    #expect(run.said.contains("happened  cannot be done: "), "\(run.said)")
  }

  private let idle = """
    # The app is in front, and waits for a signal from outside.
    the app opens
    wait until the app is connected
    payment 1 of 1000 sat arrives
    wait until the app has ended
    the verdict
      > sound: 1 of 1 payment settled, once each, equal on both sides

    """

  /// Once the payment has settled, the story waits only for the app's end.
  private func startIdle(_ run: BatonRun) throws -> (pid: pid_t, phone: Phone, app: pid_t) {
    let home = run.path("phone")
    let pid = try run.start(["--keep", home, run.write("idle.txt", idle)])
    let phone = Phone(home: home)
    var app: pid_t = 0
    try run.wait("the payment to be settled") {
      guard let payments = try? phone.askForJSON(.lspd, ControlMessage("payments")).elements,
        payments.first?["state"]?.text == "paid",
        let status = try? phone.askForJSON(.iosd, ControlMessage("status"))["app"]
      else { return false }
      app = status["pid"]?.int.flatMap { pid_t(exactly: $0) } ?? 0
      return app > 0
    }
    return (pid, phone, app)
  }

  @Test func `A crash ends baton run with exit code 4, naming the process and signal`() throws {
    let run = BatonRun()
    let (_, phone, app) = try startIdle(run)
    kill(app, SIGSEGV)
    expect(run.end(), is: 4)
    #expect(run.said.contains("the app (process \(app)) crashed by SIGSEGV"), "\(run.said)")
    #expect(DaemonProbe.pid(listeningOn: phone.iosdSocket) == nil)
    #expect(DaemonProbe.pid(listeningOn: phone.lspdSocket) == nil)
  }

  @Test func `A killed daemon ends baton run with exit code 4`() throws {
    let run = BatonRun()
    let (_, phone, _) = try startIdle(run)
    kill(try #require(DaemonProbe.pid(listeningOn: phone.lspdSocket)), SIGKILL)
    expect(run.end(), is: 4)
    #expect(run.said.contains("a daemon ended: "), "\(run.said)")
    #expect(DaemonProbe.pid(listeningOn: phone.iosdSocket) == nil)
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `An interrupted run leaves no process behind`(signal: Int32) throws {
    let run = BatonRun()
    let (pid, phone, app) = try startIdle(run)
    kill(pid, signal)
    expect(run.end(), is: 128 + signal)
    #expect(
      run.said.contains(
        "; all processes that the command started are ended, and the phone is kept in \(phone.home)"),
      "\(run.said)")
    #expect(DaemonProbe.pid(listeningOn: phone.iosdSocket) == nil)
    #expect(DaemonProbe.pid(listeningOn: phone.lspdSocket) == nil)
    #expect(kill(app, 0) != 0)
  }

  @Test func `The exit code is 3 for a timeout, 2 for a broken verdict, 4 for a crash`() {
    func outcome(_ verdict: StageVerdict) -> ExitCode {
      let story = Scenario(title: "x", steps: [], payments: [], place: .everywhere, lines: [])
      return ScenarioOutcome(
        file: "x", Performance(scenario: story, played: [], verdict: verdict), took: .zero
      ).exitCode
    }
    expect(outcome(.sound(settled: 1, failed: 0)), is: .done)
    expect(outcome(.unsettled(["x"])), is: .noProgress)
    expect(outcome(StageVerdict.unsettled(["x"]).gaveUp("line 1")), is: .noProgress)
    expect(outcome(StageVerdict.unjudged(["x"]).gaveUp("line 1")), is: .noProgress)
    expect(outcome(StageVerdict.broken(["x"]).gaveUp("line 1")), is: .exclusionOrMoneyBroken)
    expect(outcome(StageVerdict.crashed(["x"]).gaveUp("line 1")), is: .crashedByItself)
    expect(outcome(.broken(["x"])), is: .exclusionOrMoneyBroken)
    expect(outcome(.unjudged(["x"])), is: .exclusionOrMoneyBroken)
    expect(outcome(.crashed(["x"])), is: .crashedByItself)
  }
}
