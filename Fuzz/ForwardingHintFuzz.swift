import Lightning
import Ground

/// An LSP's answer to a sender that asks for a hint.
enum ForwardingHintFuzz: FuzzTarget {
  static let name = "forwarding-hint"
  static let longestInput = 512

  static var seeds: [[UInt8]] {
    let hints = ForwardingHint.Advice.allCases.map { ForwardingHint($0, .disconnected) }
    let reasons = ForwardingHint.Reason.allCases.map {
      ForwardingHint(.retryNow, $0, recommendedDelayMs: 1_000_000_000_000)
    }
    return (hints + reasons).map { Array($0.value.json.utf8) }
  }

  static func feed(_ bytes: [UInt8]) {
    do throws(ForwardingHintError) {
      let hint = try ForwardingHint(parsing: bytes)
      let again = try ForwardingHint(parsing: Array(hint.value.json.utf8))
      promise(again == hint, "a hint is read back as another")
    } catch { promiseOneLine(error.description) }
  }
}
