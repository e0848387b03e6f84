import Ground
import JSON
import Crypto
import DaemonRuntime
import Simulation

/// What one seed came to, as one line of JSON. It says nothing of where, when or how fast it was run, so that a seed that
/// is run again anywhere gives the same bytes.
struct SeedResult: Hashable, Sendable {
  enum Verdict: String, Hashable, Sendable, CaseIterable {
    case sound
    case broken
    case noProgress = "no progress"
  }

  var seed: UInt64
  /// Of `baton sim` and `baton replay`, where they are not the usual ones.
  var options = ""
  var verdict = Verdict.sound
  /// What broke, in words; only where something did.
  var sentence: String?
  var simulatedMs: UInt64 = 0
  var events: UInt64 = 0
  var payments: UInt64 = 0
  var paid: UInt64 = 0
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

  var line: String {
    var object = JSONObject()
    object.set("seed", seed)
    object.set("options", options)
    object.set("verdict", verdict.rawValue)
    object.set("sentence", ifPresent: sentence)
    object.set("simulated_ms", simulatedMs)
    object.set("events", events)
    object.set("payments", payments)
    object.set("paid", paid)
    object.set("faults", faults)
    object.set("story_sha256", storySHA256)
    return object.text
  }

  /// Nil for anything but what `line` writes, byte for byte: a line that was damaged on its way is none.
  init?(line text: [UInt8]) {
    guard let value = JSONValue(parsing: text), let seed = value["seed"]?.uint,
      let options = value["options"]?.text,
      let verdict = value["verdict"]?.text.flatMap(Verdict.init(rawValue:)),
      let simulatedMs = value["simulated_ms"]?.uint, let events = value["events"]?.uint,
      let payments = value["payments"]?.uint, let paid = value["paid"]?.uint,
      let faults = value["faults"]?.uint, let storySHA256 = value["story_sha256"]?.text
    else { return nil }
    self.seed = seed
    self.options = options
    self.verdict = verdict
    sentence = value["sentence"]?.text
    self.simulatedMs = simulatedMs
    self.events = events
    self.payments = payments
    self.paid = paid
    self.faults = faults
    self.storySHA256 = storySHA256
    guard Array(line.utf8) == text, (sentence == nil) == (verdict == .sound) else { return nil }
  }
}
