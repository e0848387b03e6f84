// Baton/Scenario: stories of the pair in plain words, with expected answers. It has the language, the questions and the
// wording of the answers; a stage plays a story. Pure: no I/O and no waiting of its own.

import Ground
import Lightning
import Simulation

/// One story: events and questions, line by line, with the expected answers.
struct Scenario: Sendable {
  /// The first comment: the fault that the story is about.
  var title: String
  var steps: [Step]
  /// Its incoming payments, numbered from 1.
  var payments: [PlannedPayment]
  /// Its external invoices, numbered from 1.
  var invoices: [PlannedInvoice] = []
  var place: Place
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
  struct Step: Sendable {
    /// Counted from 1.
    var line: Int
    var text: String
    var command: Command
    var expected: [String] = []
    var need: Phrase.Need?
  }

  /// In an answer.
  func name(ofPayment number: Int) -> String {
    let amount = payments.first { $0.number == number }?.amountSat ?? 0
    return "payment \(number) of \(AmountText.words(sat: amount))"
  }

  /// Where a story can be played.
  enum Place: Hashable, Sendable {
    case everywhere
    case simulated(because: String)
    case real(because: String)
  }
}

extension Scenario {
  /// Why a stage cannot play it.
  func whySkipped(isSimulated: Bool) -> String? {
    switch place {
    case .simulated(let because): isSimulated ? nil : "simulated only, as \(because)"
    case .real(let because): isSimulated ? "real only, as \(because)" : nil
    case .everywhere: nil
    }
  }
}

/// An invoice that the wallet makes before the story begins.
struct PlannedPayment: Hashable, Sendable {
  var number: Int
  var amountSat: UInt64
  /// The invoice is to expire before the sender pays it.
  var isPaidTooLate = false

  var amountMsat: UInt64 { amountSat * 1000 }
  var expiresAfter: TimeSpan { isPaidTooLate ? .seconds(1) : .seconds(86_400) }
  /// The invoice's description.
  var text: String { Self.text(number) }

  static func text(_ number: Int) -> String { "payment \(number)" }
}

/// An external invoice, which the user pays with the wallet; it is made before the story begins.
struct PlannedInvoice: Hashable, Sendable {
  var number: Int
  var amountSat: UInt64
  /// The recipient does not know its hash any more: the payment fails.
  var isForgotten = false

  var amountMsat: UInt64 { amountSat * 1000 }
}

/// Reads a story.
struct ScenarioParser {
  static let linesMax = 1000
  private static let lineBytesMax = 500

  private var steps: [Scenario.Step] = []
  private var payments: [PlannedPayment] = []
  private var invoices: [PlannedInvoice] = []
  private var place = Scenario.Place.everywhere
  private var settings = StorySettings(world: WorldSettings())
  private var title: String?
  private let lines: [String]

  static func parse(_ text: String) throws(ScenarioError) -> Scenario {
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
    guard let (phrase, found) = Phrase.of(line) else {
      throw ScenarioError(
        number,
        "`\(Self.printable(line))` is not a line of the story language; the nearest \(Self.near(line))")
    }
    let command = phrase.command(found)
    // The amount of a setting is of no payment.
    if command.isGiven {
      try noteSetting(phrase, found, number)
    } else {
      try note(command, found, number)
    }
    try note(phrase.place, number)
    steps.append(.init(line: number, text: line, command: command, need: phrase.need))
  }

  // MARK: Consistency

  /// A setting must stand in the head, once, or once for each process: it cannot change during the story.
  private mutating func noteSetting(_ phrase: Phrase, _ found: Phrase.Found, _ number: Int)
    throws(ScenarioError)
  {
    if let first = steps.first(where: { !$0.command.isGiven }) {
      throw ScenarioError(
        number, "`\(phrase.form)` belongs in the head of a story; write it above line \(first.line)")
    }
    if let twice = steps.first(where: { phrase.match($0.text)?.role == found.role }) {
      throw ScenarioError(number, "line \(twice.line) has this setting already; write `\(phrase.form)` once")
    }
    if case .given(let change) = phrase.command(found) { change(&settings) }
    if let problem = settings.problem {
      throw ScenarioError(number, "the phone does not take this setting beside those above: \(problem)")
    }
  }

  /// The numbers of payments and invoices are in order.
  private mutating func note(_ command: Command, _ found: Phrase.Found, _ line: Int) throws(ScenarioError) {
    let isInvoice = found.invoice > 0
    let number = isInvoice ? found.invoice : found.number
    let next = (isInvoice ? invoices.count : payments.count) + 1
    guard let amountSat = found.amountSat else {
      if number < next { return }
      throw ScenarioError(
        line,
        isInvoice
          ? "invoice \(number) has not been paid yet; write `the user pays invoice \(number) of 1000 sat` above"
          : "no payment \(number) has arrived yet; write `payment \(number) of 1000 sat arrives` above")
    }
    guard number == next else {
      let name = isInvoice ? "invoice" : "payment"
      let again = isInvoice ? "the user pays invoice \(number) again" : "payment \(number) arrives again"
      throw ScenarioError(
        line,
        "the next new \(name) is \(name) \(next), not \(number); to repeat an earlier one write `\(again)`")
    }
    if isInvoice {
      let isForgotten = found.line.contains("forgotten")
      invoices.append(PlannedInvoice(number: number, amountSat: amountSat, isForgotten: isForgotten))
    } else {
      let isLate = if case .payExpired? = command.action { true } else { false }
      payments.append(PlannedPayment(number: number, amountSat: amountSat, isPaidTooLate: isLate))
    }
  }

  private var sendersRetry: Bool { steps.contains { ($0.command.world?.retries ?? .off) != .off } }

  /// Only the wallet of a sender that tries again knows what it can spend, and when an invoice expires.
  private func checkSenders() throws(ScenarioError) {
    if sendersRetry { return }
    for step in steps {
      var isLate = false
      if case .payExpired? = step.command.action { isLate = true }
      guard isLate || step.command.world?.sendersHaveMsat != nil else { continue }
      throw ScenarioError(
        step.line,
        "only senders that try again look at this; write `senders try again by a schedule` at the head")
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
struct ScenarioError: Error, Hashable, Sendable, CustomStringConvertible {
  var line: Int
  var sentence: String

  init(_ line: Int, _ sentence: String) {
    self.line = line
    self.sentence = sentence
  }

  var description: String { "line \(line): \(sentence)" }
}

/// The times in which a story's peer is down: what a line needs of the peer is known before the story is played.
enum PeerOutages {
  static func check(_ steps: [Scenario.Step], sendersRetry: Bool) throws(ScenarioError) {
    var downSince: Int?
    for step in steps {
      if let line = downSince {
        if needsPeer(step, sendersRetry) {
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
  private static func needsPeer(_ step: Scenario.Step, _ sendersRetry: Bool) -> Bool {
    switch step.command {
    case .make(.pay), .make(.payExpired): !sendersRetry
    case .make(.startPeer): false
    case .make(let action): step.need == .peer || action == .silentPush
    case .verdict: true
    case .given, .wait, .pass, .ask: false
    }
  }
}
