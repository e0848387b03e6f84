import Ground
import DaemonRuntime
import PhonePolicy

/// The output of `baton pushes`: the list, and the figures below it.
package struct PushPage {
  package let figures: PushFigures

  package init(figures: PushFigures) {
    self.figures = figures
  }

  package func tell(_ output: Output, wallNanoseconds now: Int64) {
    guard !output.isJSON else { return output.say(document) }
    if figures.pushes.isEmpty {
      output.say("no push has arrived yet; `baton push` delivers one")
    } else {
      output.table(
        [["PUSH", "KIND", "CAME", "NODE", "CONNECTED", "OUTCOME"]] + figures.pushes.map { cells($0, now) })
    }
    for sentence in sentences { output.say(sentence) }
  }

  private func cells(_ push: PushFacts, _ now: Int64) -> [String] {
    func after(_ span: TimeSpan?) -> String { span.map { "after \(HumanText.span($0))" } ?? "" }
    return [
      "\(push.row.id)", kind(push), came(push, now), after(push.time?.nodeStarted),
      after(push.time?.connected), fate(push),
    ]
  }

  private func kind(_ push: PushFacts) -> String {
    if push.row.isVisible { return "visible" }
    if push.row.isBadgeOrSound == true { return "badge or sound" }
    return push.row.of.map { "silent, of \($0)" } ?? "silent"
  }

  private func fate(_ push: PushFacts) -> String {
    let words = push.row.fate ?? ""
    guard let late = push.row.lateMs, push.row.fateCode != .late else { return words }
    return "\(words), \(HumanText.span(.milliseconds(late))) late"
  }

  /// If the clock was set back since, the age is unknown, and the recorded time is shown.
  private func came(_ push: PushFacts, _ now: Int64) -> String {
    let (ago, overflowed) = now.subtractingReportingOverflow(push.row.wall)
    guard !overflowed, ago >= 0 else { return "at \(WallClockText.write(push.row.wall))" }
    return "\(HumanText.span(TimeSpan(nanoseconds: ago))) ago"
  }

  package var sentences: [String] {
    var all: [String] = []
    if figures.silentArrived > 0 {
      all.append(
        "silent pushes: \(figures.silentArrived) arrived, \(figures.handlerStarts) \(figures.handlerStarts == 1 ? "was" : "were") handed to the app, "
          + "with \(figures.received) the app received a payment, with \(figures.leftToVisible) it did not")
    }
    for (what, spans) in [
      ("the node started", figures.nodeStarts), ("the node was connected", figures.connections),
    ]
    where !spans.isEmpty {
      all.append(
        "\(what) \(HumanText.span(spans[spans.count / 2])) after a silent push (median), at most \(HumanText.span(spans[spans.count - 1]))"
      )
    }
    if figures.tasksBegun > 0 {
      all.append("background tasks: \(figures.tasksCompleted) completed of \(figures.tasksBegun) begun")
    }
    if let success = figures.success, success.announced > 0 { all.append(sentence(success)) }
    if let memory = sentence(figures.memory) { all.append(memory) }
    return all
  }

  private func sentence(_ success: PushSuccess) -> String {
    let isOne = success.announced == 1
    return
      "of \(success.announced) \(isOne ? "payment" : "payments") announced by a push, \(success.receivedInTime) "
      + "\(success.receivedInTime == 1 ? "was" : "were") received within \(PushSuccess.bound.wholeMilliseconds / 1000) s of it"
  }

  private func sentence(_ memory: PeakMemory) -> String? {
    func peak(_ who: String, _ bytes: UInt64?, _ count: Int) -> String? {
      bytes.map {
        "\(who) at most \(HumanText.megabytes($0)) (\(count) \(count == 1 ? "process" : "processes"))"
      }
    }
    let parts = [
      peak("the extension", memory.extensionBytes, memory.extensionProcesses),
      peak("the app", memory.appBytes, memory.appProcesses),
      peak("the app at work on a silent push", memory.appAtWorkBytes, memory.appAtWorkProcesses),
    ].compactMap { $0 }
    return parts.isEmpty ? nil : "memory of processes that have ended: \(parts.joined(separator: ", "))"
  }

  struct Document: Report {
    struct Silent: Report {
      var arrived: Int
      /// How often a silent push was handed to the app.
      var handlerStarts: Int
      /// Pushes that received a payment.
      var received: Int
      /// Pushes that ended without the payment that they announced.
      var leftToVisible: Int
      var nodeStartMs: [Int64]
      var connectedMs: [Int64]
    }

    struct Tasks: Report {
      var begun: Int
      var completed: Int
    }

    var pushes: [Joined<PushRow, PushFacts.Times>]
    var silent: Silent
    var tasks: Tasks
    var memory: PeakMemory
    var success: PushSuccess?
  }

  var document: Document {
    Document(
      pushes: figures.pushes.map(\.document),
      silent: .init(
        arrived: figures.silentArrived, handlerStarts: figures.handlerStarts, received: figures.received,
        leftToVisible: figures.leftToVisible, nodeStartMs: figures.nodeStarts.map(\.wholeMilliseconds),
        connectedMs: figures.connections.map(\.wholeMilliseconds)),
      tasks: .init(begun: figures.tasksBegun, completed: figures.tasksCompleted), memory: figures.memory,
      success: figures.success)
  }
}
