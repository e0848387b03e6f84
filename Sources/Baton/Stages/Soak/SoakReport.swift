import DaemonRuntime
import PhonePolicy

/// The processes' resources before and after the rounds, and the leaks.
struct SoakReport {
  /// One process that lived through all the rounds between two samples.
  struct Subject {
    var name: String
    var rounds: Int
    var before: SoakFigures
    var after: SoakFigures
    /// Bytes that it may keep per round: of its heap, or of its memory if it does not report the heap.
    var allowedBytes: Double
  }

  /// Fluctuation of the heap: a table that has just grown, a fuller cache.
  static let heapSlackBytes: Double = 16 * 1024
  /// A connection's cache is full at 256 KiB.
  static let databaseSlackBytes: UInt64 = 320 * 1024
  /// The kernel counts pages, and the allocator returns them at any time.
  static let memorySlackBytes: Double = 512 * 1024

  var subjects: [Subject] = []
  /// Growth of the files in bytes per counted round.
  var filesPerRound: [(name: String, bytes: Int64)] = []

  /// The leaks as sentences; empty if all is well.
  var problems: [String] { subjects.flatMap(problems) }

  private func problems(_ subject: Subject) -> [String] {
    let before = subject.before
    let after = subject.after
    var sentences: [String] = []
    if after.descriptors != before.descriptors {
      sentences.append(
        "\(subject.name) had \(before.descriptors) descriptors open and now has \(after.descriptors)")
    }
    if after.zombies > 0 { sentences.append("\(subject.name) has \(after.zombies) zombie children") }
    if after.threads != before.threads {
      sentences.append("\(subject.name) had \(before.threads) threads and now has \(after.threads)")
    }
    if let had = before.timers, let has = after.timers, has > had {
      sentences.append("\(subject.name) had \(had) timers and now has \(has)")
    }
    if let had = before.databaseBytes, let has = after.databaseBytes, has > had + Self.databaseSlackBytes {
      sentences.append("\(subject.name) had \(had) bytes in SQLite and now has \(has)")
    }
    guard let growth = Self.growth(subject) else { return sentences }
    let allowed = subject.allowedBytes * Double(subject.rounds) + growth.slack
    if growth.bytes > allowed {
      sentences.append(
        "\(subject.name) grew by \(Self.perRound(growth.bytes, subject)) bytes of \(growth.what) per round; \(Self.perRound(allowed, subject)) are allowed"
      )
    }
    return sentences
  }

  /// Nil under a sanitizer: its heap reports 0, and its memory is not comparable.
  private static func growth(_ subject: Subject) -> (bytes: Double, slack: Double, what: String)? {
    if let before = subject.before.heapBytes, let after = subject.after.heapBytes {
      if before == 0 { return nil }
      return (Double(after) - Double(before), heapSlackBytes, "heap")
    }
    return (
      Double(subject.after.anonymousBytes) - Double(subject.before.anonymousBytes), memorySlackBytes, "memory"
    )
  }

  private static func perRound(_ bytes: Double, _ subject: Subject) -> Int {
    Int((bytes / Double(max(1, subject.rounds))).rounded())
  }

  // MARK: Output

  var table: [[String]] {
    [["PROCESS", "WHAT", "BEFORE", "AFTER", "GROWTH", "A ROUND"]] + subjects.flatMap(rows)
  }

  private func rows(_ subject: Subject) -> [[String]] {
    let before = subject.before
    let after = subject.after
    var rows = [
      row(subject, "descriptors", before.descriptors, after.descriptors),
      row(subject, "zombies", before.zombies, after.zombies),
      row(subject, "threads", before.threads, after.threads),
    ]
    if let had = before.timers, let has = after.timers { rows.append(row(subject, "timers", had, has)) }
    if let had = before.heapBytes, let has = after.heapBytes {
      rows.append(row(subject, "heap in use, bytes", Int(clamping: had), Int(clamping: has), isSize: true))
    }
    if let had = before.databaseBytes, let has = after.databaseBytes {
      rows.append(
        row(subject, "SQLite's caches, bytes", Int(clamping: had), Int(clamping: has), isSize: true))
    }
    rows.append(
      row(
        subject, "anonymous memory, bytes", Int(clamping: before.anonymousBytes),
        Int(clamping: after.anonymousBytes), isSize: true))
    return rows
  }

  private func row(
    _ subject: Subject, _ what: String, _ before: Int, _ after: Int, isSize: Bool = false
  ) -> [String] {
    [
      subject.name, what, "\(before)", "\(after)", "\(after - before)",
      isSize ? "\(Self.perRound(Double(after - before), subject))" : "",
    ]
  }

  struct Document: Report {
    var processes: [SubjectDocument]
    var fileBytesPerRound: [FileGrowth]
    var complaints: [String]
    var settled: Int
    var tookMs: Int64
    var slowestPaymentMs: Int64
    var judgePassed: Bool
    var sound: Bool
  }

  struct SubjectDocument: Report {
    var process: String
    var rounds: Int
    var allowedBytesPerRound: Int
    var before: SoakFigures
    var after: SoakFigures

    init(_ subject: Subject) {
      process = subject.name
      rounds = subject.rounds
      allowedBytesPerRound = Int(subject.allowedBytes)
      before = subject.before
      after = subject.after
    }
  }

  struct FileGrowth: Report {
    var name: String
    var bytes: Int64
  }
}
