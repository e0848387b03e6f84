/// A range of seeds that ended behind as many broken ones as are looked for.
struct SimCut: Sendable {
  /// From the first seed on, without a gap.
  let run: UInt64
  let asked: UInt64

  init(run: UInt64, of asked: UInt64) {
    self.run = run
    self.asked = asked
  }

  var sentence: String {
    "stopped after \(SimCampaign.brokenMax) broken seeds: \(HumanText.grouped(run)) of \(HumanText.grouped(asked)) run"
  }

  /// As the last case of `explore`, which says whether all was seen.
  var junitCase: JUnitFile.Case {
    JUnitFile.Case(name: "Every seed was run.", outcome: .error("it was given up", details: sentence))
  }
}
