// Baton/Scenario: stories of the pair in plain words, with expected answers. It has the language, the questions and the
// wording of the answers; a stage plays a story. Pure: no I/O and no waiting of its own.

import Ground

/// One story: events and questions, line by line, with the expected answers.
public struct Scenario: Hashable, Sendable {
  /// The first comment: the fault that the story is about.
  public var title: String
  public var steps: [Step]
  /// Its incoming payments, numbered from 1.
  public var payments: [PlannedPayment]
  /// Its external invoices, numbered from 1.
  public var invoices: [PlannedInvoice] = []
  public var place: Place
  /// The settings of its phone and its peer that differ from the defaults.
  public var settings: [Setting] {
    steps.compactMap { if case .given(let it) = $0.command { it } else { nil } }
  }
  /// The original lines, so that the story can be written again with its comments.
  var lines: [String]

  /// The comment directly above a step, on one line; nil for the story's title and what follows the title.
  func comment(above step: Step) -> String? {
    let above = lines[..<(step.line - 1)]
    let start = above.lastIndex { !$0.hasPrefix("#") }
    guard let start, start + 1 < above.endIndex else { return nil }
    let texts = above[(start + 1)...].map { $0.drop { $0 == "#" || $0 == " " } }
    return texts.joined(separator: " ")
  }

  /// One event or question, with the expected answer lines below it.
  public struct Step: Hashable, Sendable {
    /// Counted from 1.
    public var line: Int
    public var text: String
    public var command: Command
    public var expected: [String]
  }

  /// Where a story can be played.
  public enum Place: Hashable, Sendable {
    case everywhere
    case simulated(because: String)
    case real(because: String)
  }
}

/// An invoice that the wallet makes before the story begins.
public struct PlannedPayment: Hashable, Sendable {
  public var number: Int
  public var amountSat: UInt64
  /// The invoice is to expire before the sender pays it.
  public var isPaidTooLate = false

  public var amountMsat: UInt64 { amountSat * 1000 }
  public var expiresAfter: TimeSpan { isPaidTooLate ? .seconds(1) : .seconds(86_400) }
  /// The invoice's description.
  public var text: String { Self.text(number) }

  static func text(_ number: Int) -> String { "payment \(number)" }
}

/// Reads a story.
public struct ScenarioParser {
  public static let linesMax = 1000
  private static let lineBytesMax = 500

  private var steps: [Scenario.Step] = []
  private var payments: [PlannedPayment] = []
  private var invoices: [PlannedInvoice] = []
  private var place = Scenario.Place.everywhere
  private var title: String?
  private let lines: [String]

  public static func parse(_ text: String) throws(ScenarioError) -> Scenario {
    var parser = ScenarioParser(text)
    return try parser.parse()
  }

  static func isOutput(_ line: String) -> Bool { line.first == " " && line.drop { $0 == " " }.hasPrefix(">") }

  private init(_ text: String) {
    var lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map(Self.trimmed)
    while lines.last?.isEmpty == true { lines.removeLast() }
    self.lines = lines
  }

  /// Removes trailing white space.
  private static func trimmed(_ line: Substring) -> String {
    var line = line
    while let last = line.last, last == " " || last == "\t" || last == "\r" { line.removeLast() }
    return String(line)
  }

  private mutating func parse() throws(ScenarioError) -> Scenario {
    guard lines.count <= Self.linesMax else {
      throw ScenarioError(
        Self.linesMax + 1, "a story may have \(Self.linesMax) lines; split it into two stories")
    }
    for (index, line) in lines.enumerated() { try take(line, number: index + 1) }
    guard let title else {
      throw ScenarioError(1, "a story begins with its title, a comment such as `# The extension is killed`")
    }
    guard case .verdict? = steps.last?.command else {
      throw ScenarioError(
        max(1, lines.count), "the story ends without `\(Phrase.verdictForm)`; write it as the last line")
    }
    try PeerOutages.check(steps, sendersRetry: sendersRetry)
    try checkSenders()
    return Scenario(
      title: title, steps: steps, payments: payments, invoices: invoices, place: place, lines: lines)
  }

  private mutating func take(_ line: String, number: Int) throws(ScenarioError) {
    guard line.utf8.count <= Self.lineBytesMax else {
      throw ScenarioError(
        number, "a line may have \(Self.lineBytesMax) bytes; this one has \(line.utf8.count)")
    }
    if line.isEmpty { return }
    if line.hasPrefix("#") {
      let text = line.drop { $0 == "#" || $0 == " " }
      if title == nil, !text.isEmpty { title = String(text) }
      return
    }
    guard title != nil else {
      throw ScenarioError(
        number, "a story begins with its title, a comment such as `# The extension is killed`")
    }
    if Self.isOutput(line) { return try takeOutput(line, number) }
    guard line.first != " ", line.first != "\t", line.first != ">" else {
      throw ScenarioError(
        number,
        "an event begins at the margin, and an expected answer with two spaces and `>`; this line does neither"
      )
    }
    try takeCommand(line, number)
  }

  private mutating func takeOutput(_ line: String, _ number: Int) throws(ScenarioError) {
    guard !steps.isEmpty else {
      throw ScenarioError(
        number, "this expected answer follows no question; write the question on the line above")
    }
    var text = line.drop { $0 == " " }.dropFirst()
    if text.first == " " { text = text.dropFirst() }
    steps[steps.count - 1].expected.append(String(text))
  }

  private mutating func takeCommand(_ line: String, _ number: Int) throws(ScenarioError) {
    if let end = steps.last, case .verdict = end.command {
      throw ScenarioError(
        number, "`\(Phrase.verdictForm)` in line \(end.line) must be the last line; write this above it")
    }
    for phrase in Phrase.all {
      guard let found = phrase.match(line) else { continue }
      let command = phrase.command(found)
      if case .given = command { try noteSetting(phrase, found, number) }
      if case .given = command {
        // Its amount is of no payment.
      } else {
        try found.invoice > 0 ? noteInvoices(found, number) : note(command, found, number)
      }
      try note(phrase.place, number)
      steps.append(.init(line: number, text: line, command: command, expected: []))
      return
    }
    throw ScenarioError(
      number, "`\(Self.printable(line))` is not a line of the story language; the nearest \(Self.near(line))")
  }

  // MARK: Consistency

  /// A setting must stand in the head, once, or once for each process: it cannot change during the story.
  private mutating func noteSetting(_ phrase: Phrase, _ found: Phrase.Found, _ number: Int)
    throws(ScenarioError)
  {
    if let first = steps.first(where: { if case .given = $0.command { false } else { true } }) {
      throw ScenarioError(
        number, "`\(phrase.form)` belongs in the head of a story; write it above line \(first.line)")
    }
    if let twice = steps.first(where: { phrase.match($0.text)?.role == found.role }) {
      throw ScenarioError(number, "line \(twice.line) has this setting already; write `\(phrase.form)` once")
    }
  }

  private mutating func note(_ command: Command, _ found: Phrase.Found, _ number: Int) throws(ScenarioError) {
    if let amountSat = found.amountSat {
      guard found.number == payments.count + 1 else {
        throw ScenarioError(
          number,
          "the next new payment is payment \(payments.count + 1), not \(found.number); to repeat an earlier one write `payment \(found.number) arrives again`"
        )
      }
      var payment = PlannedPayment(number: found.number, amountSat: amountSat)
      if case .make(.payExpired) = command { payment.isPaidTooLate = true }
      payments.append(payment)
    } else if found.number > payments.count {
      throw ScenarioError(
        number,
        "no payment \(found.number) has arrived yet; write `payment \(found.number) of 1000 sat arrives` above"
      )
    }
  }

  private mutating func noteInvoices(_ found: Phrase.Found, _ number: Int) throws(ScenarioError) {
    if let amountSat = found.amountSat {
      guard found.invoice == invoices.count + 1 else {
        throw ScenarioError(
          number,
          "the next new invoice is invoice \(invoices.count + 1), not \(found.invoice); to repeat an earlier one write `the user pays invoice \(found.invoice) again`"
        )
      }
      invoices.append(
        PlannedInvoice(number: found.invoice, amountSat: amountSat, isForgotten: found.isForgotten))
    } else if found.invoice > invoices.count {
      throw ScenarioError(
        number,
        "invoice \(found.invoice) has not been paid yet; write `the user pays invoice \(found.invoice) of 1000 sat` above"
      )
    }
  }

  private var sendersRetry: Bool {
    steps.contains { if case .given(.sendersRetry) = $0.command { true } else { false } }
  }

  /// Only the wallet of a sender that tries again knows what it can spend, and when an invoice expires.
  private func checkSenders() throws(ScenarioError) {
    if sendersRetry { return }
    for step in steps {
      switch step.command {
      case .given(.sendersHave), .make(.payExpired):
        throw ScenarioError(
          step.line,
          "only senders that try again look at this; write `senders try again by a schedule` at the head")
      default: break
      }
    }
  }

  private mutating func note(_ next: Scenario.Place, _ number: Int) throws(ScenarioError) {
    switch (place, next) {
    case (_, .everywhere): break
    case (.everywhere, _): place = next
    case (.simulated(let because), .real(let other)), (.real(let other), .simulated(let because)):
      throw ScenarioError(
        number,
        "no stage can play this story: some lines are only simulated (\(because)), others only real (\(other)); split it into two stories"
      )
    case (.simulated, .simulated), (.real, .real): break
    }
  }

  // MARK: Errors

  private static func printable(_ line: String) -> String {
    String(line.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? "?" : Character($0) }.prefix(80))
  }

  /// The three forms that share most words with the line.
  private static func near(_ line: String) -> String {
    let words = line.split(separator: " ")
    let ranked = Phrase.all.enumerated().map { place, phrase in
      let tokens = phrase.form.split(separator: " ")
      let shared = tokens.count { words.contains($0) || ($0 == "PROCESS" && holdsRole(words)) }
      return (score: 2 * shared - max(tokens.count, words.count), place: place)
    }
    let best = ranked.sorted { ($1.score, $0.place) < ($0.score, $1.place) }.prefix(3)
    let forms = best.map { "`\(Phrase.all[$0.place].form)`" }
    return "are \(forms.dropLast().joined(separator: ", ")) and \(forms.last ?? "")"
  }

  private static func holdsRole(_ words: [Substring]) -> Bool {
    words.contains { $0 == "app" || $0 == "extension" }
  }
}

/// Why a text is not a valid story: one sentence, with the line.
public struct ScenarioError: Error, Hashable, Sendable, CustomStringConvertible {
  public var line: Int
  public var sentence: String

  init(_ line: Int, _ sentence: String) {
    self.line = line
    self.sentence = sentence
  }

  public var description: String { "line \(line): \(sentence)" }
}

/// The times in which a story's peer is down: what a line needs of the peer is known before the story is played.
enum PeerOutages {
  static func check(_ steps: [Scenario.Step], sendersRetry: Bool) throws(ScenarioError) {
    var downSince: Int?
    for step in steps {
      if let line = downSince {
        if needsPeer(step.command, sendersRetry) {
          throw ScenarioError(
            step.line, "the peer is down since line \(line); write `the peer comes up again` above this line")
        }
        if case .make(.startPeer) = step.command { downSince = nil }
      } else if case .make(.startPeer) = step.command {
        throw ScenarioError(step.line, "the peer is not down; write `the peer goes down` above")
      } else if case .make(.stopPeer) = step.command {
        downSince = step.line
      }
    }
  }

  /// To a sender that tries again a peer that is down is a failure like another.
  private static func needsPeer(_ command: Command, _ sendersRetry: Bool) -> Bool {
    switch command {
    case .make(.pay), .make(.payExpired): !sendersRetry
    case .make(.stopPeer), .make(.restartPeer), .make(.payInParts), .make(.payNextPart), .make(.payInReboot),
      .make(.payInvoice), .make(.failNext), .make(.failChannel), .make(.silentPush), .verdict:
      true
    case .given, .make, .wait, .pass, .ask: false
    }
  }
}
