import PhoneClient
import Ground
import Crypto
import DaemonRuntime
import Reports
import Simulation

/// What one seed came to, as one line of JSON. It says nothing of where, when or how fast it was run, so that a seed that
/// is run again anywhere gives the same bytes.
package struct SeedResult: Hashable, Report {
  package enum Verdict: String, Codable, Sendable, CaseIterable {
    case sound
    case broken
    case noProgress = "no progress"
  }

  package var seed: UInt64
  /// Of `baton sim` and `baton replay`, where they are not the usual ones.
  package var options = ""
  package var verdict = Verdict.sound
  /// What broke, in words; only where something did.
  package var sentence: String?
  var simulatedMs: UInt64 = 0
  package var events: UInt64 = 0
  package var payments: UInt64 = 0
  package var paid: UInt64 = 0
  var faults: UInt64 = 0
  /// Of all that `baton replay --step` tells of this seed.
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
    let told = story.text(all: true).map { $0 + "\n" }.joined()
    storySHA256 = SHA256.hash(Array(told.utf8)).hex
  }

  package var line: String { json }

  /// Nil for anything but what `line` writes, byte for byte: a line that was damaged on its way is none.
  init?(line text: [UInt8]) {
    guard let result = SeedResult(json: text) else { return nil }
    self = result
    guard Array(line.utf8) == text, (sentence == nil) == (verdict == .sound) else { return nil }
  }
}
