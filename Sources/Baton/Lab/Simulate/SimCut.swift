import PhoneClient
import Terminal

/// A range of seeds that ended behind as many broken ones as are looked for.
package struct SimCut: Sendable {
  /// From the first seed on, without a gap.
  package let run: UInt64
  package let asked: UInt64

  init(run: UInt64, of asked: UInt64) {
    self.run = run
    self.asked = asked
  }

  package var sentence: String {
    "stopped after \(SimCampaign.brokenMax) broken seeds: \(HumanText.grouped(run)) of \(HumanText.grouped(asked)) run"
  }

  /// As the last case of `explore`, which says whether all was seen.
  var junitCase: JUnitFile.Case {
    JUnitFile.Case(name: "Every seed was run.", outcome: .error("it was given up", details: sentence))
  }
}
