import Ground
import DaemonRuntime
import Guardrails
import Heartbeat
import PhonePolicy
import SharedContainer

/// What changed between two containers, such as a copy from before and one from after a fault.
struct ContainerDiff {
  struct Journal: Report, Hashable {
    var name: String
    /// Missing where the file is not there.
    var beforeBytes: Int?
    var afterBytes: Int?
  }

  struct Document: Report {
    var before: String
    var after: String
    var same: Bool
    var facts: [FactDiff]
    var records: [RecordDiff]
    var journals: [Journal]
  }

  let document: Document

  init(_ before: ContainerPlace, _ after: ContainerPlace, rows: Int?) throws {
    let old = try before.report(rows: rows, isThorough: rows == nil)
    let new = try after.report(rows: rows, isThorough: rows == nil)
    let facts = FactDiff.all(old.lastingFacts, new.lastingFacts)
    let records = zip(old.records, new.records).map { RecordDiff($0, $1) }.filter { !$0.isEmpty }
    let journals = Self.journals(before, after)
    document = Document(
      before: before.directory, after: after.directory,
      same: facts.isEmpty && records.isEmpty && journals.isEmpty, facts: facts, records: records,
      journals: journals)
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
    output.facts([("before", document.before), ("after", document.after)])
    if document.same { return output.say("nothing differs") }
    if !document.facts.isEmpty {
      output.say("")
      output.table(
        [["WHAT", "BEFORE", "AFTER"]] + document.facts.map { [$0.name, $0.before ?? "–", $0.after ?? "–"] })
    }
    for record in document.records {
      output.say(
        "\n\(output.paint(record.kind, .bold))\(record.whole ? "" : " (the last ones were compared; --all compares all)")"
      )
      for line in record.added { output.say("  \(output.paint("+", .green)) \(line.onOneLine)") }
      for line in record.removed { output.say("  \(output.paint("-", .red)) \(line.onOneLine)") }
      for row in record.changed {
        output.say("  \(output.paint("~", .yellow)) \(row.key): \(row.before) → \(row.after)")
      }
    }
    guard !document.journals.isEmpty else { return }
    output.say("\n\(output.paint("journals", .bold))")
    for journal in document.journals {
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

  var records: [RecordSet] {
    func isWhole(_ table: String, _ read: Int) -> Bool {
      let count = wallet.count(of: table)
      return count.isExact && count.number <= read
    }
    return [
      RecordSet(
        "claims",
        snapshot.claims.map { claim in
          .init(
            "epoch \(claim.row.epoch)",
            "\(claim.row.role.processName) \(claim.row.process.pid), \(Self.reason(of: claim))")
        }, isWhole: !snapshot.hasOlderClaims),
      RecordSet(
        "invoices",
        wallet.invoices.map { invoice in
          let state = invoice.isPaid ? "paid" : invoice.isCancelled ? "cancelled" : "open"
          return .init(invoice.paymentHash, "\(HumanText.amount(msat: invoice.amountMsat)), \(state)")
        }, isWhole: isWhole("invoices", wallet.invoices.count)),
      RecordSet(
        "payments received",
        wallet.payments.map { payment in
          .init(
            payment.paymentHash,
            "\(HumanText.amount(msat: payment.amountMsat)), under epoch \(payment.epoch)")
        }, isWhole: isWhole("received_payments", wallet.payments.count)),
      RecordSet(
        "payments sent",
        wallet.sent.map { payment in
          .init(
            "\(payment.id) \(payment.paymentHash)",
            "\(HumanText.amount(msat: payment.amountMsat)), \(payment.state)")
        }, isWhole: isWhole("outgoing_payments", wallet.sent.count)),
      RecordSet(
        "on chain",
        wallet.splices.map { splice in
          .init(splice.txid, "\(HumanText.amount(msat: splice.amountMsat)), \(splice.state)")
        }, isWhole: isWhole("splices", wallet.splices.count)),
      RecordSet(
        "announced",
        announced.map { entry in
          .init(
            entry.record.paymentHash.hex,
            "\(HumanText.amount(msat: entry.record.amountMsat)), \(entry.record.state.rawValue)")
        }),
    ]
  }
}
