import Foundation
import Ground
import Guardrails
import Simulation

/// The story of a simulated run, in the same sentences as `baton logs`.
package struct WorldStory {
  package struct Line: Hashable, Sendable {
    package var at: Instant
    package var who: String
    package var text: String
    var matters: Bool
  }

  package private(set) var lines: [Line] = []
  package private(set) var violation: Violation?

  package init(lines: [Line] = [], violation: Violation? = nil) {
    self.lines = lines
    self.violation = violation
  }

  /// Takes the world's events since the last call.
  package mutating func listen(to world: inout World, after passed: TimeSpan = .zero) {
    let instant = world.peerNow + passed
    for said in world.takeSaid() { tell(said, at: instant) }
  }

  /// The lines of one event.
  static func lines(of said: Said, at instant: Instant) -> [Line] {
    var story = WorldStory()
    story.tell(said, at: instant)
    return story.lines
  }

  private mutating func tell(_ said: Said, at instant: Instant, isOnSecond: Bool = false) {
    func name(_ role: Role) -> String { isOnSecond ? Self.name(ofSecond: role) : role.rawValue }
    func add(_ who: String, _ sentences: [JournalNarrator.Sentence]) {
      for sentence in sentences {
        lines.append(Line(at: instant, who: who, text: sentence.text, matters: sentence.matters))
      }
    }
    switch said {
    case .move(let move):
      add(isOnSecond ? "event 2" : "event", MoveSentences.of(move).map { [.init($0)] } ?? [])
    // The guard's reports of its node; other events of the node have no line.
    case .heard(let role, .node(let report)) where report != .established:
      add(name(role), GuardSentences.of(.node(report), by: role))
    case .heard(_, .enteredForeground), .heard(_, .enteredBackground), .heard(_, .pushArrived): break
    case .ordered(_, .show(let status)) where Self.speaksForItself(status): break
    case .phone(let event, let directives) where event == .userOpened && directives.isEmpty: break
    case .heard(let role, let event): add(name(role), GuardSentences.of(event, by: role))
    case .ordered(let role, let directive): add(name(role), GuardSentences.of(directive))
    case .peer(let event, let directives):
      add("peer", PeerSentences.of(event) + directives.flatMap(PeerSentences.of))
    case .phone(let event, let directives):
      // `.ended` covers the end of a process.
      let shown = directives.filter { if case .recordEnd = $0 { false } else { true } }
      add(isOnSecond ? "phone 2" : "phone", PhoneSentences.of(event) + shown.flatMap(PhoneSentences.of))
    case .started(let role, let pid): add(name(role), [.init("starts as process \(pid)", matters: false)])
    case .ended(let role, let why): add(name(role), [.init("ended: \(why)")])
    case .seedWithheld: break
    case .onSecondDevice(let inner): tell(inner, at: instant, isOnSecond: true)
    case .violation(let violation):
      self.violation = violation
      add("BROKEN", [.init("\(violation.invariant.sentence) \(violation.sentence)")])
    }
  }

  /// Statuses that another line already implies: the claim, the peer's answer, the connection.
  private static func speaksForItself(_ status: Status) -> Bool {
    switch status {
    case .idle, .claiming, .connecting, .connected, .blocked: true
    default: false
    }
  }

  /// As short as `extension`.
  private static func name(ofSecond role: Role) -> String { role == .app ? "app 2" : "ext. 2" }

  /// Lines of text: time in seconds, actor, sentence. Repetitions are folded. In an exploration time
  /// moves seldom: then only a line at another time than the one above has a time.
  package func text(all: Bool = false, isExplored: Bool = false) -> [String] {
    let folded = Repetition.folded(
      lines.filter { all || $0.matters }, by: { "\($0.who) \(Self.withoutNumbers($0.text))" },
      note: { count, times, last in
        let what = count == 1 ? "the line above" : "the \(count) lines above"
        return Line(
          at: last.at, who: "…", text: "\(what) again, \(times == 1 ? "once" : "\(times) times")",
          matters: true)
      })
    var above = HumanText.seconds(.zero)
    return folded.map { line in
      let time = HumanText.seconds(line.at - Instant(nanoseconds: 0))
      defer { above = time }
      let shown = isExplored && time == above ? "" : time
      let lead = String(repeating: " ", count: max(0, 9 - shown.count)) + shown
      return "\(lead)  \(line.who.padding(toLength: 9, withPad: " ", startingAt: 0))  \(line.text)"
    }
  }

  /// Rounds are equal although the numbers of connections, pushes and payments grow.
  private static func withoutNumbers(_ text: String) -> String {
    String(text.filter { !$0.isNumber })
  }

  private static let beginning = 28
  private static let end = 16

  /// The beginning and the end of a story, to fit a screen.
  static func onOneScreen(_ lines: [String]) -> [String] {
    let leftOut = lines.count - beginning - end
    guard leftOut > 1 else { return lines }
    let note =
      String(repeating: " ", count: 11) + "…          \(leftOut) more lines; `baton replay` prints them"
    return lines.prefix(beginning) + [note] + lines.suffix(end)
  }
}
