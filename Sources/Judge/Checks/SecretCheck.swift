// Invariant 8: no secret is readable.
extension Checker {
  mutating func checkSecrets() {
    if evidence.seed?.count != 32 {
      remark(
        evidence.phone == nil
          ? "there is no wallet seed to search for"
          : "the wallet's seed is not in this phone's keychain: it was not searched for, and if it is not in a copy, the wallet is lost"
      )
    }
    for (place, secrets) in evidence.secretPlaces {
      for secret in secrets {
        switch evidence.secrets[secret] {
        case .seed: find(.seedReadable, place, at: [.file(place)])
        case .pushKey: find(.pushKeyReadable, place, at: [.file(place)])
        case .preimage(let payment):
          find(.preimageReadable, payment.id, place, at: [.file(place), payment.row])
        }
      }
    }
    let shownNs = firstShown()
    for journal in evidence.journals + evidence.otherContainersJournals { checkSecrets(in: journal, shownNs) }
  }

  private mutating func checkSecrets(in journal: JournalFile, _ shownNs: [[UInt8]: Int64]) {
    // One finding for each secret, and for each line with a preimage.
    var said: Set<String> = []
    for hit in journal.secretHits {
      let secret = evidence.secrets[hit.secret]
      if case .preimage(let payment) = secret {
        // lspd knows it from the wallet alone, perhaps by a frame that a full disk kept out of the ledger.
        guard journal.process != "lspd", let record = hit.record,
          record.atNs < shownNs[payment.preimage ?? []] ?? .max,
          said.insert("\(payment.id) \(record.line)").inserted
        else { continue }
        find(.preimageInJournal, payment.id, at: [record.row, payment.row])
        continue
      }
      let name = if case .seed = secret { "seed" } else { "push key" }
      guard said.insert(name).inserted else { continue }
      find(.keyInJournal, name, journal.name, at: [.journal(journal.name)])
    }
  }

  /// When the peer first received each preimage, by its ledger or its journal.
  private func firstShown() -> [[UInt8]: Int64] {
    var shown: [[UInt8]: Int64] = [:]
    for frame in frames where frame.entry.isIn {
      guard case .step(.fulfil(_, let preimage))? = frame.message else { continue }
      shown[preimage] = shown[preimage] ?? frame.entry.atNs
    }
    for hit in evidence.journals(of: "lspd").flatMap(\.secretHits) {
      guard case .preimage(let payment) = evidence.secrets[hit.secret], let preimage = payment.preimage,
        let record = hit.record
      else { continue }
      shown[preimage] = min(shown[preimage] ?? .max, record.atNs)
    }
    return shown
  }
}
