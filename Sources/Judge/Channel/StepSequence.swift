extension [PeerReplay.SequenceEntry] {
  /// A disconnect drops the wallet's updates without a commitment. Steps before its last commitment stay in place:
  /// with many connections, a copy of the whole sequence each time would be quadratic.
  mutating func forgetUnsigned() {
    let signed = lastIndex { entry in
      if entry.by == .wallet, case .commit = entry.step { true } else { false }
    }
    let start = (signed ?? -1) + 1
    let kept = Self.signedFor(self[start...])
    removeLast(count - start)
    append(contentsOf: kept)
  }

  /// A separate function, so that no slice of the sequence is alive when it is changed: that would copy it.
  private static func signedFor(_ entries: ArraySlice<Element>) -> [Element] {
    entries.filter { $0.by != .wallet || $0.step.isNumbered || $0.step.isOfSplice }
  }
}
