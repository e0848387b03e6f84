import Simulation

/// Why a way between two states of a machine is not taken in an exploration.
enum UntakenWays {
  static func reason(_ way: Ways.Way) -> String {
    reasons[way.sentence] ?? "not within these bounds"
  }

  private static let reasons: [String: String] = [:]
}
