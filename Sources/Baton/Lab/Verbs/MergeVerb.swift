import PhoneClient
import Terminal
import DaemonRuntime
import Foundation

/// Brings the results of many machines together.
package enum MergeVerb: Verb {
  package static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "merge", summary: "bring results of `baton sim --results` together, each seed once",
      options: [
        OptionDeclaration("--seeds", value: .text("A..B"), help: "only these, and say which are missing"),
        OptionDeclaration(
          "--missing", value: .integer(1...Int64(Int32.max)),
          help: "print nothing but what is missing, a range of so many seeds at most on each line"),
        OptionDeclaration(
          "--into", value: .path("FILE"), help: "write the lines there, in the order of seeds"),
      ],
      positionals: [
        PositionalDeclaration(
          "FILE", value: .path("FILE"), count: .any,
          help: "JSON Lines, in any order; the same seed may come twice"
        )
      ],
      examples: [
        ("baton merge --seeds 1..1000 parts/*.jsonl --into results.jsonl", "2 when a promise broke anywhere"),
        ("baton merge --seeds 1..1000 --missing 25 parts/*.jsonl", "what is still to be run, in parts of 25"),
      ])
  }

  package static func run(_ invocation: Invocation) throws -> ExitCode {
    let line = invocation.line
    let range = try line.text("--seeds").map { try SeedRange(typed: $0) }
    // What is missing of nothing at all is everything: with that a campaign begins.
    guard !line.positionals.isEmpty || line.isGiven("--missing") else {
      throw CommandFailure(
        .wrongUsage,
        "FILE is missing: name files that `baton sim --results` wrote; a pattern may have matched none")
    }
    var merge = ResultMerge()
    for path in line.positionals {
      guard let data = FileManager.default.contents(atPath: path) else {
        throw CommandFailure(.inputOutputError, "\(path.onOneLine) cannot be read; name files of results")
      }
      try merge.add(Array(data), named: path)
    }
    if let path = line.text("--into") { try write(merge.results(of: range), into: path) }
    if let size = line.integer("--missing") {
      guard let range else { throw CommandFailure(.wrongUsage, "--missing needs --seeds A..B") }
      for gap in merge.missing(of: range, atMost: UInt64(size)) { invocation.output.say(gap.words) }
      return .done
    }
    guard range != nil || !merge.isEmpty else {
      throw CommandFailure(
        .inputOutputError,
        "there is no result in these files; run `baton sim --results` to its end, or name others")
    }
    let report = MergeReport(merge, of: range)
    if invocation.output.isJSON {
      invocation.output.say(report.document)
    } else {
      report.tell(invocation.output)
    }
    return report.exitCode
  }

  /// All of it or nothing: a file that was there stays whole until the new one is.
  private static func write(_ results: [SeedResult], into path: String) throws(CommandFailure) {
    let text = results.map { $0.line + "\n" }.joined()
    do {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw CommandFailure(
        .cannotCreate, "\(path.onOneLine) cannot be written; name another file with --into")
    }
  }
}
