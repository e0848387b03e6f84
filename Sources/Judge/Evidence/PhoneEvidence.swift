import Ground
import Platform

/// The rows that iosd wrote.
struct PhoneEvidence {
  struct Push {
    let id: Int64
    let isVisible: Bool
    /// A push without an alert: it starts no extension and has no notification.
    let isBadgeOrSound: Bool
    let atNs: Int64
    /// Its outcome, by the codes of docs/protocols.md.
    let fate: String?
    let detail: String?

    /// The app in front got it, the user or the extension wants no notification, the phone went off before it showed
    /// one, or a newer push came while it was off the network.
    var isUnwanted: Bool {
      switch fate {
      case "given-to-app", "not-shown", "filtered", "replaced": true
      case "dropped": detail == "reboot" || detail == "going-down"
      default: false
      }
    }
  }

  struct Notification {
    let id: Int64
    let push: Int64?
    let atNs: Int64?
  }

  /// A notification with a key came into the list, or left it.
  struct Change {
    let id: Int64
    let key: String
    let isGone: Bool
  }

  struct Process {
    let id: Int64
    let role: String
    let pid: Int64
    let startTime: Int64?
    let how: String?
    let number: Int64?
    let reason: String?
    /// How it ended, by the codes of docs/protocols.md.
    let endCode: String?
    let isCrash: Bool
    let peakFootprintBytes: Int64?
    let startedNs: Int64?
    let endedNs: Int64?

    func wrote(_ journal: JournalFile) -> Bool {
      pid == journal.pid && startTime ?? journal.startTime == journal.startTime
    }

    /// A process that exited with an error may have given its reason: that is no crash.
    var endedWithError: Bool { how == "exited" && number != 0 }
  }

  let pushes: [Push]
  let notifications: [Notification]
  /// In the order of the rows.
  let changes: [Change]
  /// The last row of each process, sorted by start.
  let processes: [Process]
  /// The problems of missing or invalid files, by name.
  private(set) var problems: [String: EvidenceFile.Problem] = [:]
  /// Lines that iosd cannot have written: neither rows nor rows truncated by a kill.
  private(set) var foreignLines: [(name: String, count: Int, first: Int)] = []
  /// The numbers of the rows of each file, rising.
  let numbers: [(name: String, of: [Int64])]

  private static let names = ["pushes.jsonl", "notifications.jsonl", "processes.jsonl"]

  init(directory: String, _ boots: Boots) {
    var problems: [String: EvidenceFile.Problem] = [:]
    var foreignLines: [(name: String, count: Int, first: Int)] = []
    let rows = Self.names.map { name -> [JSONValue] in
      do throws(EvidenceFile.Problem) {
        let (found, foreign) = try Self.rows(of: "\(directory)/\(name)")
        if let first = foreign.first { foreignLines.append((name, foreign.count, first)) }
        return found
      } catch {
        problems[name] = error
        return []
      }
    }
    self.init(rows, boots)
    self.problems = problems
    self.foreignLines = foreignLines
  }

  init(pushes: [UInt8], notifications: [UInt8], processes: [UInt8]) {
    let files = [pushes, notifications, processes]
    self.init(files.map { $0.split(separator: 10).compactMap { JSONValue(parsing: Array($0)) } }, Boots())
  }

  /// Of the three files.
  private init(_ rows: [[JSONValue]], _ boots: Boots) {
    numbers = zip(Self.names, rows).map { ($0, Set($1.compactMap { $0["id"]?.integer }).sorted()) }
    pushes = Self.pushes(rows[0], boots)
    notifications = Self.notifications(rows[1], boots)
    changes = rows[1].compactMap { row in
      guard let id = row["id"]?.integer, let key = row["key"]?.text else { return nil }
      return Change(id: id, key: key, isGone: row["withdrawn"]?.isTrue == true || row["answer"] != nil)
    }
    var newest: [Int64: Process] = [:]
    for row in rows[2] {
      guard let id = row["id"]?.integer, let role = row["role"]?.text, let pid = row["pid"]?.integer else {
        continue
      }
      newest[id] = Process(
        id: id, role: role, pid: pid, startTime: row["start_time"]?.integer, how: row["how"]?.text,
        number: row["number"]?.integer, reason: row["reason"]?.text, endCode: row["end_code"]?.text,
        isCrash: row["crashed"]?.isTrue ?? false, peakFootprintBytes: row["peak_footprint_bytes"]?.integer,
        startedNs: row.time("started_at_ns", boots), endedNs: row.time("ended_at_ns", boots))
    }
    processes = newest.keys.sorted().compactMap { newest[$0] }
  }

  private static func pushes(_ rows: [JSONValue], _ boots: Boots) -> [Push] {
    var taken: [Push] = []
    var places: [Int64: Int] = [:]
    for row in rows {
      guard let id = row["id"]?.integer, let visible = row["visible"], let at = row.time("at_ns", boots)
      else { continue }
      let push = Push(
        id: id, isVisible: visible.isTrue, isBadgeOrSound: row["badge_or_sound"]?.isTrue ?? false, atNs: at,
        fate: row["fate_code"]?.text, detail: row["fate_detail"]?.text)
      // A row with a fate replaces the first row of the same push.
      if row["fate"] != nil, let place = places[id] {
        taken[place] = push
      } else {
        places[id] = taken.count
        taken.append(push)
      }
    }
    return taken
  }

  private static func notifications(_ rows: [JSONValue], _ boots: Boots) -> [Notification] {
    var shown: [Notification?] = []
    var places: [Int64: [Int]] = [:]
    for row in rows {
      guard let id = row["id"]?.integer else { continue }
      if row["withdrawn"]?.isTrue == true {
        // It is not displayed any more.
        for place in places[id] ?? [] where shown[place]?.push == nil { shown[place] = nil }
        places[id]?.removeAll { shown[$0] == nil }
      } else if row["answer"] == nil || places[id]?.isEmpty != false {
        // An answer is the user's action on a notification that is already counted.
        places[id, default: []].append(shown.count)
        shown.append(Notification(id: id, push: row["push"]?.integer, atNs: row.time("at_ns", boots)))
      }
    }
    return shown.compactMap { $0 }
  }

  // MARK: Lines

  /// Skips rows truncated by a kill. A file without any row is unreadable.
  private static func rows(of path: String) throws(EvidenceFile.Problem) -> ([JSONValue], foreign: [Int]) {
    let file = try EvidenceFile(path)
    var rows: [JSONValue] = []
    var foreign: [Int] = []
    var number = 0
    _ = try file.readLines { line in
      number += 1
      if let row = JSONValue(parsing: Array(line)) {
        rows.append(row)
      } else if let first = line.first, first != UInt8(ascii: "{") {
        foreign.append(number)
      }
      return true
    }
    if rows.isEmpty, file.size > 0 { throw .unreadable("none of its lines is a row") }
    return (rows, foreign)
  }
}

extension JSONValue {
  /// Of the boot that the row names.
  fileprivate func time(_ name: String, _ boots: Boots) -> Int64? {
    self[name]?.integer.map { $0 &+ boots.beginNs(of: self["boot"]?.text) }
  }
}

/// The monotonic clock begins again with each boot of the machine. The judge's clock has one boot after the other, in
/// the order of lspd's starts and of the epochs: on it later is later. Of one boot it is the monotonic clock itself.
struct Boots {
  /// As in the ledger, whose times have the number of the boot in their upper bits.
  private static let lengthNs: Int64 = 1 << 55
  private var begins: [Substring: Int64] = [:]

  /// The boots of lspd's starts and of the claims, in their order.
  init(runs: [String] = [], claims: [String] = []) {
    for (number, boot) in runs.uniqued.enumerated() {
      begins[Self.machine(boot)] = Int64(number) &* Self.lengthNs
    }
    insert(claims)
  }

  /// Those without a start of lspd lie behind the one before: up to seven, of up to 52 days each.
  mutating func insert(_ boots: [String]) {
    let step = begins.isEmpty ? Self.lengthNs : Self.lengthNs / 8
    var last = -Self.lengthNs
    for boot in boots {
      last = begins[Self.machine(boot)] ?? last &+ step
      begins[Self.machine(boot)] = last
    }
  }

  /// Of a boot's id, the first half is that of the machine's boot; the second is the phone's own.
  private static func machine(_ boot: String) -> Substring { boot.prefix(16) }

  /// Where its clock begins.
  func beginNs(of boot: String?) -> Int64 { boot.flatMap { begins[Self.machine($0)] } ?? 0 }

  /// Whether a time of the ledger is of that boot; nil is any.
  func have(_ stampNs: Int64, in boot: String?) -> Bool {
    guard let boot else { return true }
    return beginNs(of: boot) == stampNs / Self.lengthNs * Self.lengthNs
  }

  /// The boot of the machine on which the judge runs.
  var nowBeginNs: Int64 {
    let boot = Hexadecimal.encode(word: Kernel.boot.high)
    return begins[Self.machine(boot)] ?? begins.values.max() ?? 0
  }
}

// Missing rows of the phone's files, and missing ends of iosd's journals. iosd numbers the rows of each file from 1
// on, over restarts, and deletes none; rows that a full disk refused it writes before the next row. Each row is in
// the journal of the iosd that wrote it.
extension PhoneEvidence {
  /// Missing rows, one sentence for each file.
  var missingRows: [String] {
    numbers.compactMap { name, numbers in
      guard let last = numbers.last, last > Int64(numbers.count) else { return nil }
      let first = numbers.enumerated().first { $1 > Int64($0) + 1 }?.element ?? last
      let missing = last - Int64(numbers.count)
      return "os/\(name) lacks \(countWords(missing, "row")), the first before row \(first)"
    }
  }

  /// The first push in a journal of iosd without a row: delivered to a process, or with a fate. Journals with a full
  /// disk are skipped.
  func firstPushWithoutRow(_ journals: [JournalFile]) -> (push: Int64, journal: JournalFile)? {
    let known = Set(pushes.map(\.id))
    for journal in journals where !journal.hasGaps {
      let named = journal.events(of: "phone").lazy.flatMap(\.directives).compactMap {
        ($0["tell"] ?? $0["recordFate"])?["push"]?.integer
      }
      if let push = named.first(where: { !known.contains($0) }) { return (push, journal) }
    }
    return nil
  }

  /// The pushes that a journal of iosd shows, and that no notification has.
  func shownWithoutRow(_ journals: [JournalFile]) -> [(push: Int64, journal: JournalFile)] {
    let known = Set(notifications.compactMap(\.push))
    return journals.filter { !$0.hasGaps }.flatMap { journal in
      journal.carriedOut.compactMap { $0["show"]?["push"]?.integer }.filter { !known.contains($0) }.map {
        ($0, journal)
      }
    }
  }

  /// The first role of which iosd's journals end more processes than the rows.
  func roleWithoutEnd(_ journals: [JournalFile]) -> String? {
    guard journals.allSatisfy({ !$0.hasGaps }) else { return nil }
    let ends = journals.flatMap(\.carriedOut).compactMap { $0["recordEnd"]?["_0"]?.text }
    return ["app", "extension"].first { role in
      ends.count { $0 == role } > processes.count { $0.role == role && $0.endedNs != nil }
    }
  }

  /// For each journal that ends before rows of its time, the first such row. `journals` is sorted by start.
  func rowsBehindJournals(
    _ journals: [JournalFile], isCertain: (Int64) -> Bool
  ) -> [(row: String, journal: JournalFile)] {
    var found: [(row: String, journal: JournalFile)] = []
    var named: Set<String> = []
    let starts = journals.map(\.startedNs)
    for (row, atNs, isLineFirst) in stampedRows where isCertain(atNs) {
      let place = starts.countOfThose(upTo: atNs)
      guard place > 0 else { continue }
      let journal = journals[place - 1]
      let last =
        isLineFirst ? journal.lastNs : journal.lastNs.addingReportingOverflow(stepSlackNs).partialValue
      guard atNs > last, !journal.hasGaps, named.insert(journal.name).inserted else { continue }
      found.append((row, journal))
    }
    return found
  }

  /// Each row with its time, and whether the journal's line is later. A push's row is written before the journal's
  /// line: for a lost push, and for the last one, iosd may have been killed in between.
  private var stampedRows: [(row: String, atNs: Int64, isLineFirst: Bool)] {
    let last = pushes.last?.id
    var rows: [(row: String, atNs: Int64, isLineFirst: Bool)] = pushes.filter { push in
      push.fate != "lost" && !(push.id == last && push.fate == nil)
    }.map { ("push \($0.id)", $0.atNs, false) }
    for notification in notifications {
      if let atNs = notification.atNs { rows.append(("notification \(notification.id)", atNs, false)) }
    }
    for process in processes {
      let name = "\(process.role) process \(process.pid)"
      if let atNs = process.startedNs { rows.append(("the start of \(name)", atNs, false)) }
      if let atNs = process.endedNs, process.how != nil { rows.append(("the end of \(name)", atNs, true)) }
    }
    return rows
  }
}

extension JournalFile {
  /// The directives of iosd whose rows are written: a killed iosd may not have written the row of its last line.
  fileprivate var carriedOut: [JSONValue] {
    events(of: "phone").filter { hasEnded || $0.atNs < lastNs }.flatMap(\.directives)
  }
}
