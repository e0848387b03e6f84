import DaemonRuntime
import PhonePolicy

/// The extension's limits and how they are enforced, as iosd reports them.
struct LimitsReport {
  let facts: LimitFacts

  init(facts: LimitFacts) { self.facts = facts }

  /// Nil if iosd does not run or does not report limits.
  init?(_ phone: Phone) {
    guard let answer = try? phone.ask(.iosd, ControlMessage("memory"), for: MemoryFacts.self) else {
      return nil
    }
    facts = answer.limits
  }

  var sentence: String {
    guard facts.enforced else { return "limits of the extension: none; \(facts.memoryExactness)" }
    let bytes = HumanText.grouped(facts.memoryBytes)
    let seconds = HumanText.seconds(.milliseconds(facts.timeMs))
    let whyNot = facts.noGroupBecause.map { "; no memory cgroup: \($0)" } ?? ""
    return
      "limits of the extension: \(bytes) bytes by \(facts.memoryMechanism) (\(facts.memoryExactness))\(whyNot); \(seconds) s per push by a timer"
  }
}
