import DaemonRuntime
import Foundation
import Inspection
import PhoneClient
import Reports
import Terminal
import Timeline

/// Writes a campaign as a page.
package enum ReportVerb: Verb {
  package static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "report", summary: "write results of `baton sim --results` as an HTML page",
      options: [
        OptionDeclaration("--seeds", value: .text("A..B"), help: "only these seeds, and show missing ones"),
        OptionDeclaration(
          "--out", value: .path("FILE"), default: "report.html",
          help: "the page; its timelines come beside it"),
        OptionDeclaration(
          "--timelines", value: .integer(0...1000), default: "20",
          help: "how many broken seeds get a timeline, which the page links"),
      ],
      positionals: [
        PositionalDeclaration(
          "FILE", value: .path("FILE"), count: .any, help: "JSON Lines, in any order; a seed may repeat")
      ],
      examples: [("baton report campaign/results.jsonl --seeds 1..100000", "figures, coverage, violations")])
  }

  struct Document: Report {
    var report: String
    var seeds: Int
    var missing: UInt64
    var broken: Int
    /// The files of the timelines.
    var timelines: [String]
  }

  package static func run(_ invocation: Invocation) throws -> ExitCode {
    let line = invocation.line
    let range = try line.text("--seeds").map { try SeedRange(typed: $0) }
    let merge = try ResultMerge(files: line.positionals)
    let report = CampaignReport(merge, of: range)
    guard !report.results.isEmpty else {
      throw CommandFailure(
        .inputOutputError,
        "these files have no result; run `baton sim --results` to its end, or name other files")
    }
    let path = line.text("--out") ?? "report.html"
    let links = try timelines(of: report, atMost: Int(line.integer("--timelines") ?? 0), beside: path)
    try TimelineFile.write(report.page(links: Dictionary(uniqueKeysWithValues: links)).html, to: path)
    let folder = FilePath.parent(of: Phone(home: path).home)
    let document = Document(
      report: path, seeds: report.results.count, missing: report.missing.reduce(0) { $0 + $1.count },
      broken: report.broken.count, timelines: links.map { "\(folder)/\($0.1)" })
    invocation.output.say(
      "\(path): \(HumanText.count(document.seeds, "seed")), \(document.missing) missing, \(document.broken) broken, \(HumanText.count(links.count, "timeline"))",
      json: document)
    return .done
  }

  /// Each seed's run again, from its options.
  private static func timelines(
    of report: CampaignReport, atMost most: Int, beside path: String
  ) throws -> [(UInt64, String)] {
    let folder = FilePath.parent(of: Phone(home: path).home)
    return try report.broken.prefix(most).map { result in
      let words = ["--seed", "\(result.seed)"] + result.options.split(separator: " ").map(String.init)
      guard case .run(let line) = try TimelineVerb.declaration.parse(words) else {
        throw CommandFailure(
          .inputOutputError, "the options of seed \(result.seed) are not understood; use `--timelines 0`")
      }
      let (settings, said) = try ReplayVerb.settings(result.seed, line)
      let name = "seed-\(result.seed).html"
      try TimelineFile.write(
        TimelinePage.html(WorldTimeline.of(settings, title: "baton sim \(said)")), to: "\(folder)/\(name)")
      return (result.seed, name)
    }
  }
}
