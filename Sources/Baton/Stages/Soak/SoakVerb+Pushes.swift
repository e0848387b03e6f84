import Ground
import DaemonRuntime
import Foundation
import enum PhonePolicy.AfterContent

extension SoakVerb {
  static let pushOptions: [OptionDeclaration] = [
    OptionDeclaration(
      "--phones", value: .integer(1...100),
      help: "play on N phones at once, with pushes instead of rounds"),
    OptionDeclaration(
      "--pushes", value: .integer(1...1_000_000), default: "100",
      help: "with --phones: number of pushes, over all phones"),
    OptionDeclaration(
      "--timers", value: .choice(PushTimers.allCases.map(\.rawValue)), default: PushTimers.scaled.rawValue,
      help: "with --phones: 2 s per beat, frozen after 5 s, 30 s per push (real), or a fiftieth (scaled)"),
    OptionDeclaration(
      "--after-content", value: .choice(AfterContent.allCases.map(\.rawValue)),
      default: AfterContent.suspend.rawValue,
      help: "with --phones: what iosd does with an extension that has delivered its content"),
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
    let pushes = Int(clamping: line.integer("--pushes") ?? 100)
    let timers = line.choice("--timers", as: PushTimers.self) ?? .scaled
    let kept = line.text("--keep")
    let home = try RunPlace.make(kept, in: invocation.place, named: "soak")
    let phones = (1...count).map { Phone(home: "\(home)/\($0)") }
    let isDebugBuild = line.text("--build") == "debug"
    let afterContent = line.choice("--after-content", as: AfterContent.self) ?? .suspend
    let crowd = PushCrowd(
      phones: phones, pushes: pushes, timers: timers, afterContent: afterContent, isDebugBuild: isDebugBuild,
      wallet: WalletOption.profile(line), user: try user(line))
    let start = Clock.monotonicNow
    let outcomes: [PushCrowd.Outcome]
    do {
      outcomes = try crowd.run { done in
        if !output.isJSON { output.say("\(done) of \(pushes) pushes") }
      }
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
      try? FileManager.default.removeItem(atPath: home)
    } else if !output.isJSON {
      output.say("the phones are kept in \(home)")
    }
    return isSound ? .done : .exclusionOrMoneyBroken
  }

  private static func user(_ line: ParsedCommandLine) throws -> AbsentUser {
    let seconds = (line.span("--hold") ?? .seconds(3600)).wholeMilliseconds / 1000
    guard (1...86_400).contains(seconds) else {
      throw CommandFailure(.wrongUsage, "--hold must be from 1s to 24h")
    }
    let away = line.span("--away") ?? .zero
    guard away <= .seconds(10) else { throw CommandFailure(.wrongUsage, "--away must be from 0s to 10s") }
    return AbsentUser(holdSeconds: seconds, awayAtMost: away)
  }
}
