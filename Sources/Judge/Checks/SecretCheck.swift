// Invariant 8: no secret is readable.
extension Checker {
  mutating func checkSecrets() {
    if evidence.seed?.count != 32 { remark("there is no wallet seed to search for") }
    for (place, secrets) in evidence.secretPlaces {
      for secret in secrets {
        switch evidence.secrets[secret] {
        case .seed: find(8, "The wallet's seed is in \(place)", [place])
        case .pushKey: find(8, "The wallet's push key is in \(place)", [place])
        case .preimage(let payment):
          find(8, "The preimage of payment \(payment.id) is in \(place)", [place, payment.evidence])
        }
      }
    }
    let shownNs = firstShown()
    for journal in evidence.journals + evidence.otherContainersJournals { checkSecrets(in: journal, shownNs) }
  }

  private mutating func checkSecrets(in journal: JournalFile, _ shownNs: [[UInt8]: Int64]) {
    // lspd writes its journal line a moment before it stamps the frame.
    let slack = journal.process == "lspd" ? stepSlackNs : 0
    var said: Set<String> = []
    func findOnce(_ name: String) {
      guard said.insert(name).inserted else { return }
      find(8, "The wallet's \(name) is in journal \(journal.name)", ["journal \(journal.name)"])
    }
    for hit in journal.secretHits {
      switch evidence.secrets[hit.secret] {
      case .seed: findOnce("seed")
      case .pushKey: findOnce("push key")
      case .preimage(let payment):
        let shown = shownNs[payment.preimage ?? []] ?? .max
        guard let record = hit.record, record.atNs < shown &- slack else { continue }
        find(
          8, "The preimage of payment \(payment.id) is in a journal before the peer received it",
          [record.evidence, payment.evidence])
      }
    }
  }

  /// When the peer first received each preimage.
  private func firstShown() -> [[UInt8]: Int64] {
    var shown: [[UInt8]: Int64] = [:]
    for frame in frames where frame.entry.isIn {
      guard case .step(.fulfil(_, let preimage))? = frame.message else { continue }
      shown[preimage] = shown[preimage] ?? frame.entry.atNs
    }
    return shown
  }
}
