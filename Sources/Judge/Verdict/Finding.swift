import Ground

/// One violation, with the rows that show it.
public struct Finding: Hashable, Sendable {
  public let kind: FindingKind
  /// What the kind's sentence has places for.
  public let values: [String]
  public let rows: [EvidenceRow]
  /// When the peer got or sent the first named frame, on the monotonic clock; nil: no frame is named.
  public let atNs: Int64?
  /// Of another wallet than the phone's: its number in the ledger.
  private(set) var wallet: Int64?

  public init(
    _ kind: FindingKind, _ values: [String] = [], at rows: [EvidenceRow] = [], atNs: Int64? = nil
  ) {
    self.kind = kind
    self.values = values
    self.rows = rows
    self.atNs = atNs
  }

  public var invariant: Invariant { kind.invariant }

  public var sentence: String {
    var rest = values[...]
    return kind.rawValue.reduce(into: wallet.map { "Wallet \($0): " } ?? "") { sentence, character in
      if character == "%" { sentence += rest.popFirst() ?? "" } else { sentence.append(character) }
    }
  }

  func ofWallet(_ number: Int64) -> Finding {
    var finding = self
    finding.wallet = number
    return finding
  }
}

/// A row, line or file that shows a finding.
public enum EvidenceRow: Hashable, Sendable, CustomStringConvertible {
  /// A frame in the peer's ledger.
  case frame(Int64)
  /// A row of another table of the ledger, or the whole table.
  case ledger(_ table: String, _ id: Int64? = nil)
  /// The same of the wallet's database.
  case wallet(_ table: String, _ id: Int64? = nil)
  /// By its payment hash.
  case invoice([UInt8])
  /// A row of one of iosd's files.
  case phone(_ file: String, _ id: Int64)
  case journal(_ name: String, line: Int? = nil)
  case file(String)

  public var description: String {
    switch self {
    case .frame(let id): "ledger frames \(id)"
    case .ledger(let table, let id): "ledger \(table)" + (id.map { " \($0)" } ?? "")
    case .wallet(let table, let id): "node.sqlite \(table)" + (id.map { " \($0)" } ?? "")
    case .invoice(let hash): "node.sqlite invoices \(shortHex(hash))"
    case .phone(let file, let id): "os/\(file).jsonl \(id)"
    case .journal(let name, let line): "journal \(name)" + (line.map { " line \($0)" } ?? "")
    case .file(let name): name
    }
  }
}

/// Findings of one kind, shown together: a damaged table may give thousands.
public struct FindingGroup: Hashable, Sendable {
  public private(set) var findings: [Finding]

  /// In the order of each kind's first finding, without duplicates.
  public static func all(_ findings: [Finding]) -> [FindingGroup] {
    var groups: [FindingGroup] = []
    var places: [FindingKind: Int] = [:]
    for finding in findings.uniqued {
      if let place = places[finding.kind] {
        groups[place].findings.append(finding)
      } else {
        places[finding.kind] = groups.count
        groups.append(FindingGroup(findings: [finding]))
      }
    }
    return groups
  }
}

/// Also for the negative amounts of a damaged row.
func amountWords(_ msat: some BinaryInteger) -> String {
  (msat < 0 ? "-" : "") + AmountText.words(msat: UInt64(msat.magnitude))
}

/// The first bytes: enough to search for.
func shortHex(_ bytes: [UInt8]) -> String {
  bytes.count > 8 ? Hexadecimal.encode(bytes.prefix(6)) + "…" : Hexadecimal.encode(bytes)
}
