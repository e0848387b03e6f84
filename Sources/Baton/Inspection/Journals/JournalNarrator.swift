import DaemonRuntime
import Ground
import Guardrails
import LightningProvider
import PhonePolicy
import Simulation
import Wallet

/// Turns a record into sentences. For records that only a developer needs there is their JSON.
package struct JournalNarrator {
  package struct Sentence: Hashable, Sendable, ExpressibleByStringInterpolation {
    package enum Weight: Hashable, Sendable {
      /// The record's JSON, where there is no sentence; shown with `--verbose` only.
      case json
      /// Shown with `--verbose`, and near one moment.
      case detail
      case normal
      /// Also printed while a story plays.
      case key
    }

    package var text: String
    package var weight: Weight

    /// Shown without `--verbose`.
    package var matters: Bool { weight != .detail && weight != .json }

    package init(_ text: String, _ weight: Weight = .normal) {
      self.text = text.onOneLine
      self.weight = weight
    }

    package init(stringLiteral text: String) { self.init(text) }

    package static func key(_ text: String) -> Sentence { Sentence(text, .key) }
    package static func detail(_ text: String) -> Sentence { Sentence(text, .detail) }

    static func start(of pid: Int32) -> Sentence { Sentence("started as process \(pid)") }
    static func end(_ reason: String) -> Sentence { Sentence("ended: \(reason)") }
  }

  /// The reason of each process's pending claim, printed with its outcome.
  private var claimReasons: [String: String] = [:]

  package mutating func sentences(for entry: JournalMerger.Entry) -> [Sentence] {
    sentences(for: entry, CoreRecord(entry))
  }

  mutating func sentences(for entry: JournalMerger.Entry, _ record: CoreRecord?) -> [Sentence] {
    let header = entry.line.header
    var sentences: [Sentence] = []
    if let lost = header.lostBefore {
      sentences.append(
        "\(HumanText.count(Int(clamping: lost), "record")) could not be written before this one")
    }
    switch header.kind {
    case "start": sentences.append(.start(of: entry.pid))
    case "end": sentences.append(.end(header.reason ?? "no reason given"))
    case "note": sentences.append(Sentence(header.text ?? ""))
    case "core": sentences.append(.detail("begins core \(header.core ?? "?")"))
    case "event":
      let wallet = WalletProfile.all.first { $0.extension.guardName == header.core } ?? .phoenix
      let found = record.map { self.sentences(of: $0, by: "\(entry.pid)", in: wallet) } ?? []
      sentences += found.isEmpty ? [Self.raw(entry)] : found
    default: sentences.append(.detail(entry.line.text))
    }
    return sentences
  }

  /// `writer` names the process among all that this narrator tells of.
  mutating func sentences(of record: CoreRecord, by writer: String, in wallet: WalletProfile) -> [Sentence] {
    switch record {
    case .wallet(let role, .guardrail(let event, let directives)):
      var reason: String?
      if case .claimed = event { reason = claimReasons.removeValue(forKey: writer) }
      for case .container(.claim(_, let reason)) in directives { claimReasons[writer] = reason.sentence }
      return [GuardSentences.of(event, by: role, reason)].compactMap { $0 }
        + directives.compactMap { GuardSentences.of($0, in: wallet) }
    case .wallet(_, .node(let event, let directives)):
      return [NodeSentences.of(event)].compactMap { $0 } + directives.compactMap(NodeSentences.of)
    case .wallet(_, .requests(let event, let directives)):
      return [WalletSentences.of(event)].compactMap { $0 } + directives.compactMap(WalletSentences.of)
    case .wallet(_, .background(let event, _)): return [WalletSentences.of(event)].compactMap { $0 }
    case .wallet(_, .incoming(let event, let directives)):
      return [WalletSentences.of(event)].compactMap { $0 } + directives.compactMap(WalletSentences.of)
    case .wallet(_, .opening(_, let directives)): return directives.compactMap(WalletSentences.of)
    case .peer(let event, let directives):
      return [PeerSentences.of(event)].compactMap { $0 } + directives.flatMap(PeerSentences.of)
    case .phone(let event, let directives):
      return [PhoneSentences.of(event)].compactMap { $0 } + directives.compactMap(PhoneSentences.of)
    }
  }

  /// The record's JSON from its core on: time and process are printed in front of it.
  private static func raw(_ entry: JournalMerger.Entry) -> Sentence {
    let text = entry.line.text
    let start = text.firstRange(of: "\"core\":").map { text[$0.lowerBound...] } ?? text[...]
    let short = start.prefix(240)
    return Sentence(short.count < start.count ? "\(short)…" : String(short), .json)
  }
}

extension CoreRecord {
  /// Nil for another record than an event, for a core that has no sentences, and for what its types do not have.
  init?(_ entry: JournalMerger.Entry) {
    let line = entry.line
    guard line.header.kind == "event" else { return nil }
    let role: Role = entry.process == Role.app.processName ? .app : .extension
    func read<Event, Directive>(_ made: (Event, [Directive]) -> CoreRecord) -> CoreRecord?
    where Event: Decodable, Directive: Decodable {
      EventBody(line).map { made($0.event, $0.directives) }
    }
    let record: CoreRecord? =
      switch line.header.coreKind {
      case AppMachine.name: read { .wallet(.app, .guardrail($0, $1)) }
      case ExtensionMachine.name, TellingExtensionMachine.name:
        read { .wallet(.extension, .guardrail($0, $1)) }
      case NodeMachine.name: read { .wallet(role, .node($0, $1)) }
      case Requests.name: read { .wallet(role, .requests($0, $1)) }
      case BackgroundWork.name: read { .wallet(role, .background($0, $1)) }
      case IncomingPayments.name: read { .wallet(role, .incoming($0, $1)) }
      case Opening.name: read { .wallet(role, .opening($0, $1)) }
      case PeerMachine.name: read { .peer($0, $1) }
      case PhonePolicy.Phone.name: read { .phone($0, $1) }
      default: nil
      }
    guard let record else { return nil }
    self = record
  }
}

/// The two members of an event record that belong to its core.
package struct EventBody<Event: Decodable, Directive: Decodable>: Decodable {
  package var event: Event
  package var directives: [Directive]

  package init?(_ line: JournalLine) {
    guard let body = try? JSONLineDecoder().decode(Self.self, from: line.value) else { return nil }
    self = body
  }
}

/// Sentences for user requests and background work. Events that `NodeSentences` or `GuardSentences` covers have none
/// here.
package enum WalletSentences {
  package typealias Sentence = JournalNarrator.Sentence

  package static func of(_ event: RequestEvent) -> Sentence? {
    switch event {
    case .asked(_, let request): "is asked \(request.words)"
    case .invoiceNotMade(_, let why): .detail("cannot make the invoice: \(why)")
    case .pastNotRead(_, let why): .detail("cannot read earlier payments of the invoice: \(why)")
    case .deadlineReached, .invoiceMade, .pastRead, .shown, .placeTaken, .node: nil
    }
  }

  package static func of(_ directive: RequestDirective) -> Sentence? {
    switch directive {
    case .answer(_, .refused(let kind, let why)): "refuses \(kind.words): \(why)"
    case .answer(_, .unknown(let kind, let why)): "does not know the outcome of \(kind.words): \(why)"
    case .answer(_, .connected(let epoch, let hasMoved)):
      Sentence(
        hasMoved
          ? "moved the wallet into this container, epoch \(epoch)"
          : "moves nothing: the wallet is already in this container, and connected")
    case .answer, .beginTask, .endTask, .moveHere, .makeInvoice, .readPast, .node: nil
    }
  }

  package static func of(_ event: BackgroundEvent) -> Sentence? {
    switch event {
    case .runBegan(let task, _): "begins the scheduled task \(task.identifier)"
    case .runExpires: "is told that its scheduled task expires"
    case .stepDone(_, .busy(let why)): .detail("delays its scheduled task: \(why)")
    case .nodeHindered(let why): .detail("cannot use the node for its scheduled task: \(why)")
    case .deadlineReached, .enteredForeground, .enteredBackground, .stepDone, .nodeReady, .nodeServed: nil
    }
  }
}

/// Prints records as sentences, with the time since the phone's first record.
package struct LogPrinter {
  package let output: Output
  package let processes: [String]
  let isVerbose: Bool
  package let filter: LogFilter
  private var narrator = JournalNarrator()
  private var held: [String] = []
  /// A record was near the moment that is looked at, shown or not.
  private(set) var hasFoundMoment = false

  init(output: Output, processes: [String], isVerbose: Bool, filter: LogFilter = LogFilter()) {
    self.output = output
    self.processes = processes
    self.isVerbose = isVerbose
    self.filter = filter
  }

  /// Keeps the last `count` lines for the next `print`. False if these are fewer.
  mutating func hold(last count: Int, of entries: [JournalMerger.Entry], from merger: JournalMerger) -> Bool {
    narrator = JournalNarrator()
    held = lines(of: entries, from: merger).suffix(count)
    return held.count == count
  }

  /// False if the reader of standard output is gone. The held lines come first.
  @discardableResult
  package mutating func print(_ entries: [JournalMerger.Entry], from merger: JournalMerger) -> Bool {
    let lines = held + lines(of: entries, from: merger)
    held = []
    return lines.isEmpty || StandardOutput.write(lines.joined(separator: "\n") + "\n")
  }

  private mutating func lines(of entries: [JournalMerger.Entry], from merger: JournalMerger) -> [String] {
    var lines: [String] = []
    let start = merger.start
    for entry in entries {
      // Also for records that are not shown: the narrator keeps claim reasons for later sentences.
      let sentences = narrator.sentences(for: entry)
      guard merger.isWhole(entry), filter.takes(entry.line, start: start) else { continue }
      hasFoundMoment = hasFoundMoment || filter.around != nil
      guard processes.isEmpty || processes.contains(entry.process) else { continue }
      if output.isJSON {
        if filter.matches(entry.line.text) { lines.append(entry.line.text) }
        continue
      }
      for sentence in sentences
      where isShown(sentence) && filter.matches("\(entry.process) \(sentence.text)") {
        lines.append(output.shown(line(entry, sentence, since: start)))
      }
    }
    return lines
  }

  /// Near one moment each message counts.
  private func isShown(_ sentence: JournalNarrator.Sentence) -> Bool {
    isVerbose || sentence.matters || (filter.around != nil && sentence.weight == .detail)
  }

  private func line(
    _ entry: JournalMerger.Entry, _ sentence: JournalNarrator.Sentence, since start: Instant?
  ) -> String {
    let seconds = HumanText.seconds(entry.line.at - (start ?? entry.line.at)) + "s"
    let time =
      filter.showsWall
      ? WallClockText.write(entry.line.header.wall)
      : String(repeating: " ", count: max(0, 9 - seconds.count)) + seconds
    let words = sentence.matters ? sentence.text : output.paint(sentence.text, .dim)
    return "\(output.paint(time, .dim))  \(Self.column(of: entry.process, output))  \(words)"
  }

  /// The process's name, as wide as the longest of ours.
  package static func column(of process: String, _ output: Output) -> String {
    let name = process.onOneLine
    return output.paint(name + String(repeating: " ", count: max(0, 10 - name.count)), colour(of: process))
  }

  package static func colour(of process: String) -> Output.Colour {
    switch process {
    case "mainappd": .green
    case "notifyextd", "notifyonlyd": .magenta
    case "iosd": .blue
    case "lspd": .yellow
    default: .cyan
    }
  }
}

/// The filters of `baton logs`: --since, --around, -n, --grep.
package struct LogFilter {
  /// Earlier lines are left out; an instant of the monotonic clock that all processes share.
  private var since: Instant?
  /// The same as a time of the phone's wall clock.
  private var sinceWall: Int64?
  /// Since the phone's first record.
  private(set) var around: TimeSpan?
  /// How far from `around` a line may be.
  static let nearness = TimeSpan.milliseconds(50)
  private var pattern: Regex<AnyRegexOutput>?
  private(set) var lastLines: Int?
  private(set) var showsWall = false

  init() {}

  init(_ line: ParsedCommandLine) throws(CommandFailure) {
    if let word = line.text("--since") { try take(since: word) }
    if let word = line.text("--around") { try take(around: word) }
    lastLines = line.integer("-n").map { Int(clamping: $0) }
    showsWall = line.isGiven("--wall")
    guard let word = line.text("--grep") else { return }
    do {
      pattern = try Regex(word)
    } catch {
      throw CommandFailure(
        .wrongUsage,
        "--grep must be a regular expression, not \(UsageError.quoted(word)); write \\ before characters to be matched literally"
      )
    }
  }

  private mutating func take(since word: String) throws(CommandFailure) {
    if let span = SpanText.parse(word) {
      since = Clock.monotonicNow + TimeSpan(nanoseconds: -span.nanoseconds)
    } else if let time = WallClockText.read(word, today: Clock().wallNanoseconds) {
      sinceWall = time
    } else {
      throw CommandFailure(
        .wrongUsage,
        "--since must be a time ago such as 5m, or a time in UTC such as 14:05:10 or 2026-11-22T14:05:10, not \(UsageError.quoted(word))"
      )
    }
  }

  private mutating func take(around word: String) throws(CommandFailure) {
    let time = try require(
      SpanText.parse(word), .wrongUsage,
      "--around must be a time as `baton logs` prints it, such as 1.805s, not \(UsageError.quoted(word))")
    around = time
  }

  /// `start` is the phone's first record.
  package func takes(_ line: JournalLine, start: Instant?) -> Bool {
    if let around, let start {
      let middle = start + around
      if line.at < middle - Self.nearness || line.at > middle + Self.nearness { return false }
    }
    if let since, line.at < since { return false }
    if let sinceWall, line.header.wall < sinceWall { return false }
    return true
  }

  func matches(_ words: String) -> Bool {
    guard let pattern else { return true }
    return ((try? pattern.firstMatch(in: words)) ?? nil) != nil
  }
}
