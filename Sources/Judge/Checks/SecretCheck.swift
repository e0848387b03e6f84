// Invariant 8: no secret stands where others can read it.
extension Hearing {
  mutating func checkSecrets() {
    checkSeed()
    let payments = evidence.ledger.payments.filter { ($0.preimage?.count ?? 0) >= 16 }
    let search = SecretSearch(payments.map { $0.preimage ?? [] })
    for place in evidence.places {
      for hit in search.hits(in: place.bytes) {
        find(
          8, "The preimage of payment \(payments[hit.secret].id) stands in \(place.name)",
          [place.name, payments[hit.secret].evidence])
      }
    }
    let shownNs = payments.map { firstShown($0.preimage ?? []) ?? .max }
    for journal in evidence.journals {
      // The peer writes down what came in a moment before it stamps it.
      let slack = journal.process == "lspd" ? stepSlackNs : 0
      for hit in search.hits(in: journal.bytes) {
        guard let record = journal.record(atByte: hit.offset),
          record.atNs < shownNs[hit.secret] &- slack
        else { continue }
        find(
          8, "The preimage of payment \(payments[hit.secret].id) stands in a journal before the peer was shown it",
          [record.evidence, payments[hit.secret].evidence])
      }
    }
  }

  private mutating func checkSeed() {
    guard let seed = evidence.seed, seed.count == 32 else {
      remark("there is no wallet seed to search for")
      return
    }
    let search = SecretSearch([seed])
    let journals = evidence.journals.map { SearchedPlace(name: "journal \($0.name)", bytes: $0.bytes) }
    for place in evidence.places + journals where !search.hits(in: place.bytes).isEmpty {
      find(8, "The wallet's seed stands in \(place.name)", [place.name])
    }
  }

  private func firstShown(_ preimage: [UInt8]) -> Int64? {
    frames.first { frame in
      if frame.entry.isIn, case .step(.fulfil(_, preimage))? = frame.message { true } else { false }
    }?.entry.atNs
  }
}
