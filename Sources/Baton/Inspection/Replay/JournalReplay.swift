import DaemonRuntime
import Glibc
import Ground
import Guardrails
import LightningProvider
import PhonePolicy
import Wallet

/// Replays every core event of one journal and compares each record with the computed one, byte for byte.
package struct JournalReplay {
  package struct Outcome: Hashable, Report {
    package var records = 0
    /// Events per core, in the order in which the cores began.
    package var events: [CoreEvents] = []
    package var unknownCores: [String] = []
    package var lastLineTorn = false
    /// Records from `line` on cannot be compared: the file is not a journal, or records are missing or damaged. No
    /// decision is known to differ.
    package var evidenceMissing: Bool?
    /// The first line that differs or cannot be compared, and why.
    package var line: Int?
    package var sentence: String?
    package var recorded: String?
    package var computed: String?

    /// All records read so far are equal.
    package var isWhole: Bool { line == nil }
    package var differs: Bool { !isWhole && evidenceMissing == nil }

    package var trouble: String? {
      guard let line, let sentence else { return nil }
      return differs
        ? "line \(line) differs from its replay: \(sentence)"
        : "cannot be replayed from line \(line) on: \(sentence)"
    }
  }

  package struct CoreEvents: Hashable, Report {
    package var core: String
    package var count: Int
  }

  private var outcome = Outcome()
  private var cores: [(name: String, replay: any CoreReplay)] = []
  private var lastSequence: UInt64 = 0
  private let onStep: ((JournalLine) -> Void)?

  /// `onStep` is called with each event record before it is replayed.
  package static func run(_ path: String, onStep: ((JournalLine) -> Void)? = nil) throws -> Outcome {
    // Follow a link that the user names; the reader itself opens no links.
    let plain = realpath(path, nil).map { resolved in
      defer { free(resolved) }
      return String(cString: resolved)
    }
    return try run(JournalReader(path: plain ?? path), onStep: onStep)
  }

  /// Line by line: a journal may be longer than memory.
  package static func run(_ reader: JournalReader, onStep: ((JournalLine) -> Void)? = nil) throws -> Outcome {
    var replay = JournalReplay(onStep: onStep)
    while replay.outcome.isWhole, let line = try reader.next() {
      if let unreadable = reader.firstUnreadable, unreadable < line.number { break }
      replay.take(line)
    }
    if replay.outcome.isWhole, let line = reader.firstUnreadable {
      replay.misses(
        line,
        replay.outcome.records == 0
          ? "not a journal: its first line is not a record; name files of journal/"
          : "this line is not a record, so the rest cannot be compared")
    }
    replay.outcome.lastLineTorn = reader.tornLine != nil && replay.outcome.isWhole
    return replay.outcome
  }

  private init(onStep: ((JournalLine) -> Void)?) { self.onStep = onStep }

  private mutating func take(_ line: JournalLine) {
    outcome.records += 1
    if let lost = line.header.lostBefore {
      // The process itself reported the loss: neither a shell nor a core is at fault.
      let count = HumanText.count(Int(clamping: lost), "record")
      return misses(
        line.number, "\(count) could not be written before this one, so the rest cannot be compared")
    }
    if let sentence = gap(before: line) { return misses(line.number, sentence) }
    lastSequence = line.header.seq
    do {
      switch line.header.kind {
      case "core": try begin(line)
      case "event": try handle(line)
      default: break
      }
    } catch {
      differs(line, "cannot decode the record of core \(line.header.core ?? "?"): \(Self.words(error))")
    }
  }

  private mutating func differs(_ line: JournalLine, _ sentence: String, computed: String? = nil) {
    stop(line.number, sentence)
    (outcome.recorded, outcome.computed) = (line.text, computed)
  }

  private mutating func misses(_ line: Int, _ sentence: String) {
    stop(line, sentence)
    outcome.evidenceMissing = true
  }

  /// The sentence may quote a damaged record: keep it on one line.
  private mutating func stop(_ line: Int, _ sentence: String) {
    (outcome.line, outcome.sentence) = (line, sentence.onOneLine)
  }

  /// Cores have state: without one record all later ones would differ.
  private func gap(before line: JournalLine) -> String? {
    let (expected, overflowed) = lastSequence.addingReportingOverflow(1)
    guard overflowed || line.header.seq != expected else { return nil }
    return "record \(expected) is expected here, but this is record \(line.header.seq)"
  }

  private mutating func begin(_ line: JournalLine) throws {
    guard let (computed, core) = try CoreRegistry.begin(line) else {
      let name = line.header.core ?? "?"
      if !outcome.unknownCores.contains(name) { outcome.unknownCores.append(name) }
      return
    }
    let name = line.header.core ?? ""
    cores.removeAll { $0.name == name }
    cores.append((name, core))
    if !outcome.events.contains(where: { $0.core == name }) {
      outcome.events.append(CoreEvents(core: name, count: 0))
    }
    compare(line, computed, "this program writes the configuration differently")
  }

  private mutating func handle(_ line: JournalLine) throws {
    let name = line.header.core ?? "?"
    if outcome.unknownCores.contains(name) { return }
    guard let index = cores.firstIndex(where: { $0.name == name }) else {
      return stop(line.number, "core \(name) has an event before it began")
    }
    onStep?(line)
    let computed = try cores[index].replay.line(for: line)
    if let place = outcome.events.firstIndex(where: { $0.core == name }) { outcome.events[place].count += 1 }
    compare(line, computed, "core \(name) decides differently, or the record was changed")
  }

  private mutating func compare(_ line: JournalLine, _ computed: String, _ sentence: String) {
    guard Array(computed.utf8) != line.bytes else { return }
    differs(line, sentence, computed: computed)
  }

  private static func words(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "\(error)" }
    let (path, why) =
      switch error {
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
        .dataCorrupted(let context):
        (context.codingPath.map(\.stringValue).joined(separator: "."), context.debugDescription)
      @unknown default: ("", "\(error)")
      }
    return path.isEmpty ? why : "at \(path): \(why)"
  }
}

/// All cores whose records a journal may have.
enum CoreRegistry {
  private static var types: [any Core.Type] {
    [
      AppMachine.self, ExtensionMachine.self, TellingExtensionMachine.self, NodeMachine.self, Requests.self,
      BackgroundWork.self, IncomingPayments.self, Opening.self,
      PushDesk.self, PeerMachine.self, PhonePolicy.Phone.self,
    ]
  }

  static var names: [String] { types.map { $0.name } }

  /// Creates the core with its recorded configuration. Nil for a core unknown to this program.
  static func begin(_ record: JournalLine) throws -> (line: String, core: any CoreReplay)? {
    guard let type = types.first(where: { $0.name == record.header.coreKind }) else { return nil }
    return try begin(type, record)
  }

  private static func begin<C: Core>(_ type: C.Type, _ record: JournalLine) throws -> (String, any CoreReplay)
  {
    let decoded = try JSONLineDecoder().decode(JournalRecord<CoreBegin<C>>.self, from: record.value)
    return (try JSONLineEncoder().encode(decoded), RunningCore<C>(configuration: decoded.body.configuration))
  }
}

/// A core that is replayed from its journal.
protocol CoreReplay {
  /// Handles the record's event and returns the line that this program writes for it.
  mutating func line(for record: JournalLine) throws -> String
}

/// A core whose journal is being replayed.
struct RunningCore<C: Core>: CoreReplay {
  private var core: C

  init(configuration: C.Configuration) { core = C(configuration: configuration) }

  mutating func line(for record: JournalLine) throws -> String {
    var decoded = try JSONLineDecoder().decode(JournalRecord<CoreEvent<C>>.self, from: record.value)
    decoded.body.directives = core.handle(decoded.body.event, at: decoded.header.t)
    return try JSONLineEncoder().encode(decoded)
  }
}
