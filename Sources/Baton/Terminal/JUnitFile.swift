import Foundation

/// Outcomes as JUnit XML.
package enum JUnitFile {
  /// One case of a suite.
  package struct Case: Sendable {
    package enum Outcome: Sendable {
      case passed
      /// It ran to its end with a wrong result.
      case failed(String, details: String)
      /// It could not be run to its end.
      case error(String, details: String)
      case skipped(String)
    }

    package var name: String
    /// Nil if its time was not measured.
    package var milliseconds: Int64?
    package var outcome = Outcome.passed

    package init(name: String, milliseconds: Int64? = nil, outcome: Outcome = Outcome.passed) {
      self.name = name
      self.milliseconds = milliseconds
      self.outcome = outcome
    }

    package func text(of suite: String) -> String {
      let time = milliseconds.map { " time=\"\(HumanText.seconds(.milliseconds($0)))\"" } ?? ""
      let head = "  <testcase classname=\"\(escaped(suite))\" name=\"\(escaped(name))\"\(time)"
      switch outcome {
      case .passed: return "\(head)/>\n"
      case .skipped(let why): return "\(head)><skipped message=\"\(escaped(why))\"/></testcase>\n"
      case .failed(let message, let details): return element("failure", head, message, details)
      case .error(let message, let details): return element("error", head, message, details)
      }
    }

    private func element(_ name: String, _ head: String, _ message: String, _ details: String) -> String {
      "\(head)>\n    <\(name) message=\"\(escaped(message))\">\(escaped(details))</\(name)>\n  </testcase>\n"
    }
  }

  static func escaped(_ text: String) -> String {
    let plain = String(String.UnicodeScalarView(text.unicodeScalars.map { isOfXML($0) ? $0 : "." }))
    return plain.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
      .replacingOccurrences(of: ">", with: "&gt;").replacingOccurrences(of: "\"", with: "&quot;")
  }
}

/// XML 1.0 cannot represent most control characters, nor the last two scalars of the first plane.
private func isOfXML(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0xFFFE, 0xFFFF: false
  case ..<0x20: scalar == "\n" || scalar == "\t"
  default: true
  }
}

private func escaped(_ text: String) -> String { JUnitFile.escaped(text) }
