import CoreShape
import DaemonRuntime
import Foundation
import Glibc
import Simulation

/// What each rule of the coordination is for.
enum AblationVerb: Verb {
  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "ablation",
      summary: "take each rule of the coordination away, and tell the shortest story of what breaks",
      options: [
        OptionDeclaration("--rules", value: .text("RULES"), help: "only these, with commas between them"),
        OptionDeclaration(
          "--seeds", value: .text("A..B"), default: "1..300",
          help: "runs without each rule, for the waiting times"),
        OptionDeclaration("--markdown", help: "as docs/ablation.md has it"),
        OptionDeclaration(
          "--jobs", value: .integer(1...256),
          help: "threads; as many as there are processors when it is not given"),
      ],
      examples: [
        ("baton ablation --rules compare-and-set,inode-check", "two rules; all of them take minutes"),
        ("baton ablation --markdown >docs/ablation.md", "the page anew"),
      ])
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let output = invocation.output
    let line = invocation.line
    guard let seeds = SeedRange(line.text("--seeds") ?? "") else {
      throw CommandFailure(
        .wrongUsage, "--seeds must be a number or two such as 1..300, the first not above the second")
    }
    let chosen = try SimOptions.rules(line.text("--rules") ?? "", option: "--rules")
    let rules = chosen.isEmpty ? Rule.allCases : chosen
    let jobs =
      line.integer("--jobs").map { Int(clamping: $0) } ?? ProcessInfo.processInfo.activeProcessorCount
    let ablation = Ablation(jobs: jobs, seeds: seeds)
    let showsProgress = isatty(standardError) == 1
    var findings: [Ablation.Finding] = []
    for (place, rule) in rules.enumerated() {
      if showsProgress {
        writeAll(
          standardError, Array("\u{1b}[2K\r\(place + 1) of \(rules.count): without \(rule.rawValue)".utf8))
      }
      findings.append(ablation.find(rule))
    }
    if showsProgress { writeAll(standardError, Array("\u{1b}[2K\r".utf8)) }
    let report = AblationReport(findings: findings, all: ablation.figuresOfAll, seeds: seeds)
    if output.isJSON {
      for object in report.json { output.say(object.text) }
    } else {
      for line in line.isGiven("--markdown") ? report.markdown : report.text { output.say(line) }
    }
    return .done
  }
}
