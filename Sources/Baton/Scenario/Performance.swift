import Ground

/// The result of a story on one stage.
public struct Performance: Hashable, Sendable {
  public struct Played: Hashable, Sendable {
    public var step: Scenario.Step
    public var said: [String]

    public var differs: Bool { said != step.expected }
  }

  public enum End: Hashable, Sendable {
    /// Played to the last line.
    case played(StageVerdict)
    /// A wait timed out in that line; 0 is before the first. With the verdict on the run until then.
    case timedOut(line: Int, String, StageVerdict)
    case broken(line: Int, String)
  }

  public var scenario: Scenario
  public var played: [Played]
  public var end: End

  public var differences: [Played] { played.filter(\.differs) }

  /// Played to its last line, nothing is broken, all is settled and no process crashed.
  public var isSound: Bool { if case .played(.sound) = end { true } else { false } }

  /// The story's file with the actual answers in place of the expected ones; comments and empty lines stay.
  public var rewritten: String {
    var lines: [String] = []
    var number = 0
    for line in scenario.lines {
      number += 1
      if ScenarioParser.isOutput(line) { continue }
      lines.append(line)
      let said = played.first { $0.step.line == number }?.said ?? []
      lines += said.map { "  > \($0)" }
    }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines.joined(separator: "\n") + "\n"
  }
}
