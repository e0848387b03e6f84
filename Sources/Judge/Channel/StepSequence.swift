extension [PeerReplay.SequenceEntry] {
  /// What the wallet said and did not sign for goes with its connection. What is in front of its last signature
  /// stays where it is: that is as long as the run, and there are as many connections.
  mutating func forgetUnsigned() {
    let signed = lastIndex { entry in
      if entry.by == .wallet, case .commit = entry.step { true } else { false }
    }
    let start = (signed ?? -1) + 1
    let kept = Self.signedFor(self[start...])
    removeLast(count - start)
    append(contentsOf: kept)
  }

  /// In a function of its own, so that the sequence has one owner when it is changed: a second one would copy all of
  /// it.
  private static func signedFor(_ entries: ArraySlice<Element>) -> [Element] {
    entries.filter { $0.by != .wallet || $0.step.isNumbered || $0.step.isOfSplice }
  }
}
