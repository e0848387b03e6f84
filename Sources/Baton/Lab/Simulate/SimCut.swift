/// A campaign that ended early, after `brokenMax` broken seeds.
package struct SimCut: Sendable {
  /// The number of seeds run, without a gap from the first.
  package let run: UInt64
  package let asked: UInt64

  init(run: UInt64, of asked: UInt64) {
    self.run = run
    self.asked = asked
  }

  package var sentence: String {
    "stopped after \(SimCampaign.brokenMax) broken seeds: \(HumanText.grouped(run)) of \(HumanText.grouped(asked)) run"
  }

  /// The last JUnit case: not every seed was run.
  var junitCase: JUnitFile.Case {
    JUnitFile.Case(
      name: "Every seed was run.", outcome: .error("the run was stopped early", details: sentence))
  }
}
