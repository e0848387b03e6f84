import Ground
import DaemonRuntime
import Guardrails
import Heartbeat
import PhonePolicy
import SharedContainer

/// What changed between two containers, such as a copy from before and one from after a fault.
struct ContainerDiff: Report {
  struct Journal: Report, Hashable {
    var name: String
    /// Missing where the file is not there.
    var beforeBytes: Int?
    var afterBytes: Int?
  }

  var before: String
  var after: String
  var same: Bool
  var facts: [FactDiff]
  var records: [RecordDiff]
  var journals: [Journal]

  init(_ before: ContainerPlace, _ after: ContainerPlace, rows: Int?) throws {
    let old = try before.report(rows: rows, isThorough: rows == nil)
    let new = try after.report(rows: rows, isThorough: rows == nil)
    (self.before, self.after) = (before.directory, after.directory)
    facts = FactDiff.all(old.lastingFacts, new.lastingFacts)
    records = zip(old.records, new.records).map { RecordDiff($0, $1) }.filter { !$0.isEmpty }
    journals = Self.journals(before, after)
    same = facts.isEmpty && records.isEmpty && journals.isEmpty
  }

  /// By size: a journal only grows. Only two homes have journals to compare.
  private static func journals(_ before: ContainerPlace, _ after: ContainerPlace) -> [Journal] {
    guard before.hasHome, after.hasHome else { return [] }
    func sizes(_ place: ContainerPlace) -> [String: Int] {
      let directory = place.phone.journal
      let names = FilePath.journals(in: directory)
      return Dictionary(names.map { ($0, FilePath.size(of: "\(directory)/\($0)")) }) { first, _ in first }
    }
    let (old, new) = (sizes(before), sizes(after))
    return Set(old.keys).union(new.keys).sorted().compactMap { name in
      old[name] == new[name] ? nil : Journal(name: name, beforeBytes: old[name], afterBytes: new[name])
    }
  }

  func tell(_ output: Output) {
    output.facts([("before", before), ("after", after)])
    if same { return output.say("nothing differs") }
    if !facts.isEmpty {
      output.say("")
      output.table(
        [["WHAT", "BEFORE", "AFTER"]] + facts.map { [$0.name, $0.before ?? "–", $0.after ?? "–"] })
    }
    for record in records {
      output.say(
        "\n\(output.paint(record.kind, .bold))\(record.whole ? "" : " (the last ones were compared; --all compares all)")"
      )
      for line in record.added { output.say("  \(output.paint("+", .green)) \(line.onOneLine)") }
      for line in record.removed { output.say("  \(output.paint("-", .red)) \(line.onOneLine)") }
      for row in record.changed {
        output.say("  \(output.paint("~", .yellow)) \(row.key): \(row.before) → \(row.after)")
      }
    }
    guard !journals.isEmpty else { return }
    output.say("\n\(output.paint("journals", .bold))")
    for journal in journals {
      switch (journal.beforeBytes, journal.afterBytes) {
      case (nil, let bytes): output.say("  \(output.paint("+", .green)) \(journal.name), \(bytes ?? 0) bytes")
      case (let bytes, nil): output.say("  \(output.paint("-", .red)) \(journal.name), \(bytes ?? 0) bytes")
      case (let old?, let new?):
        output.say("  \(output.paint("~", .yellow)) \(journal.name): \(old) → \(new) bytes")
      }
    }
  }
}

/// What a container keeps, without what only a running process shows: a copy of a container has no difference to it.
extension ContainerReport {
  var lastingFacts: [(String, String)] {
    var facts: [(String, String)] = [("schema", "\(snapshot.schemaVersion)")]
    if let id = snapshot.container { facts.append(("id", Self.hex(id))) }
    if let claim = snapshot.claims.last {
      facts += [
        ("holder", "\(claim.row.role.processName) \(claim.row.process.pid)"), ("epoch", "\(claim.row.epoch)"),
        ("claimed because", Self.reason(of: claim)),
      ]
    }
    for role in Role.allCases {
      guard let beat = snapshot.beat(of: role) else { continue }
      facts.append(
        ("last beat of \(role.processName)", "epoch \(beat.epoch), \(beat.phase.word), beat \(beat.counter)"))
    }
    facts.append(("writes", "\(snapshot.writes.count)"))
    for channel in wallet.channels {
      facts += [
        ("balance", HumanText.amount(msat: channel.localMsat)),
        ("can receive", HumanText.amount(msat: channel.remoteMsat)),
        ("channel revision", "\(channel.revision)"), ("pending HTLCs", "\(channel.htlcs)"),
      ]
    }
    // The wallet's known tables have rows below; a table that is another program's is counted.
    for table in snapshot.tables where !Self.ownTables.contains(table.name) {
      facts.append(
        ("rows of \(table.name)", "\(table.rowCount.isExact ? "" : "more than ")\(table.rowCount.number)"))
    }
    return facts
  }

  /// Without the phone's reason for the end of the last holder, which only the phone's own container is shown with.
  private static func reason(of claim: ClaimRecord) -> String {
    ClaimReason(rawValue: claim.reason)?.sentence ?? claim.reason
  }

  private static let ownTables: Set<String> = [
    "meta", "claims", "node_writes", "channels", "invoices", "received_payments", "outgoing_payments",
    "splices", WalletQueries.sending, WalletQueries.paidInvoices, "sqlite_sequence",
  ]

  static let received = "payments received"

  var records: [RecordSet] {
    let claims = snapshot.claims.map { claim in
      RecordSet.Row(
        key: "epoch \(claim.row.epoch)",
        words: "\(claim.row.role.processName) \(claim.row.process.pid), \(Self.reason(of: claim))")
    }
    let announced = announced.map { entry in
      let end = entry.record.holdEndsAt.map { " until \(Self.time($0))" } ?? ""
      let state = entry.record.isHeld ? "held\(end)" : "not held"
      return row(entry.record.paymentHash.hex, entry.record.amountMsat, state, Self.time(entry.arrivedAt))
    }
    return [
      RecordSet("claims", claims, isExact: !snapshot.hasOlderClaims),
      set(
        "invoices", "invoices",
        wallet.invoices.map {
          row($0.paymentHash, $0.amountMsat, $0.isPaid ? "paid" : $0.isCancelled ? "cancelled" : "open")
        }),
      set(
        Self.received, "received_payments",
        wallet.payments.map {
          row(
            $0.paymentHash, $0.amountMsat, WallClockText.write($0.receivedWallNs), "under epoch \($0.epoch)")
        }),
      set(
        "payments sent", "outgoing_payments",
        wallet.sent.map {
          row("\($0.id) \($0.paymentHash)", $0.amountMsat, $0.state, WallClockText.write($0.begunWallNs))
        }),
      set("on chain", "splices", wallet.splices.map { row($0.txid, $0.amountMsat, $0.state) }),
      RecordSet("announced, not received", announced),
    ]
  }

  private func set(_ kind: String, _ table: String, _ rows: [RecordSet.Row]) -> RecordSet {
    let count = wallet.count(of: table)
    return RecordSet(kind, rows, number: count.number, isExact: count.isExact)
  }

  private func row(_ key: String, _ msat: UInt64, _ words: String...) -> RecordSet.Row {
    .init(key: key, words: ([HumanText.amount(msat: msat)] + words).joined(separator: ", "))
  }

  /// A server may name any time.
  private static func time(_ wallSeconds: Int64) -> String {
    let (product, overflowed) = wallSeconds.multipliedReportingOverflow(by: 1_000_000_000)
    return WallClockText.write(overflowed ? (wallSeconds > 0 ? .max : .min) : product)
  }
}
