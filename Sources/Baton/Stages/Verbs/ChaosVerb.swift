import DaemonRuntime
import Glibc
import Ground
import Judge
import PhonePolicy

/// Strikes processes at random moments of payments, then gives the judge's verdict.
package enum ChaosVerb: Verb {
  package static let declaration = CommandLineDeclaration(
    name: "chaos",
    summary: "kill, freeze or crash a process at a random moment of each payment, then judge",
    options: [
      OptionDeclaration(
        "--victim", value: .choice(PhoneProcess.allCases.map(\.rawValue)), mayRepeat: true,
        help:
          "the process that is struck; several: in turn; default: extension and app for kill, extension for freeze, all for crash"
      ), WalletOption.declaration,
      OptionDeclaration(
        "--seed", value: .integer(0...Int64.max), help: "makes the same choices again, at other instants"),
      OptionDeclaration(
        "--inspect",
        help: "meanwhile `inspect --check` in a loop, which must never find the container broken"),
    ],
    subcommands: [
      command(.kill, "SIGKILL; then the app is opened"),
      command(
        .freeze, "SIGSTOP; the extension goes on when the app has taken over: it must find itself fenced"),
      command(.crash, "SIGSEGV, abort, or no further page of memory; then the app is opened"),
    ],
    examples: [
      (
        "baton chaos kill 100",
        "100 payments; exit code 0: each settled once, and the judge finds the run sound"
      ),
      ("baton chaos crash 40 --victim lspd --home /tmp/run", "in this new directory, which is kept"),
      ("baton chaos freeze --wallet bitkit --victim app --json", "for a script"),
    ])

  private static func command(_ strike: ChaosPlay.Strike, _ summary: String) -> CommandLineDeclaration {
    CommandLineDeclaration(
      name: strike.rawValue, summary: summary,
      positionals: [
        PositionalDeclaration("N", value: .text("N"), count: .optional, help: "payments; default: 20")
      ])
  }

  package static func supervision(_ line: ParsedCommandLine) -> Supervision? {
    Supervision(kept: line.text("--home"))
  }

  package static func run(_ invocation: Invocation) throws -> ExitCode {
    let line = invocation.line
    guard let strike = ChaosPlay.Strike(rawValue: line.verbs.last ?? "") else { return .wrongUsage }
    let word = line.positionals.first ?? "20"
    guard let payments = Int(word), (1...1_000_000).contains(payments) else {
      throw CommandFailure(
        .wrongUsage, "N must be a whole number from 1 to 1000000, not \(UsageError.quoted(word))")
    }
    let seed = line.integer("--seed").map { UInt64($0) } ?? UInt64.random(in: 0..<32_768)
    let phone = Phone(home: try RunPlace.make(line.text("--home"), in: invocation.place, named: "chaos"))
    let home = phone.home
    let play = try ChaosPlay(
      phone, strike, victims: line.all("--victim").compactMap(PhoneProcess.init(rawValue:)),
      wallet: try WalletOption.profileOfPhone(line), payments: payments, seed: seed)
    let start = Clock.monotonicNow
    invocation.output.remark("\(HumanText.count(payments, "payment")), seed \(seed), the phone is \(home)")
    var looker: Looker?
    var stuck: String?
    do {
      try play.begin()
      looker = line.isGiven("--inspect") ? Looker(phone) : nil
      for number in 0..<payments {
        try play.round(number)
        tell(play.report, isLast: number == payments - 1, invocation.output)
      }
    } catch let failure where failure is ChaosPlay.Unsettled || failure is Wait.Failure {
      stuck = "\(failure)"
    } catch {
      play.stop()
      throw error
    }
    let looks = looker?.end()
    play.stop()
    var report = play.report
    let trouble = [looks?.broken].compactMap { $0 } + journalTrouble(phone)
    let verdict: Verdict
    do { verdict = try JudgeVerb.verdict(on: home, requireSettled: true) } catch {
      guard let stuck else { throw error }
      throw CommandFailure(.noProgress, "\(stuck); \(CommandFailure(error).sentence)")
    }
    let code = exitCode(
      judge: verdict.passed ? 0 : verdict.exitCode, isBroken: !trouble.isEmpty, isStuck: stuck != nil,
      hits: report.hitCount)
    report.looks = looks?.count
    report.complaints = [stuck].compactMap { $0 } + trouble
    if report.hitCount == 0 {
      report.complaints.append("no process was hit, so this run shows nothing; use more payments")
    }
    report.judgePassed = verdict.passed
    report.sound = code == .done
    let isKept = code != .done || line.isGiven("--home")
    report.home = isKept ? home : nil
    if code != .done, invocation.output.isJSON { report.timeline = TimelineFile.ofFailure(phone) }
    report.tookMs = (Clock.monotonicNow - start).wholeMilliseconds
    invocation.output.isJSON ? invocation.output.say(report) : tell(report, verdict, invocation.output)
    if !isKept { FilePath.remove(home) }
    return code
  }

  static func exitCode(judge: Int32, isBroken: Bool, isStuck: Bool, hits: Int) -> ExitCode {
    if judge != 0 { return ExitCode(rawValue: judge) ?? .exclusionOrMoneyBroken }
    if isBroken { return .exclusionOrMoneyBroken }
    if isStuck { return .noProgress }
    return hits == 0 ? .bugOfOurs : .done
  }

  private static func journalTrouble(_ phone: Phone) -> [String] {
    FilePath.journals(in: phone.journal).compactMap { name in
      do {
        return try JournalReplay.run("\(phone.journal)/\(name)").trouble.map { "\(name): \($0)" }
      } catch { return "\(name): \(CommandFailure(error).sentence)" }
    }
  }

  // MARK: Text

  /// One line that is overwritten on a terminal, otherwise only the last.
  private static func tell(_ report: ChaosReport, isLast: Bool, _ output: Output) {
    guard !output.isJSON else { return }
    let blocked = report.blocked > 0 ? ", \(report.blocked) of them inside a transaction" : ""
    let payments = HumanText.count(report.payments, "payment")
    let line = "\(report.settled) of \(payments), \(report.hitCount) hit\(blocked)"
    if isLast {
      if isatty(standardError) == 1 { writeAll(standardError, Array("\u{1b}[2K\r".utf8)) }
      output.say(line)
    } else if isatty(standardError) == 1 {
      writeAll(standardError, Array("\u{1b}[2K\r\(line)".utf8))
    }
  }

  private static func tell(_ report: ChaosReport, _ verdict: Verdict, _ output: Output) {
    let hits = report.hits.map { "\($0.process) \($0.times)" }.joined(separator: ", ")
    output.say(
      "hit: \(hits.isEmpty ? "none" : hits); for \(HumanText.count(report.missed, "payment")) the process had done its work before"
    )
    if let looks = report.looks { output.say("\(looks) looks of `baton inspect --check` beside the run") }
    for line in verdict.text.split(separator: "\n") { output.say(String(line)) }
    for complaint in report.complaints { output.say(output.paint(complaint, .red)) }
    guard let home = report.home else { return }
    if !report.sound { TimelineVerb.draw(Phone(home: home), output) }
    output.say(
      "the phone is kept in \(home); --seed \(report.seed) makes the same choices again, at other instants")
  }

  /// Looks at the container again and again, as fast as it goes. A process between two steps may be wrong for a moment,
  /// but nothing may be broken, and no look may fail.
  private struct Looker {
    private let isOver = Locked(false)
    private let work: Aside<(count: Int, broken: String?)>

    init(_ phone: Phone) {
      work = Aside { [isOver] in
        var count = 0
        while !isOver.withLock({ $0 }) {
          count += 1
          do {
            let look = try InspectVerb.check(phone.container)
            guard look.code != .done, look.code != .differs else { continue }
            return (count, "a look at the running phone says that it is broken: \(look.document)")
          } catch { return (count, "a look at the running phone failed: \(CommandFailure(error).sentence)") }
        }
        return (count, nil)
      }
    }

    func end() -> (count: Int, broken: String?)? {
      isOver.withLock { $0 = true }
      try? Wait.until("the last look") { work.result != nil }
      return try? work.result?.get()
    }
  }
}
