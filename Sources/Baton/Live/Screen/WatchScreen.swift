import Ground

/// The screen of `baton watch`: what happened in, lines of text out.
package struct WatchScreen: Machine {
  package enum Event: Hashable, Sendable {
    /// A look at the phone has ended.
    case looked(LiveView)
    case sized(columns: Int, rows: Int)
    case pressed(WatchKey)
    case performed(LiveOutcome)
    case deadlineReached
  }

  package enum Directive: Hashable, Sendable {
    /// Answered by `performed`. Those of one lane are carried out one after the other.
    case perform(LiveAction)
    /// The lines may have changed.
    case draw
    /// What is on the terminal is unknown.
    case drawAgain
    case leave
  }

  /// A lane that does not come to an end takes no more work.
  private static let waitingMax = 3
  private static let messageStays = TimeSpan.seconds(20)
  /// A look takes milliseconds, but seconds if a daemon does not answer.
  private static let lookIsLateAfter = TimeSpan.seconds(3)

  package static var deadlineReached: Event { .deadlineReached }

  private(set) var view: LiveView
  private(set) var columns: Int
  private(set) var rows: Int
  private(set) var showsHelp = false
  private(set) var outcome: LiveOutcome?
  private(set) var waiting: [LiveAction] = []
  private(set) var isLate = false
  private var outcomeEnds: Instant?
  private var lookedAt: Instant

  package init(home: String, columns: Int, rows: Int, at now: Instant) {
    view = LiveView(RunView(home: home, wallNs: 0), RecentRun())
    view.holder.sentence = "looking …"
    self.columns = columns
    self.rows = rows
    lookedAt = now
  }

  package var deadline: Instant? {
    [outcomeEnds, isLate ? nil : lookedAt + Self.lookIsLateAfter].compactMap { $0 }.min()
  }

  package mutating func handle(_ event: Event, at now: Instant) -> [Directive] {
    switch event {
    case .looked(let view):
      self.view = view
      lookedAt = now
      isLate = false
      return [.draw]
    case .sized(let columns, let rows):
      (self.columns, self.rows) = (columns, rows)
      return [.drawAgain]
    case .performed(let outcome):
      if let place = waiting.firstIndex(of: outcome.action) { waiting.remove(at: place) }
      say(outcome, at: now)
      return [.draw]
    case .pressed(let key): return press(key, at: now)
    case .deadlineReached: return passTime(now)
    }
  }

  private mutating func press(_ key: WatchKey, at now: Instant) -> [Directive] {
    switch key {
    case .leave: return [.leave]
    case .drawAgain: return [.drawAgain]
    case .help:
      showsHelp.toggle()
      return [.draw]
    case .closeHelp:
      showsHelp = false
      return [.draw]
    case .action(let action):
      let before = waiting.filter { $0.lane == action.lane }
      guard before.count < Self.waitingMax else {
        let sentence = "not done, as `\(before[0].words)` still waits"
        say(LiveOutcome(action: action, sentence: sentence, isFailure: true), at: now)
        return [.draw]
      }
      waiting.append(action)
      outcome = nil
      outcomeEnds = nil
      return [.perform(action), .draw]
    }
  }

  private mutating func say(_ outcome: LiveOutcome, at now: Instant) {
    self.outcome = outcome
    outcomeEnds = now + Self.messageStays
  }

  private mutating func passTime(_ now: Instant) -> [Directive] {
    var directives: [Directive] = []
    if let end = outcomeEnds, end <= now {
      outcome = nil
      outcomeEnds = nil
      directives = [.draw]
    }
    if !isLate, lookedAt + Self.lookIsLateAfter <= now {
      isLate = true
      directives = [.draw]
    }
    return directives
  }
}

// The lines. A small screen keeps what matters first: the holder, its beat, the peer, the processes, the last events.
extension WatchScreen {
  private static let label = 10

  /// As many as the screen has rows, none wider than it.
  package var lines: [WatchLine] {
    var lines = head
    let foot = foot
    let left = rows - lines.count - foot.count
    lines += showsHelp ? Array(help.prefix(max(0, left))) : middle(left)
    while lines.count + foot.count < rows { lines.append(WatchLine()) }
    // On a screen of a few rows the keys give way first.
    lines = Array((lines.prefix(max(0, rows - foot.count)) + foot).prefix(max(0, rows)))
    return lines.map { $0.cut(to: columns) }
  }

  // MARK: Above

  private var head: [WatchLine] {
    var lines = [title, fact("holder", view.holder.sentence, holderColour), beat]
    lines.append(fact("peer", view.peer, view.lspd?.channelEstablished == true ? .green : nil))
    lines.append(fact("wallet", wallet))
    if let problem = view.problems.first {
      let more = view.problems.count - 1
      lines.append(fact("problem", problem + (more > 0 ? " (and \(more) more)" : ""), .red))
    }
    return lines
  }

  private var title: WatchLine {
    let time = isLate ? "no answer yet" : String(WallClockText.write(view.wallNs).dropFirst(11))
    let room = columns - time.count - 1
    var line = WatchLine()
    line.add("baton watch", .bold)
    line.add(("  " + view.home.onOneLine).fit(to: max(0, room - 11)) + " ")
    line.add(time, isLate ? .red : .dim)
    return line
  }

  private func fact(_ name: String, _ text: String, _ colour: Output.Colour? = nil) -> WatchLine {
    var line = WatchLine(name.fit(to: Self.label), .dim)
    line.add(text.onOneLine, colour)
    return line
  }

  private var holderColour: Output.Colour? {
    if view.holder.isStopped { return .red }
    guard view.holder.isHeld else { return nil }
    return view.holder.role == Role.app.rawValue ? .green : .magenta
  }

  /// The mark changes its place with each beat.
  private var beat: WatchLine {
    guard let counter = view.holder.beatCounter else { return fact("beat", "none") }
    let mark = counter.isMultiple(of: 2) ? "* " : " *"
    let phase = view.holder.phase ?? "?"
    return fact(
      "beat", "\(view.holder.isHeld ? mark : "  ") \(phase), beat \(counter)\(ago(view.holder.beatWallNs))",
      view.holder.isStopped ? .red : nil)
  }

  private func ago(_ wallNs: Int64?) -> String {
    guard let wallNs else { return "" }
    return ", \(age(wallNs))"
  }

  /// If the clock was set back since, the age is unknown.
  private func age(_ wallNs: Int64) -> String {
    let (span, overflowed) = view.wallNs.subtractingReportingOverflow(wallNs)
    guard !overflowed, span >= 0 else { return "at \(WallClockText.write(wallNs))" }
    return "\(HumanText.span(TimeSpan(nanoseconds: span))) ago"
  }

  private var wallet: String {
    var words = view.wallet.map { [$0] } ?? []
    if let balance = view.balanceMsat { words.append(HumanText.amount(msat: balance)) }
    if let receivable = view.receivableMsat {
      words.append("can receive \(HumanText.amount(msat: receivable))")
    }
    let more = view.paymentsReceivedIsExact ? "" : "more than "
    let number = HumanText.grouped(UInt64(clamping: view.paymentsReceived))
    words.append("\(more)\(number) payment\(view.paymentsReceived == 1 ? "" : "s") received")
    return words.joined(separator: ", ")
  }

  // MARK: Below

  private var foot: [WatchLine] {
    var message = WatchLine()
    if let outcome {
      message.add("\(outcome.action.words): \(outcome.sentence)", outcome.isFailure ? .red : .bold)
    } else if !waiting.isEmpty {
      message.add("\(waiting.map(\.words).joined(separator: ", ")) …", .bold)
    }
    return rows < 8 ? [message] : [message, keys]
  }

  private var keys: WatchLine {
    let all = LiveAction.allCases.map { ($0.key, $0.words) } + [("?", "help"), ("q", "leave")]
    func width(_ gap: Int, words: Bool) -> Int {
      all.reduce(-gap) { $0 + gap + $1.0.count + (words ? 1 + $1.1.count : 0) }
    }
    let hasWords = width(1, words: true) <= columns
    let gap = String(repeating: " ", count: hasWords && width(2, words: true) > columns ? 1 : 2)
    var line = WatchLine()
    for (number, (key, words)) in all.enumerated() {
      line.add(number == 0 ? "" : gap)
      line.add(key, .bold)
      if hasWords { line.add(" \(words)", .dim) }
    }
    return line
  }

  private var help: [WatchLine] {
    let rows =
      LiveAction.allCases.map { ($0.key, $0.meaning) } + [
        ("^L", "draw the screen again"), ("Esc", "close this help"), ("q", "leave; the phone goes on"),
      ]
    return [WatchLine()]
      + rows.map { key, meaning in
        var line = WatchLine("  \(key)".fit(to: 6), .bold)
        line.add(meaning)
        return line
      }
  }

  // MARK: Between

  private func middle(_ left: Int) -> [WatchLine] {
    guard left > 0 else { return [] }
    var lines: [WatchLine] = []
    if left >= 12 { lines.append(processHeading) }
    // The daemons give way on a small screen, unless one does not run.
    let rows = left >= 8 ? view.processes : Array(view.processes.prefix(2))
    lines += rows.map(process).prefix(max(0, left - 1 - lines.count))
    let share = left >= 36 ? left / 7 : left >= 12 ? 2 : left >= 8 ? 1 : 0
    lines += list("pushes", view.pushes.map(push), share)
    lines += list("payments", view.payments.map(payment), share)
    lines += list("ends", view.ends.map(end), share)
    let events = view.events.suffix(max(0, left - lines.count))
    lines += list("events", events.map(event), events.count)
    return Array(lines.prefix(left))
  }

  private var processHeading: WatchLine {
    WatchLine(cells(["PROCESS", "PID", "STATE", "MEMORY"]) + "SHOWS", .bold)
  }

  private static let widths = [12, 9, 13, 10]

  private func cells(_ texts: [String]) -> String {
    zip(texts, Self.widths).map { $0.fit(to: $1 - 1) + " " }.joined()
  }

  private func process(_ row: RecentRun.Process) -> WatchLine {
    var line = WatchLine(row.name.onOneLine.fit(to: 11) + " ", LogPrinter.colour(of: row.name))
    line.add((row.pid.map(String.init) ?? "").fit(to: 8) + " ")
    let isStopped = row.state == "stopped"
    line.add(row.state.onOneLine.fit(to: 12) + " ", isStopped ? .red : row.pid == nil ? .dim : nil)
    line.add((row.footprintBytes.map(HumanText.megabytes) ?? "").fit(to: 9) + " ")
    line.add(row.text?.onOneLine ?? "")
    return line
  }

  /// The first row has the name of the list.
  private func list(_ name: String, _ rows: [WatchLine], _ most: Int) -> [WatchLine] {
    guard most > 0 else { return [] }
    guard !rows.isEmpty else { return [fact(name, "none yet", .dim)] }
    return rows.prefix(most).enumerated().map { number, row in
      var line = WatchLine((number == 0 ? name : "").fit(to: Self.label), .dim)
      for part in row.parts { line.add(part.text, part.colour) }
      return line
    }
  }

  private func push(_ push: RecentRun.Push) -> WatchLine {
    WatchLine("\(push.id), \(push.kind), \(age(push.atWallNs)): \(push.fate)")
  }

  private func payment(_ payment: PaymentEntry) -> WatchLine {
    let way = payment.direction == .incoming ? "received" : "sent"
    let state = ["received", "paid"].contains(payment.state) ? "" : " (\(payment.state))"
    let id = (payment.paymentHash ?? payment.txid ?? "").prefix(8)
    return WatchLine(
      "\(way) \(HumanText.amount(msat: payment.amountMsat))\(state), \(age(payment.atWallNs)): \(id)",
      payment.state == "failed" || payment.state == "lost" ? .red : nil)
  }

  private func end(_ end: RecentRun.End) -> WatchLine {
    WatchLine("\(end.process) \(end.pid), \(age(end.atWallNs)): \(end.reason)", end.wasKilled ? .red : nil)
  }

  private func event(_ event: RecentRun.Event) -> WatchLine {
    var line = WatchLine(String(WallClockText.write(event.atWallNs).dropFirst(11).prefix(8)) + " ", .dim)
    line.add(event.process.fit(to: 10) + " ", LogPrinter.colour(of: event.process))
    line.add(event.text)
    return line
  }
}

/// The keys of `baton watch`.
package enum WatchKey: Hashable, Sendable {
  case action(LiveAction)
  case help
  case closeHelp
  case leave
  case drawAgain

  /// Of what a terminal sent; the sequences of arrows and function keys are no keys here, and Esc is
  /// alone.
  package static func all(in bytes: [UInt8]) -> [WatchKey] {
    var keys: [WatchKey] = []
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      guard byte == 0x1b else {
        if let key = WatchKey(byte) { keys.append(key) }
        continue
      }
      guard let begin = rest.popFirst() else {
        keys.append(.closeHelp)
        break
      }
      guard begin == UInt8(ascii: "[") || begin == UInt8(ascii: "O") else { continue }
      while let next = rest.popFirst(), !(0x40...0x7e).contains(next) {}
    }
    return keys
  }

  package init?(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "q"): self = .leave
    case UInt8(ascii: "?"): self = .help
    // ^L, as in every program of a terminal.
    case 0x0c: self = .drawAgain
    default:
      guard let action = LiveAction.allCases.first(where: { $0.key.utf8.first == byte }) else { return nil }
      self = .action(action)
    }
  }
}

/// A line of the screen: texts, each in a colour.
package struct WatchLine: Hashable, Sendable {
  package struct Part: Hashable, Sendable {
    var text: String
    var colour: Output.Colour?
  }

  package private(set) var parts: [Part] = []

  init() {}
  init(_ text: String, _ colour: Output.Colour? = nil) { add(text, colour) }

  mutating func add(_ text: String, _ colour: Output.Colour? = nil) {
    if !text.isEmpty { parts.append(Part(text: text, colour: colour)) }
  }

  package var text: String { parts.map(\.text).joined() }

  private var withoutEnd: WatchLine {
    var line = self
    while let last = line.parts.last, last.text.last == " " {
      line.parts.removeLast()
      if let end = last.text.lastIndex(where: { $0 != " " }) {
        line.add(String(last.text[...end]), last.colour)
      }
    }
    return line
  }

  /// Not wider than the screen, without spaces at the end.
  func cut(to width: Int) -> WatchLine {
    let whole = withoutEnd
    var line = WatchLine()
    var left = width
    for (number, part) in whole.parts.enumerated() {
      // The ellipsis of the next part needs a cell.
      let room = number + 1 < whole.parts.count && part.text.count == left ? left - 1 : left
      let text = part.text.cut(to: room)
      line.add(text, part.colour)
      left -= text.count
      if text != part.text || left <= 0 { break }
    }
    return line
  }

  /// As bytes for a terminal; the text has no control characters.
  package func painted(by output: Output) -> String {
    parts.map { part in part.colour.map { output.paint(part.text, $0) } ?? output.shown(part.text) }.joined()
  }
}

/// Each character counts as one cell.
extension String {
  /// The text's beginning that fits, with an ellipsis if something is missing.
  func cut(to width: Int) -> String {
    count <= width ? self : width > 0 ? String(prefix(width - 1)) + "…" : ""
  }

  /// Cut, and filled with spaces, to exactly this width.
  func fit(to width: Int) -> String {
    let kept = cut(to: width)
    return kept + String(repeating: " ", count: max(0, width - kept.count))
  }
}

/// Writes a screen of lines to a terminal, and after that only the lines that have changed.
package struct WatchPainter: Sendable {
  /// The alternate screen keeps what was there before; a line that is too wide must not wrap.
  package static let enter = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[2J"
  package static let leave = "\u{1b}[?7h\u{1b}[?25h\u{1b}[0m\u{1b}[?1049l"

  private let output: Output
  /// Nil: unknown.
  private var shown: [WatchLine]?

  package init(output: Output) { self.output = output }

  /// What is on the terminal is unknown from now on.
  package mutating func forget() { shown = nil }

  /// The bytes that make the terminal show these lines; empty if it does already.
  package mutating func paint(_ lines: [WatchLine]) -> String {
    var text = shown == nil ? "\u{1b}[0m\u{1b}[2J" : ""
    for (row, line) in lines.enumerated() where shown.map({ row >= $0.count || $0[row] != line }) ?? true {
      // Cleared first: after a full line the cursor stands on its last cell.
      text += "\u{1b}[\(row + 1);1H\u{1b}[2K\(line.painted(by: output))"
    }
    shown = lines
    return text
  }
}
