import DaemonRuntime
import Glibc
import Ground
import Judge

/// Plays many pushes and app openings on one phone or many, and measures whether its processes leak.
package enum SoakVerb: Verb {
  package static let declaration = CommandLineDeclaration(
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
      OptionDeclaration(
        "--phones", value: .integer(1...100),
        help: "play on N phones at once, with pushes instead of rounds"),
      OptionDeclaration(
        "--pushes", value: .integer(1...1_000_000), default: "100",
        help: "with --phones: number of pushes, over all phones"),
      OptionDeclaration(
        "--timers", value: .choice(PushTimers.allCases.map(\.rawValue)),
        default: PushTimers.scaled.rawValue,
        help:
          "with --phones: 2 s per beat, frozen after 5 s, 30 s per push (real), or a fiftieth and 3 s (scaled)"
      ),
      SettingsTable["--after-content"],
      OptionDeclaration(
        "--hold", value: .span, default: "1h",
        help:
          "with --phones: how long the peer holds a payment; the user opens the app at every 25th payment"),
      OptionDeclaration(
        "--away", value: .span, default: "0s",
        help: "with --phones: the user opens the app so late at most, drawn for each opening (10s at most)"
      ),
      WalletOption.declaration,
    ],
    examples: [
      ("baton soak", "1,000 pushes and 1,000 openings; exit code 0 without a leak, 2 with one"),
      ("baton soak --rounds 60 --json", "a short run, for a script"),
      (
        "baton soak --phones 10 --pushes 100",
        "100 pushes on ten phones at once; each must give one notification"
      ),
    ])

  package static func supervision(_ line: ParsedCommandLine) -> Supervision? {
    Supervision(kept: line.text("--keep"))
  }

  package static func run(_ invocation: Invocation) throws -> ExitCode {
    let line = invocation.line
    let output = invocation.output
    let count = line.integer("--phones").map { Int(clamping: $0) }
    try check(line, hasPhones: count != nil)
    let options = try PushOptions(line)
    let kept = line.text("--keep")
    let home = try RunPlace.make(kept, in: invocation.place, named: "soak")
    let phones = count.map { (1...$0).map { Phone(home: "\(home)/\($0)") } } ?? [Phone(home: home)]
    let start = Clock.monotonicNow
    var report: SoakReport
    do {
      report =
        count == nil
        ? try SoakPlay(phones[0], invocation).run() : try playPushes(on: phones, options, invocation)
    } catch let failure as Wait.Failure {
      throw CommandFailure(.tooSlow, "\(failure); the run is kept in \(home)")
    }
    let took = Clock.monotonicNow - start
    report.tookMs = took.wholeMilliseconds
    let isLeaking = !report.complaints.isEmpty
    let verdicts = try phones.map { try JudgeVerb.verdict(on: $0.home, requireSettled: true) }
    for (number, verdict) in zip(1..., verdicts) where !verdict.passed {
      let words = verdict.findings.isEmpty ? "no verdict" : "broken"
      let sentences =
        ["the judge: \(words)"] + verdict.findings.map { "[\($0.invariant.title)] \($0.sentence)" }
        + verdict.missing.map { "missing: \($0.sentence)" }
      report.complaints += sentences.map { count == nil ? $0 : "phone \(number): \($0)" }
    }
    report.judgePassed = verdicts.allSatisfy(\.passed)
    report.sound = report.judgePassed && !isLeaking
    if output.isJSON { output.say(report) } else { tell(report, phones.count, took, output) }
    if kept == nil && report.sound {
      FilePath.remove(home)
    } else if !output.isJSON {
      output.say("the run is kept in \(home)")
    }
    if report.sound { return .done }
    // A leak counts as broken; otherwise the judge's gravest exit code.
    let code = isLeaking ? nil : verdicts.map(\.exitCode).filter { $0 != 0 }.min()
    return code.flatMap(ExitCode.init(rawValue:)) ?? .exclusionOrMoneyBroken
  }

  private static func check(_ line: ParsedCommandLine, hasPhones: Bool) throws(CommandFailure) {
    if hasPhones {
      for option in ["--rounds", "--warm-up"] where line.isGiven(option) {
        throw CommandFailure(.wrongUsage, "\(option) is for one phone; with --phones use --pushes")
      }
      return
    }
    let wallet = WalletOption.profile(line)
    try require(
      wallet.extension.hasNode, .wrongUsage,
      "in each round the extension receives a payment, and that of --wallet \(wallet.name) has no node; add --phones N"
    )
    for option in ["--pushes", "--timers", "--hold", "--away"] where line.isGiven(option) {
      throw CommandFailure(.wrongUsage, "\(option) requires --phones N")
    }
  }

  private static func playPushes(
    on phones: [Phone], _ options: PushOptions, _ invocation: Invocation
  ) throws -> SoakReport {
    let pushes = Int(clamping: invocation.line.number("--pushes"))
    let done = Locked(0)
    let hasFailed = Locked(false)
    let plays = phones.indices.map { index in
      // Numbers continue from phone to phone, so that each kind of push has its share.
      let share = pushes * index / phones.count..<pushes * (index + 1) / phones.count
      return Aside { [phone = phones[index]] in
        do {
          return try PushPlay(phone, options).run(share) {
            hasFailed.withLock(\.self)
          } noteDone: {
            done.withLock { $0 += 1 }
          }
        } catch {
          hasFailed.withLock { $0 = true }
          throw Wait.Failure(description: "\(phone.home): \(CommandFailure(error).description)")
        }
      }
    }
    var reportedAt = Clock.monotonicNow
    while plays.contains(where: { $0.result == nil }) {
      poll(nil, 0, 100)
      guard !invocation.output.isJSON, Clock.monotonicNow - reportedAt >= .seconds(5) else { continue }
      reportedAt = Clock.monotonicNow
      invocation.output.say("\(done.withLock(\.self)) of \(pushes) pushes")
    }
    let outcomes = try plays.compactMap { try $0.result?.get() }
    return SoakReport(
      processes: outcomes.flatMap(\.processes), pushes: SoakedPushes(outcomes),
      complaints: zip(1..., outcomes).flatMap { number, outcome in
        outcome.problems.map { "phone \(number): \($0)" }
      })
  }

  private static func tell(_ report: SoakReport, _ phones: Int, _ took: TimeSpan, _ output: Output) {
    if let pushes = report.pushes {
      for line in pushes.text(onPhones: phones, took: took) { output.say(line) }
    } else {
      output.table(
        [["PROCESS", "WHAT", "BEFORE", "AFTER", "GROWTH", "A ROUND"]] + report.processes.flatMap(\.table))
      output.say(
        "\(report.settled ?? 0) payments settled in \(HumanText.span(took)); from the sender's request to the preimage \(HumanText.span(.milliseconds(report.slowestPaymentMs ?? 0))) at most"
      )
    }
    if report.judgePassed { output.say("the judge: sound") }
    for complaint in report.complaints { output.say(output.paint(complaint, .red)) }
    output.say(
      report.sound
        ? output.paint("nothing leaked", .green) : output.paint("failed: see the lines above", .red))
  }
}
