/// Everything that is judged. Nothing of it is interpreted yet.
struct Evidence {
  let home: String
  let wallet: WalletEvidence
  let ledger: LedgerEvidence
  let journals: [JournalFile]
  let places: [SearchedPlace]
  /// Thirty-two raw bytes; nil if this copy of the home came without its keychain.
  let seed: [UInt8]?
  let phone: PhoneEvidence
  /// What was odd about the reading itself.
  let remarks: [String]
  /// On a live phone: what a journal says after this may not be in the databases as they were read.
  let certainUntilNs: Int64?

  func journals(of process: String) -> [JournalFile] { journals.filter { $0.process == process } }

  func journal(of claim: ClaimEntry) -> JournalFile? {
    journals.first {
      ["mainappd", "notifyextd"].contains($0.process) && $0.pid == claim.pid
        && $0.startTime == claim.startTime
        && $0.boot == claim.boot
    }
  }

  func isCertain(_ record: JournalRecord) -> Bool {
    certainUntilNs.map { record.atNs < $0 &- stepSlackNs } ?? true
  }
}

/// Bytes in which no secret may stand.
struct SearchedPlace {
  let name: String
  let bytes: [UInt8]
}
