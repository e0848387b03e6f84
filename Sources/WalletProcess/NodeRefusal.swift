import Guardrails
import Lightning

/// Why the node was not there for what a person wanted of it.
enum NodeRefusal {
  /// With what the person reads in the app, where that is more than that the node is not wanted: to open the app once
  /// more would not help then.
  static func sentence(_ refusal: String, _ status: Status?) -> String {
    guard refusal.hasPrefix(NodeMachine.notHeld), let status, status != .idle else { return refusal }
    return "\(NodeMachine.notHeld): \(status.text)"
  }
}
