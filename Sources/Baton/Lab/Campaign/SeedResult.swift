import Ground
import Crypto
import DaemonRuntime
import PhonePolicy
import Simulation

/// The result of one seed as one line of JSON. It has no place, time or speed: a repeated run gives the same bytes.
package struct SeedResult: Hashable, Report {
  package enum Verdict: String, Codable, Sendable, CaseIterable {
    case sound
    case broken
    case noProgress = "no progress"
  }

  package var seed: UInt64
  /// The options of `baton sim` and `baton replay` that differ from the defaults.
  package var options = ""
  package var verdict = Verdict.sound
  /// The violation, if any.
  package var sentence: String?
  var simulatedMs: UInt64 = 0
  package var events: UInt64 = 0
  package var payments: UInt64 = 0
  package var paid: UInt64 = 0
  var faults: UInt64 = 0
  /// Hash of the output of `baton replay --step` for this seed.
  var storySHA256 = ""

  init(seed: UInt64) { self.seed = seed }

  init(_ result: RunResult, story: WorldStory, options: String) {
    seed = result.seed
    self.options = options
    if let violation = result.violation {
      verdict = violation.invariant == .progress ? .noProgress : .broken
      sentence = "\(violation.invariant.sentence) \(violation.sentence)"
    }
    simulatedMs = UInt64(clamping: result.simulated.wholeMilliseconds)
    events = result.deliveredEvents
    payments = UInt64(clamping: result.payments)
    paid = UInt64(clamping: result.paid)
    faults = UInt64(clamping: result.faults.reduce(0, +))
    let output = story.text(all: true).map { $0 + "\n" }.joined()
    storySHA256 = SHA256.hash(Array(output.utf8)).hex
  }

  package var line: String { json }

  /// Nil unless the text equals `line`'s output byte for byte: a damaged line is not a result.
  init?(line text: [UInt8]) {
    guard let result = SeedResult(json: text) else { return nil }
    self = result
    guard Array(line.utf8) == text, (sentence == nil) == (verdict == .sound) else { return nil }
  }
}
