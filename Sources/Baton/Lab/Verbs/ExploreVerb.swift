import Ground
import DaemonRuntime
import Glibc
import Simulation

/// Explores every interleaving of a small world.
package enum ExploreVerb: Verb {
  package static let declaration = CommandLineDeclaration(
    name: "explore", summary: "visit every interleaving of a small world, and check every state",
    options: ExploreOptions.declarations + [
      JobsOption.declaration,
      OptionDeclaration(
        "--junit", value: .path("FILE"), help: "also write the outcome as JUnit XML, one case per invariant"
      ), TimelineFile.directoryOption,
    ],
    examples: [
      (
        "baton explore",
        "exit code 2 if an invariant broke, 3 if only progress did; then prints a shortest run that breaks it"
      ),
      ("baton explore --crashes 0 --freezes 0 --preemptions 255", "every order of steps, without a fault"),
      (
        "baton explore --without inode-check --replaced-locks 1 --crashes 0 --freezes 0",
        "what a rule prevents: prints a shortest run that breaks an invariant without it"
      ),
    ])

  package static func run(_ invocation: Invocation) throws -> ExitCode {
    let output = invocation.output
    let line = invocation.line
    let options = try ExploreOptions(line)
    let jobs = JobsOption.number(line)
    let junit = try line.text("--junit").map { try JUnitWriter($0, suite: "explore") }
    var limits = options.limits
    limits.signals = try SignalWatch.ofOwnWork()
    let progress = ProgressLine(isQuiet: output.isJSON)
    let report = ExploreReport(exploring: options.settings, jobs: jobs, limits) {
      progress.tell($0.progress)
    }
    progress.end()
    let timeline = report.timeline.flatMap {
      TimelineFile.ofFailure($0, named: "explore", in: line.text("--timelines"))
    }
    if output.isJSON {
      var document = report.document
      document.timeline = timeline
      output.say(document)
    } else {
      for line in report.text(output) { output.say(line) }
      if let timeline { output.say("timeline: \(timeline)") }
    }
    if let junit {
      JUnitFile.Case.all(of: report).forEach(junit.add)
      try junit.close()
    }
    return report.exitCode
  }
}
