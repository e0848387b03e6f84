import DaemonRuntime
import PhonePolicy

/// The extension's limits and how they are enforced, as iosd reports them.
extension LimitFacts {
  /// Nil if iosd does not run or does not report limits.
  static func of(_ phone: Phone) -> LimitFacts? { (try? phone.facts())?.limits }

  var sentence: String {
    guard enforced else { return "limits of the extension: none; \(memoryExactness)" }
    let bytes = HumanText.grouped(memoryBytes)
    let seconds = HumanText.seconds(.milliseconds(timeMs))
    let whyNot = noGroupBecause.map { " (\(memoryExactness)); no memory cgroup: \($0)" } ?? ""
    return
      "limits of the extension: \(bytes) bytes by \(memoryMechanism)\(whyNot); \(seconds) s per push by a timer"
  }
}
