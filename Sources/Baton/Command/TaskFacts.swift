import Ground
import DaemonRuntime
import PhonePolicy

extension TaskRow {
  func cells(now: Instant) -> [String] {
    let launched = launchedAt.map { Instant(nanoseconds: $0) }
    let asked = HumanText.span(now - Instant(nanoseconds: submittedAt))
    let ran = launched.map { HumanText.span((endedAt.map { Instant(nanoseconds: $0) } ?? now) - $0) }
    return [identifier, kind, state, "\(asked) ago", ran ?? "", whys(now: now)]
  }

  private func whys(now: Instant) -> String {
    var words = why.map { [$0] } ?? []
    let earliest = Instant(nanoseconds: earliestAt)
    if state == "waiting", earliest > now {
      words.append("not before \(HumanText.span(earliest - now)) from now")
    }
    if isByHand == true { words.append("launched by hand") }
    if let refused = refusedCompletions, refused > 0 {
      words.append(
        "\(refused == 1 ? "one more setTaskCompleted" : "\(refused) more setTaskCompleted calls") refused")
    }
    return words.joined(separator: "; ")
  }
}
