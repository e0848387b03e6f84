import DaemonRuntime
import Ground
import Guardrails
import PhonePolicy
import Platform
import SharedContainer

/// The figures of `/metrics`. They read whole files and journals, so they are counted when asked for, and never by a
/// look. Used by one thread at a time.
package final class LiveTally: @unchecked Sendable {
  /// Records in memory at once.
  private static let batch = 1000
  private static let bounds: [TimeSpan] = [
    .milliseconds(50), .milliseconds(100), .milliseconds(250), .milliseconds(500), .seconds(1),
    .milliseconds(2500), .seconds(5), .seconds(10), .seconds(30),
  ]

  private let phone: Phone
  private let journals: JournalMerger
  private var waits = NodeWaits()
  private var ended: [NodeWaits.Wait] = []
  private var processes: GrowingRows<ProcessRow>
  private var ends: [UInt64: ProcessRow] = [:]

  package init(_ phone: Phone) {
    self.phone = phone
    journals = JournalMerger(directory: phone.journal)
    processes = GrowingRows(phone.processLedger)
  }

  package func metrics(_ view: LiveView) -> String {
    while true {
      let entries = journals.readNew(atMost: Self.batch)
      ended += entries.compactMap { waits.ended(by: $0) }
      if entries.isEmpty { break }
    }
    for row in processes.next() where row.hasEnded { ends[row.id] = row }
    var text = MetricText()
    addState(view, to: &text)
    addContainer(to: &text)
    addMemory(view, to: &text)
    addPushes(to: &text)
    addWaits(to: &text)
    addEnds(to: &text)
    return text.text
  }

  // MARK: From the look

  private func addState(_ view: LiveView, to text: inout MetricText) {
    text.add(
      "baton_up", .gauge, "Whether the daemon runs.",
      view.processes.filter { Daemon(rawValue: $0.name) != nil }.map {
        ([("daemon", $0.name)], $0.state == "running" ? "1" : "0")
      })
    text.add("baton_epoch", .gauge, "The highest epoch that was claimed.", view.holder.epoch)
    text.add(
      "baton_node_held", .gauge, "Whether a process of the role holds the node.",
      Role.allCases.map {
        ([("role", $0.rawValue)], view.holder.isHeld && view.holder.role == $0.rawValue ? "1" : "0")
      })
    let age = view.holder.beatWallNs.map { TimeSpan(nanoseconds: max(0, view.wallNs - $0)) }
    text.add(
      "baton_beat_age_seconds", .gauge, "The time since the last beat of the highest epoch.",
      age.map { [([], MetricText.seconds($0))] } ?? [])
    text.add(
      "baton_wallet_connected", .gauge, "Whether the peer has a connection of the wallet.",
      view.lspd?.walletConnected == true ? 1 : 0)
    text.add(
      "baton_payments_held", .gauge, "Payments that the peer holds for the wallet.", view.lspd?.held ?? 0)
    text.add("baton_balance_msat", .gauge, "The wallet's balance in its channel.", view.balanceMsat)
  }

  private func addMemory(_ view: LiveView, to text: inout MetricText) {
    text.add(
      "baton_process_footprint_bytes", .gauge, "Anonymous memory and swap of a running process.",
      view.processes.compactMap { row in row.footprintBytes.map { ([("process", row.name)], "\($0)") } })
    text.add(
      "baton_process_resident_bytes", .gauge, "Resident memory of a running process.",
      view.processes.compactMap { row in row.residentBytes.map { ([("process", row.name)], "\($0)") } })
  }

  // MARK: From the container

  /// SQLite counts a million payments in some ten milliseconds.
  private static let counted: [(metric: String, help: String, table: String, sql: String)] = [
    (
      "baton_claims_total", "Claims of the node, by the claimant's role and reason.", "claims",
      "SELECT role, reason, count(*) AS count FROM claims GROUP BY role, reason ORDER BY role, reason"
    ),
    (
      "baton_takeovers_total", "Claims of the node after a claim of the other role.", "claims",
      """
      SELECT claim.role AS role, count(*) AS count FROM claims AS claim
      JOIN claims AS before ON before.epoch = claim.seen_epoch
      WHERE before.role <> claim.role GROUP BY claim.role ORDER BY claim.role
      """
    ),
    (
      "baton_payments_received_total", "Payments that the wallet has received.", "received_payments",
      "SELECT count(*) AS count FROM received_payments"
    ),
  ]

  private func addContainer(to text: inout MetricText) {
    let queries = Self.counted.map { SnapshotQuery(name: $0.metric, tables: [$0.table], sql: $0.sql) }
    let depth = SnapshotDepth(rowsPerTableMax: 1)
    guard let tables = try? Snapshot.take(of: phone.container, depth: depth, queries: queries).tables else {
      return
    }
    for row in Self.counted {
      text.add(row.metric, .counter, row.help, Self.samples(row.metric, of: tables))
    }
  }

  /// The last column is the value, the others are labels.
  private static func samples(
    _ name: String, of tables: [TableContents]
  ) -> [(labels: [(String, String)], value: String)] {
    guard let table = tables.first(where: { $0.name == name }) else { return [] }
    return table.rows.map { row in
      let cells = row.values.map(words)
      return (Array(zip(table.columns, cells).dropLast()), cells.last ?? "0")
    }
  }

  private static func words(_ value: SQLValue) -> String {
    switch value {
    case .integer(let number): "\(number)"
    case .text(let text): text
    case .null, .real, .blob: "?"
    }
  }

  // MARK: From rows and journals

  private func addPushes(to text: inout MetricText) {
    let figures = PushFigures(of: phone)
    let counts: [(metric: String, help: String, count: Int?)] = [
      ("pushes", "Pushes that came to the phone.", figures.pushes.count),
      ("silent_pushes", "Silent pushes that came to the phone.", figures.silent.arrived),
      (
        "silent_pushes_handed_over", "Silent pushes that were handed to the app.",
        figures.silent.handlerStarts
      ),
      (
        "silent_pushes_received", "Silent pushes with which the app received a payment.",
        figures.silent.received
      ),
      ("background_tasks_begun", "Background tasks that were begun.", figures.tasks.begun),
      ("background_tasks_completed", "Background tasks that were completed.", figures.tasks.completed),
      ("payments_announced", "Payments that a push has announced.", figures.success?.announced),
      (
        "payments_received_in_time", "Payments that were received within 15 s of a push that announced them.",
        figures.success?.receivedInTime
      ),
    ]
    for row in counts { text.add("baton_\(row.metric)_total", .counter, row.help, row.count) }
    let peaks = [("app", figures.memory.appBytes), ("extension", figures.memory.extensionBytes)]
    text.add(
      "baton_peak_footprint_bytes", .gauge, "The highest footprint of the role's processes that have ended.",
      peaks.compactMap { role, bytes in bytes.map { ([("role", role)], "\($0)") } })
  }

  private func addWaits(to text: inout MetricText) {
    func spans(_ isMeant: (NodeWaits.Wait.Kind) -> Bool) -> [TimeSpan] {
      ended.filter { isMeant($0.kind) }.map(\.took)
    }
    text.add(
      histogram: "baton_app_wait_seconds",
      "How long the open app waited until it was connected: since the extension's release, since its death, or since the opening.",
      label: "since",
      [
        ("release", spans { $0 == .release }), ("death", spans { $0 == .death }),
        ("opening", spans { if case .opening = $0 { true } else { false } }),
      ], bounds: Self.bounds)
  }

  private func addEnds(to text: inout MetricText) {
    let counts = Dictionary(grouping: ends.values) {
      [$0.processName, $0.hasCrashed == true ? "crashed" : $0.how ?? "unknown"]
    }
    text.add(
      "baton_processes_ended_total", .counter, "Processes of the wallet that have ended.",
      counts.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { kind, rows in
        ([("process", kind[0]), ("how", kind[1])], "\(rows.count)")
      })
  }
}

/// Writes Prometheus' text format, version 0.0.4.
package struct MetricText {
  package enum Kind: String { case gauge, counter, histogram }

  package private(set) var text = ""

  /// One metric with its samples; without a sample it is left out.
  package mutating func add(
    _ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: [(String, String)], value: String)]
  ) {
    guard !samples.isEmpty else { return }
    begin(name, kind, help)
    for sample in samples { line(name, sample.labels, sample.value) }
  }

  package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: (some BinaryInteger)?) {
    add(name, kind, help, value.map { [([], "\($0)")] } ?? [])
  }

  /// Spans as a histogram in seconds, one for each value of a label.
  package mutating func add(
    histogram name: String, _ help: String, label: String, _ spans: [(value: String, spans: [TimeSpan])],
    bounds: [TimeSpan]
  ) {
    guard spans.contains(where: { !$0.spans.isEmpty }) else { return }
    begin(name, .histogram, help)
    for (value, spans) in spans where !spans.isEmpty {
      for bound in bounds {
        line(
          "\(name)_bucket", [(label, value), ("le", Self.seconds(bound))], "\(spans.count { $0 <= bound })")
      }
      line("\(name)_bucket", [(label, value), ("le", "+Inf")], "\(spans.count)")
      let sum = spans.reduce(TimeSpan.zero) { $0 + $1 }
      line("\(name)_sum", [(label, value)], Self.seconds(sum))
      line("\(name)_count", [(label, value)], "\(spans.count)")
    }
  }

  /// Decimal, to the microsecond: `0.25`, `2.5`, `10`.
  package static func seconds(_ span: TimeSpan) -> String {
    let micros = span.nanoseconds.magnitude / 1000
    var text =
      "\(span < .zero ? "-" : "")\(micros / 1_000_000).\(String(1_000_000 + micros % 1_000_000).dropFirst())"
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }

  private mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  private mutating func line(_ name: String, _ labels: [(String, String)], _ value: String) {
    let inside = labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
    text += "\(name)\(inside.isEmpty ? "" : "{\(inside)}") \(value)\n"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
