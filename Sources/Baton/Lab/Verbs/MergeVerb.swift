import PhoneClient
import Terminal
import DaemonRuntime

/// Merges the results of many machines.
package enum MergeVerb: Verb {
  package static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "merge", summary: "merge results of `baton sim --results`, each seed once",
      options: [
        OptionDeclaration("--seeds", value: .text("A..B"), help: "only these seeds, and report missing ones"),
        OptionDeclaration(
          "--missing", value: .integer(1...Int64(Int32.max)),
          help: "print only the missing ranges, one per line, of at most N seeds each"),
        OptionDeclaration(
          "--into", value: .path("FILE"), help: "write the merged lines to FILE, in the order of seeds"),
      ],
      positionals: [
        PositionalDeclaration(
          "FILE", value: .path("FILE"), count: .any,
          help: "JSON Lines, in any order; a seed may repeat"
        )
      ],
      examples: [
        (
          "baton merge --seeds 1..1000 parts/*.jsonl --into results.jsonl",
          "exit code 2 if an invariant broke"
        ),
        (
          "baton merge --seeds 1..1000 --missing 25 parts/*.jsonl",
          "the seeds still to be run, in ranges of at most 25"
        ),
      ])
  }

  package static func run(_ invocation: Invocation) throws -> ExitCode {
    let line = invocation.line
    let range = try line.text("--seeds").map { try SeedRange(typed: $0) }
    let merge = try ResultMerge(files: line.positionals, mayBeNone: line.isGiven("--missing"))
    if let path = line.text("--into") {
      let text = merge.results(of: range).map { $0.line + "\n" }.joined()
      try UserFile.write(text, to: path, "name another file with --into")
    }
    if let size = line.integer("--missing") {
      guard let range else { throw CommandFailure(.wrongUsage, "--missing requires --seeds A..B") }
      for gap in merge.missing(of: range, atMost: UInt64(size)) { invocation.output.say(gap.words) }
      return .done
    }
    guard range != nil || !merge.isEmpty else {
      throw CommandFailure(
        .inputOutputError,
        "these files have no result; run `baton sim --results` to its end, or name other files")
    }
    let report = MergeReport(merge, of: range)
    if invocation.output.isJSON {
      invocation.output.say(report.document)
    } else {
      report.tell(invocation.output)
    }
    return report.exitCode
  }

}
