import PhoneClient
import Ground
import DaemonRuntime
import Guardrails
import PhonePolicy

/// Reads the times from the guard's records in the app's journals.
struct SilentPushTimes {
  private(set) var all: [SilentPushTime] = []
  private let process: Int32?
  private var isInFront = false
  /// Indices in `all` of the pushes that the app has not completed.
  private var open: [Int] = []

  /// Of all processes of the app, the oldest first.
  static func written(in directory: String) -> [SilentPushTime] {
    FilePath.journals(in: directory).filter { JournalMerger.nameParts($0).process == "mainappd" }.flatMap {
      name -> [SilentPushTime] in
      var times = SilentPushTimes(process: JournalMerger.nameParts(name).pid)
      // An unreadable journal is skipped.
      for line in (try? JournalReader(path: "\(directory)/\(name)").readNew()) ?? [] { times.read(line) }
      return times.all
    }
  }

  init(process: Int32? = nil) { self.process = process }

  mutating func read(_ line: JournalLine) {
    guard line.header.kind == "event", line.header.core == AppMachine.name,
      let body = EventBody<GuardEvent, GuardDirective>(line)
    else { return }
    switch body.event {
    case .enteredForeground: isInFront = true
    case .enteredBackground: isInFront = false
    case .silentPushArrived(let push):
      open.append(all.count)
      let isAboutPayment = push.reason == .incomingPayment || push.reason == .pendingSettlement
      all.append(
        SilentPushTime(
          push: push.id, process: process, arrivedAt: line.at,
          isWakingForPayment: isAboutPayment && !isInFront))
    default: break
    }
    for place in open where body.starts && all[place].nodeStarted == nil {
      all[place].nodeStarted = line.at - all[place].arrivedAt
    }
    for place in open where body.event == .node(.established) && all[place].connected == nil {
      all[place].connected = line.at - all[place].arrivedAt
    }
    for case .completed(let push, _) in body.directives { open.removeAll { all[$0].push == push } }
  }
}

extension EventBody<GuardEvent, GuardDirective> {
  fileprivate var starts: Bool {
    directives.contains { if case .startNode = $0 { true } else { false } }
  }
}
