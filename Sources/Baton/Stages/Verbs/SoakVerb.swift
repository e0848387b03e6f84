import DaemonRuntime
import Ground
import Judge
import enum PhonePolicy.AfterContent

/// Plays many pushes and app openings on one phone, and measures whether its processes leak.
package enum SoakVerb: Verb {
  package static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "soak", summary: "play many pushes and app openings on one phone or many, and report leaks",
      options: [
        OptionDeclaration(
          "--rounds", value: .integer(2...1_000_000), default: "1000",
          help: "rounds; each is one payment with a push and one opening of the app"),
        OptionDeclaration(
          "--warm-up", value: .integer(0...1_000_000), default: "300",
          help: "rounds before the first measurement, until caches and tables are filled"),
        SettingsTable["--build"],
        OptionDeclaration("--keep", value: .path("DIR"), help: "run in this new directory and keep it"),
      ] + pushOptions,
      examples: [
        ("baton soak", "1,000 pushes and 1,000 openings; exit code 0 without a leak, 2 with one"),
        ("baton soak --rounds 60 --json", "a short run, for a script"),
        (
          "baton soak --phones 10 --pushes 100",
          "100 pushes on ten phones at once; each must give one notification"
        ),
      ])
  }

  package static func supervision(_ line: ParsedCommandLine) -> Supervision? {
    let kept = line.text("--keep")
    return Supervision(name: "soak", kept: kept, needsPlace: kept == nil)
  }

  package static func run(_ invocation: Invocation) throws -> ExitCode {
    let output = invocation.output
    if let phones = invocation.line.integer("--phones") {
      return try pushes(onPhones: Int(clamping: phones), invocation)
    }
    let wallet = WalletOption.profile(invocation.line)
    guard wallet.extension.hasNode else {
      throw CommandFailure(
        .wrongUsage,
        "in each round the extension receives a payment, and that of --wallet \(wallet.name) has no node; add --phones N"
      )
    }
    for option in ["--pushes", "--timers", "--hold", "--away"] where invocation.line.isGiven(option) {
      throw CommandFailure(.wrongUsage, "\(option) requires --phones N")
    }
    let kept = invocation.line.text("--keep")
    let phone = Phone(home: try RunPlace.make(kept, in: invocation.place, named: "soak"))
    do {
      let code = try soak(phone, invocation)
      if kept == nil && code == .done {
        FilePath.remove(phone.home)
      } else if !output.isJSON {
        output.say("the phone is kept in \(phone.home)")
      }
      return code
    } catch {
      _ = PhoneStopper(phone: phone).stop()
      guard let failure = error as? Wait.Failure else { throw error }
      throw CommandFailure(.tooSlow, "\(failure); the phone is kept in \(phone.home)")
    }
  }

  private static func soak(_ phone: Phone, _ invocation: Invocation) throws -> ExitCode {
    let rounds = Int(clamping: invocation.line.number("--rounds"))
    let warmUp = Int(clamping: invocation.line.number("--warm-up"))
    var options = PhoneStarter.Options()
    options.iosdArguments = ["--build", invocation.line.text("--build") ?? "production"]
    let driver = try PhoneDriver(phone, options)
    try driver.start()
    let play = SoakPlay(driver)
    let start = Clock.monotonicNow
    let report = try SoakRun(play: play, output: invocation.output, rounds: rounds, warmUp: warmUp).run()
    let took = Clock.monotonicNow - start
    driver.stop()
    let verdict = try JudgeVerb.verdict(on: phone.home, requireSettled: true)
    let isSound = report.problems.isEmpty && verdict.passed
    if invocation.output.isJSON {
      invocation.output.say(
        SoakReport.Document(
          processes: report.subjects.map(SoakReport.SubjectDocument.init),
          fileBytesPerRound: report.filesPerRound.map { .init(name: $0.name, bytes: $0.bytes) },
          complaints: report.problems, settled: play.settled, tookMs: took.wholeMilliseconds,
          slowestPaymentMs: play.slowest.wholeMilliseconds, judgePassed: verdict.passed, sound: isSound))
    } else {
      tell(report, verdict, play, took, isSound, invocation.output)
    }
    if isSound { return .done }
    // A leak counts as broken; otherwise the judge's exit code.
    return report.problems.isEmpty
      ? ExitCode(rawValue: verdict.exitCode) ?? .exclusionOrMoneyBroken : .exclusionOrMoneyBroken
  }

  private static func tell(
    _ report: SoakReport, _ verdict: Verdict, _ play: SoakPlay, _ took: TimeSpan, _ isSound: Bool,
    _ output: Output
  ) {
    output.table(report.table)
    let files = report.filesPerRound.map { "\($0.name) \($0.bytes)" }.joined(separator: ", ")
    output.say("growth of the files in bytes per round: \(files)")
    let mean = TimeSpan(nanoseconds: play.totalPaying.nanoseconds / Int64(max(1, play.settled)))
    output.say(
      "\(play.settled) payments settled in \(HumanText.span(took)); from the sender's request to the preimage \(HumanText.span(mean)) on average, \(HumanText.span(play.slowest)) at most"
    )
    output.say("the judge: \(verdict.passed ? "sound" : verdict.findings.isEmpty ? "no verdict" : "broken")")
    for finding in verdict.findings {
      output.say(output.paint("[\(finding.invariant.title)] \(finding.sentence)", .red))
    }
    for absence in verdict.missing { output.say(output.paint("missing: \(absence.sentence)", .red)) }
    for problem in report.problems { output.say(output.paint("leak: \(problem)", .red)) }
    output.say(
      isSound ? output.paint("nothing leaked", .green) : output.paint("failed: see the lines above", .red))
  }
}

extension SoakVerb {
  static let pushOptions: [OptionDeclaration] = [
    OptionDeclaration(
      "--phones", value: .integer(1...100), help: "play on N phones at once, with pushes instead of rounds"),
    OptionDeclaration(
      "--pushes", value: .integer(1...1_000_000), default: "100",
      help: "with --phones: number of pushes, over all phones"),
    OptionDeclaration(
      "--timers", value: .choice(PushTimers.allCases.map(\.rawValue)), default: PushTimers.scaled.rawValue,
      help: "with --phones: 2 s per beat, frozen after 5 s, 30 s per push (real), or a fiftieth (scaled)"),
    SettingsTable["--after-content"],
    OptionDeclaration(
      "--hold", value: .span, default: "1h",
      help: "with --phones: how long the peer holds a payment; the user opens the app at every 25th payment"),
    OptionDeclaration(
      "--away", value: .span, default: "0s",
      help: "with --phones: the user opens the app so late at most, drawn for each opening (10s at most)"),
    WalletOption.declaration,
  ]

  package static func pushes(onPhones count: Int, _ invocation: Invocation) throws -> ExitCode {
    let line = invocation.line
    let output = invocation.output
    for option in ["--rounds", "--warm-up"] where line.isGiven(option) {
      throw CommandFailure(.wrongUsage, "\(option) is for one phone; with --phones use --pushes")
    }
    let pushes = Int(clamping: line.number("--pushes"))
    let timers = line.word("--timers", as: PushTimers.self)
    let kept = line.text("--keep")
    let home = try RunPlace.make(kept, in: invocation.place, named: "soak")
    let phones = (1...count).map { Phone(home: "\(home)/\($0)") }
    let isDebugBuild = line.text("--build") == "debug"
    let afterContent = line.word("--after-content", as: AfterContent.self)
    let crowd = PushCrowd(
      phones: phones, pushes: pushes, timers: timers, afterContent: afterContent, isDebugBuild: isDebugBuild,
      wallet: WalletOption.profile(line), user: try user(line))
    let start = Clock.monotonicNow
    let outcomes: [PushCrowd.Outcome]
    do {
      outcomes = try crowd.run { done in if !output.isJSON { output.say("\(done) of \(pushes) pushes") } }
    } catch let failure as Wait.Failure {
      throw CommandFailure(.tooSlow, "\(failure); the phones are kept in \(home)")
    }
    let took = Clock.monotonicNow - start
    let findings = try phones.flatMap { phone in
      let verdict = try JudgeVerb.verdict(on: phone.home, requireSettled: true)
      return verdict.passed
        ? []
        : ["\(phone.home): the judge's verdict: \(verdict.findings.isEmpty ? "none" : "broken")"]
          + verdict.findings.map(\.sentence) + verdict.missing.map(\.sentence)
    }
    let report = PushReport(
      wallet: WalletOption.profile(line), timers: timers, outcomes: outcomes, isDebugBuild: isDebugBuild,
      findings: findings, took: took)
    if output.isJSON { output.say(report.document) } else { report.tell(output) }
    let isSound = report.problems.isEmpty
    if kept == nil && isSound {
      FilePath.remove(home)
    } else if !output.isJSON {
      output.say("the phones are kept in \(home)")
    }
    return isSound ? .done : .exclusionOrMoneyBroken
  }

  private static func user(_ line: ParsedCommandLine) throws -> AbsentUser {
    let seconds = line.time("--hold").wholeMilliseconds / 1000
    guard (1...86_400).contains(seconds) else {
      throw CommandFailure(.wrongUsage, "--hold must be from 1s to 24h")
    }
    let away = line.time("--away")
    guard away <= .seconds(10) else { throw CommandFailure(.wrongUsage, "--away must be from 0s to 10s") }
    return AbsentUser(holdSeconds: seconds, awayAtMost: away)
  }
}
