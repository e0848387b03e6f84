import PhoneClient
import Terminal
import Inspection
import Ground
import DaemonRuntime
import Foundation
import Judge
import Reports

/// Plays three payments on real processes and judges the run.
package enum DemoVerb: Verb {
  package static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "demo",
      summary: "pay a phone with its app closed; open the app, kill the extension; print the story",
      options: [
        OptionDeclaration(
          "--keep", value: .path("DIR"), help: "run in this new directory and keep it"),
        OptionDeclaration(
          "--quick", help: "do not let the extension wait out its 5 s after the first payment"),
      ],
      examples: [
        ("baton demo", "some seven seconds; exit code 0 only if the verdict is sound"),
        ("baton demo --keep /tmp/run && baton inspect /tmp/run", "then inspect its container"),
      ])
  }

  package static func supervision(_ line: ParsedCommandLine) -> Supervision? {
    let kept = line.text("--keep")
    return Supervision(name: "demo", kept: kept, needsPlace: kept == nil)
  }

  package static func run(_ invocation: Invocation) throws -> ExitCode {
    let output = invocation.output
    let kept = invocation.line.text("--keep")
    let home = try RunPlace.make(kept, in: invocation.place, named: "demo")
    let phone = Phone(home: home)
    do {
      let code = try play(phone, output, isQuick: invocation.line.isGiven("--quick"))
      if kept == nil && code == .done {
        try? FileManager.default.removeItem(atPath: home)
      } else {
        say("the phone is kept in \(home)", output)
      }
      return code
    } catch {
      _ = PhoneStopper(phone: phone).stop()
      explain(error, home, output)
      return error is DemoStage.Failure ? .tooSlow : CommandFailure(error).code
    }
  }

  private static func play(_ phone: Phone, _ output: Output, isQuick: Bool) throws -> ExitCode {
    // Before the start: the stage watches the journals from the first record on.
    let stage = try DemoStage(phone: phone, output: output)
    stage.headline("A phone and its Lightning peer start in \(phone.home)")
    let pids = try stage.driver.start().pids
    stage.remark(Daemon.allCases.map { "\($0.rawValue) \(pids[$0] ?? 0)" }.joined(separator: ", "))
    let outcome = try DemoStory.play(on: stage, isQuick: isQuick)
    let balance = try phone.peerFacts().walletMsat
    stage.headline("The phone goes down")
    for end in stage.driver.stop() {
      stage.follow()
      stage.remark("\(end.daemon.rawValue) \(end.how)")
    }
    return try finish(stage, outcome, balance)
  }

  // MARK: The verdict

  private static func finish(
    _ stage: DemoStage, _ outcome: DemoStory.Outcome, _ balance: UInt64
  ) throws -> ExitCode {
    stage.headline("The judge reads the peer's ledger, the wallet's database and the journals")
    let verdict = try JudgeVerb.verdict(on: stage.phone.home, requireSettled: true)
    let different = try replay(stage)
    if !stage.output.isJSON {
      for line in verdict.text.split(separator: "\n") { stage.output.say("           \(line)") }
    }
    let isSound = verdict.passed && outcome.settled == 3 && verdict.counts.received == 3 && different == 0
    let word = isSound ? "sound" : verdict.outcome == .noVerdict ? "no verdict" : "broken"
    let payments =
      "\(outcome.settled) of 3 payments settled, each received once; the wallet has \(HumanText.amount(msat: balance))"
    if stage.output.isJSON {
      stage.output.say(
        VerdictLine(
          sound: isSound, settled: outcome.settled, balanceMsat: balance,
          releaseToConnectedMs: outcome.handover?.wholeMilliseconds,
          killToConnectedMs: outcome.takeover?.wholeMilliseconds, verdict: verdict))
    } else {
      stage.headline("\(stage.output.paint(word, isSound ? .green : .red)): \(payments)")
    }
    if isSound { return .done }
    return ExitCode(rawValue: verdict.exitCode).flatMap { $0 == .done ? nil : $0 } ?? .exclusionOrMoneyBroken
  }

  /// The number of journals whose replay differs.
  private static func replay(_ stage: DemoStage) throws -> Int {
    var events = 0
    var different = 0
    let names = FilePath.journals(in: stage.phone.journal)
    for name in names {
      let outcome = try JournalReplay.run("\(stage.phone.journal)/\(name)")
      events += outcome.events.reduce(0) { $0 + $1.count }
      guard let trouble = outcome.trouble else { continue }
      different += 1
      stage.remark("\(name) \(trouble)")
    }
    if different == 0 {
      stage.remark("\(events) decisions in \(names.count) journals replayed: identical, byte for byte")
    }
    return different
  }

  /// The last line of a demo.
  struct VerdictLine: Report {
    var kind = "verdict"
    var sound: Bool
    var settled: Int
    var balanceMsat: UInt64
    var releaseToConnectedMs: Int64?
    var killToConnectedMs: Int64?
    var verdict: Verdict
  }

  struct FailureLine: Report {
    var kind = "failure"
    var expected: String
    var happened: String
    var home: String
  }

  // MARK: Failure

  private static func explain(_ error: any Error, _ home: String, _ output: Output) {
    let expected = (error as? DemoStage.Failure)?.expected ?? "the demo to continue"
    let happened = (error as? DemoStage.Failure)?.happened ?? CommandFailure(error).sentence
    if output.isJSON {
      output.say(FailureLine(expected: expected, happened: happened, home: home))
    }
    for sentence in [
      "the demo waited for \(expected); instead: \(happened)",
      "the phone is kept in \(home); look with `baton logs --home \(home)`",
    ] { writeAll(standardError, Array("baton: \(sentence.onOneLine)\n".utf8)) }
  }

  private static func say(_ sentence: String, _ output: Output) {
    if !output.isJSON { output.say(sentence) }
  }
}
