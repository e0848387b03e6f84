import Ground
import DaemonRuntime
import Glibc
import Simulation

/// Runs many seeds in virtual time, through the production cores.
package enum SimVerb: Verb {
  package static let declaration = CommandLineDeclaration(
    name: "sim", summary: "simulate the two processes for many seeds, inject faults, check every step",
    options: [
      OptionDeclaration(
        "--seeds", value: .text("A..B"), default: "1..1000", help: "the seeds; each is one reproducible run"
      ), JobsOption.declaration,
      OptionDeclaration(
        "--results", value: .path("FILE"),
        help: "also write one line of JSON per seed, for --merge; - is standard output"),
      OptionDeclaration(
        "--merge",
        help:
          "run nothing: merge the results in FILEs, each seed once; with --seeds also report missing ones"),
      OptionDeclaration(
        "--missing", value: .integer(1...Int64(Int32.max)),
        help: "with --merge: print only the missing ranges, one per line, of at most N seeds each"),
      OptionDeclaration(
        "--report", value: .path("FILE"), help: "with --merge: also write figures and violations as a page"),
      OptionDeclaration(
        "--junit", value: .path("FILE"), help: "also write the outcome as JUnit XML, one case per seed"),
      TimelineFile.directoryOption,
    ] + SimOptions.declarations,
    positionals: [
      PositionalDeclaration(
        "FILE", value: .path("FILE"), count: .any,
        help: "with --merge: what --results has written, in any order; a seed may repeat")
    ],
    examples: [
      (
        "baton sim --seeds 1..100000",
        "a hundred thousand runs; exit code 2 if an invariant broke, 3 if only progress did"
      ),
      ("baton replay --seed 17", "the events of one run, in order"),
      (
        "baton sim --merge --seeds 1..1000 parts/*.jsonl --results all.jsonl",
        "the parts of a run over several machines, as one file"
      ),
    ])

  package static func run(_ invocation: Invocation) throws -> ExitCode {
    let output = invocation.output
    let line = invocation.line
    if line.isGiven("--merge") { return try merge(invocation) }
    if let odd = ["--missing", "--report"].first(where: line.isGiven)
      ?? (line.positionals.isEmpty ? nil : "FILE")
    {
      throw CommandFailure(.wrongUsage, "\(odd) requires --merge")
    }
    let range = try SeedRange(typed: line.text("--seeds") ?? "")
    let base = try SimOptions(line)
    let jobs = JobsOption.number(line)
    try require(
      !output.isJSON || line.text("--results") != ResultWriter.standardOutputName, .wrongUsage,
      "--results - and --json both write to standard output; name a file with --results")
    let start = Clock.monotonicNow
    let results = try line.text("--results").map { try ResultWriter($0, options: base.words) }
    let junit = try line.text("--junit").map { try JUnitWriter($0, suite: "sim") }
    // With --results every seed is run.
    let campaign = SimCampaign(
      range: range, jobs: jobs, brokenMax: results == nil ? SimCampaign.brokenMax : nil, results: results
    ) { base.settings(seed: $0) }
    let progress = ProgressLine(isQuiet: output.isJSON)
    let figures = campaign.run {
      junit?.add(JUnitFile.Case($0, words: base.words(for: base.settings(seed: $0.seed)), took: $1))
    } progress: { figures in
      progress.tell("\(figures.progress(of: range)), \(figures.broken.count) broken")
    }
    progress.end()
    let took = Clock.monotonicNow - start
    try require(
      results?.hasFailed != true, .inputOutputError,
      "the results could not be written completely; only the last line may be truncated")
    let cut =
      figures.seeds == range.count
      ? nil
      : "stopped after \(SimCampaign.brokenMax) broken seeds: \(HumanText.grouped(figures.seeds)) of \(HumanText.grouped(range.count)) run"
    if let cut {
      let outcome = JUnitFile.Case.Outcome.error("the run was stopped early", details: cut)
      junit?.add(JUnitFile.Case(name: "Every seed was run.", outcome: outcome))
    }
    try junit?.close()
    // Standard output has the results only.
    if line.text("--results") == ResultWriter.standardOutputName { return exitCode(figures) }
    let broken = figures.broken.first.flatMap { Self.shortest($0, base) }
    let timeline = broken.flatMap {
      let words = base.words(for: $0)
      return TimelineFile.ofFailure(
        WorldStory(of: $0).timeline(title: "baton sim \(words)"), named: "seed-\($0.seed)",
        in: line.text("--timelines"))
    }
    if output.isJSON {
      var document = figures.document(took: took, asked: range.count)
      document.timeline = timeline
      output.say(document)
    } else {
      output.facts(figures.text(took: took))
      if let cut { output.say(output.paint(cut, .yellow)) }
      if let broken {
        tell(broken, figures, base, output)
        if let timeline { output.say("timeline: \(timeline)") }
      } else {
        output.say(output.paint("no invariant broke", .green))
      }
    }
    return exitCode(figures)
  }

  /// Of results of earlier runs.
  private static func merge(_ invocation: Invocation) throws -> ExitCode {
    let line = invocation.line
    let range = try line.isGiven("--seeds") ? SeedRange(typed: line.text("--seeds") ?? "") : nil
    let merge = try ResultMerge(files: line.positionals, mayBeNone: line.isGiven("--missing"))
    if let path = line.text("--results") {
      let text = merge.results(of: range).map { $0.line + "\n" }.joined()
      try UserFile.write(text, to: path, "name another file with --results")
    }
    if let size = line.integer("--missing") {
      guard let range else { throw CommandFailure(.wrongUsage, "--missing requires --seeds A..B") }
      for gap in merge.missing(of: range, atMost: UInt64(size)) { invocation.output.say(gap.words) }
      return .done
    }
    try require(
      range != nil || !merge.isEmpty, .inputOutputError,
      "these files have no result; run `baton sim --results` to its end, or name other files")
    let report = MergeReport(merge, of: range)
    if let path = line.text("--report") {
      try UserFile.write(report.page, to: path, mode: 0o600, "name another file with --report")
    }
    if invocation.output.isJSON {
      invocation.output.say(report.document)
    } else {
      report.tell(invocation.output)
    }
    return report.exitCode
  }

  private static func exitCode(_ figures: SimFigures) -> ExitCode {
    figures.broken.compactMap(\.violation).exitCode ?? .done
  }

  /// The first failure, shrunk.
  private static func shortest(_ result: RunResult, _ base: SimOptions) -> RunSettings? {
    guard let violation = result.violation else { return nil }
    var shrinker = Shrinker(base.settings(seed: result.seed), breaking: violation.invariant)
    return shrinker.shrink()
  }

  /// Prints it as a story.
  private static func tell(
    _ shortest: RunSettings, _ figures: SimFigures, _ base: SimOptions, _ output: Output
  ) {
    output.say(
      output.paint(
        "\(HumanText.count(figures.broken.count, "seed")) broke an invariant; the first is \(shortest.seed):",
        .red))
    for line in WorldStory.onOneScreen(WorldStory(of: shortest).text()) { output.say(line) }
    output.say("again: baton replay \(base.words(for: shortest))")
  }
}
