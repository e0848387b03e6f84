import CoreShape
import DaemonRuntime
import Foundation
import Glibc
import Simulation

/// Every interleaving of a small world.
enum ExploreVerb: Verb {
  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "explore", summary: "visit every interleaving of a small world, and check every state",
      options: ExploreOptions.declarations + [
        OptionDeclaration(
          "--jobs", value: .integer(1...256),
          help: "threads; as many as there are processors when it is not given")
      ],
      examples: [
        (
          "baton explore",
          "2 when a promise broke, 3 when no progress was made; the story is the shortest there is"
        ),
        ("baton explore --crashes 0 --freezes 0 --preemptions 255", "every order of steps, without a fault"),
        ("baton explore --without greeting-check", "what a rule is for"),
      ])
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let output = invocation.output
    let line = invocation.line
    let options = try ExploreOptions(line)
    let jobs =
      line.integer("--jobs").map { Int(clamping: $0) } ?? ProcessInfo.processInfo.activeProcessorCount
    var exploration = Exploration(options.settings, jobs: jobs, statesMax: options.statesMax)
    let showsProgress = !output.isJSON && isatty(standardError) == 1
    exploration.run { exploration in
      guard showsProgress else { return }
      writeAll(standardError, Array("\u{1b}[2K\r\(ExploreReport.progress(exploration))".utf8))
    }
    if showsProgress { writeAll(standardError, Array("\u{1b}[2K\r".utf8)) }
    let report = ExploreReport(exploration)
    if output.isJSON {
      output.say(report.json.text)
    } else {
      for line in report.text(output) { output.say(line) }
    }
    return report.exitCode
  }
}
