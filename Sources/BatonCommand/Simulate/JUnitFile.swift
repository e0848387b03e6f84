import DaemonRuntime
import Foundation
import Simulation

/// The outcome for the machines that run tests: one case for each broken seed, and one for all that held.
enum JUnitFile {
  static func write(_ figures: SimFigures, _ range: SeedRange, to path: String) throws {
    var lines = [
      #"<?xml version="1.0" encoding="UTF-8"?>"#,
      #"<testsuite name="baton sim" tests="\#(figures.seeds)" failures="\#(figures.broken.count)">"#,
      #"  <testcase classname="sim" name="seeds \#(range.first) to \#(range.last)"/>"#,
    ]
    for result in figures.broken {
      guard let violation = result.violation else { continue }
      lines += [
        #"  <testcase classname="sim" name="seed \#(result.seed)">"#,
        #"    <failure message="\#(escaped(violation.invariant.sentence))">\#(escaped(violation.sentence))</failure>"#,
        "  </testcase>",
      ]
    }
    lines.append("</testsuite>")
    do {
      try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: path))
    } catch {
      throw CommandFailure(.cannotCreate, "\(path) cannot be written; name another file with --junit")
    }
  }

  static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
      .replacingOccurrences(of: ">", with: "&gt;").replacingOccurrences(of: "\"", with: "&quot;")
  }
}
