import PhoneClient
import Terminal
import Inspection
import Ground
import DaemonRuntime
import Glibc
import Reports

/// Runs a story on real processes: follows the journals, prints events as they happen, and waits for events, never for
/// a fixed time.
final class DemoStage {
  /// An expected event did not come in time.
  struct Failure: Error {
    var expected: String
    var happened: String
  }

  let driver: PhoneDriver
  let output: Output
  let start = Clock.monotonicNow
  private(set) var moments: [Moment] = []

  private let merger: JournalMerger
  private let watch: DirectoryWatch
  private var reader = MomentReader()

  var phone: Phone { driver.phone }

  init(phone: Phone, output: Output) throws {
    driver = try PhoneDriver(phone)
    self.output = output
    merger = JournalMerger(directory: phone.journal)
    watch = try DirectoryWatch([phone.journal])
  }

  // MARK: Following

  /// The index from which a later `wait` searches.
  var now: Int { moments.count }

  func follow() {
    for entry in merger.readNew() {
      for moment in reader.moments(of: entry) {
        moments.append(moment)
        if moment.isPrinted { tell(moment) }
      }
    }
  }

  /// Waits for the first moment from `place` on that satisfies `condition`.
  @discardableResult
  func wait(
    for expected: String, from place: Int, within span: TimeSpan = .seconds(20), _ condition: (Moment) -> Bool
  ) throws -> Moment {
    var found = place
    do {
      try Wait.until(expected, within: span, pause: { try watch.wait(until: $0) }) {
        follow()
        while found < moments.count, !condition(moments[found]) { found += 1 }
        return found < moments.count
      }
    } catch is Wait.Failure { throw Failure(expected: expected, happened: recent(since: place)) }
    return moments[found]
  }

  private func recent(since place: Int) -> String {
    let sentences = moments[min(place, moments.count)...].suffix(5).map { "\($0.process) \($0.sentence)" }
    return sentences.isEmpty ? "nothing more" : sentences.joined(separator: "; ")
  }

  // MARK: Output

  func headline(_ text: String) {
    if !output.isJSON { output.say("") }
    line(at: Clock.monotonicNow, who: "", text, kind: "step")
  }

  func remark(_ text: String) { line(at: Clock.monotonicNow, who: "", text, kind: "remark") }

  private func tell(_ moment: Moment) {
    line(at: moment.at, who: moment.process, moment.sentence, kind: "moment")
  }

  struct Line: Report {
    /// Milliseconds since the start.
    var tMs: Int64
    /// step, moment or remark.
    var kind: String
    var process: String?
    var text: String
  }

  private func line(at instant: Instant, who: String, _ text: String, kind: String) {
    let since = instant - start
    if output.isJSON {
      return output.say(
        Line(tMs: since.wholeMilliseconds, kind: kind, process: who.isEmpty ? nil : who, text: text))
    }
    let seconds = HumanText.seconds(since)
    let time = output.paint(String(repeating: " ", count: max(0, 7 - seconds.count)) + seconds + " s", .dim)
    switch kind {
    case "step": output.say("\(time)  \(output.paint(text, .bold))")
    case "remark": output.say("\(time)  \(output.paint("→ \(text)", .cyan))")
    default:
      let name = who + String(repeating: " ", count: max(0, 10 - who.count))
      output.say("\(time)    \(output.paint(name, LogPrinter.colour(of: who)))  \(text)")
    }
  }
}
