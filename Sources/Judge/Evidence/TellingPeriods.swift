/// When the home's wallet was one whose extension only notifies: a home can have had both wallets, one after the other.
///
/// A period begins with a start of iosd, which starts the wallet's processes. Within it any one sign is enough, so that
/// taking one away hides nothing: the command line of iosd or of the app, a journal of the extension that only notifies,
/// or the form of the pushes of the peer that ran at the time.
struct TellingPeriods {
  /// The starts of iosd, sorted.
  private let starts: [Int64]
  /// The periods with a sign, by the number of starts before their end.
  private var signed: Set<Int> = []
  private let ledger: LedgerEvidence

  init(_ evidence: Evidence) {
    ledger = evidence.ledger
    starts = evidence.journals(of: "iosd").map(\.startedNs).sorted()
    let tellers = evidence.journals(of: Evidence.tellingExtension)
    let named = ["iosd", "mainappd"].flatMap { evidence.journals(of: $0) }.filter(\.isOfTellingWallet)
    for journal in tellers + named { signed.insert(period(at: journal.startedNs)) }
  }

  func tells(at instantNs: Int64) -> Bool {
    signed.contains(period(at: instantNs)) || ledger.announces(at: instantNs)
  }

  private func period(at instantNs: Int64) -> Int { starts.countOfThose(upTo: instantNs) }
}

extension JournalFile {
  /// The process was started for the wallet whose extension only notifies.
  var isOfTellingWallet: Bool {
    zip(arguments, arguments.dropFirst()).contains { $0 == "--wallet" && KnownWallets.telling.contains($1) }
  }
}

/// What the judge must know of a wallet by its name, as it shares no rule with the programs. A test compares these names
/// with the wallets that Baton has.
enum KnownWallets {
  /// Values of `--wallet` whose extension only notifies.
  static let telling: Set = ["bitkit"]
  /// Forms of pushes with a silent one and an alert for each payment.
  static let announcing: Set = ["bitkit"]
}

extension LedgerEvidence {
  /// The peer that ran then announced each payment.
  func announces(at instantNs: Int64) -> Bool {
    run(at: instantNs).map { KnownWallets.announcing.contains($0.pushForm) } ?? false
  }
}
