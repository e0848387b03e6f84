import DaemonRuntime
import Ground
import Guardrails
import PhonePolicy

/// Reads the times from the guards' records in the journals of app and extension.
struct PushTimes {
  private(set) var all: [PushTime] = []
  private let process: Int32?
  private var isInFront = false
  /// Indices in `all` of the pushes that are not completed.
  private var open: [Int] = []

  /// Of all processes of the wallet, the oldest first.
  static func written(in directory: String) -> [PushTime] {
    FilePath.journals(in: directory).filter {
      Role.allCases.map(\.processName).contains(JournalMerger.nameParts($0).process)
    }.flatMap {
      name -> [PushTime] in
      var times = PushTimes(process: JournalMerger.nameParts(name).pid)
      // An unreadable journal is skipped.
      let reader = JournalReader(path: "\(directory)/\(name)")
      while let line = try? reader.next() { times.read(line) }
      return times.all
    }
  }

  init(process: Int32? = nil) { self.process = process }

  mutating func read(_ line: JournalLine) {
    guard line.header.kind == "event",
      let core = line.header.core, [AppMachine.name, ExtensionMachine.name].contains(core),
      let body = EventBody<GuardEvent, GuardDirective>(line)
    else { return }
    switch body.event {
    case .enteredForeground: isInFront = true
    case .enteredBackground: isInFront = false
    // The app gets a visible push only in front, where its node runs.
    case .pushArrived(let push) where core == ExtensionMachine.name:
      open.append(all.count)
      all.append(PushTime(push: push.id, isSilent: false, process: process, arrivedAt: line.at))
    case .silentPushArrived(let push):
      open.append(all.count)
      let isAboutPayment = push.reason == .incomingPayment || push.reason == .pendingSettlement
      all.append(
        PushTime(
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
    for directive in body.directives {
      switch directive {
      case .phone(.completed(let push, _)), .phone(.finished(let push, _)):
        open.removeAll { all[$0].push == push }
      default: break
      }
    }
  }
}

extension EventBody<GuardEvent, GuardDirective> {
  fileprivate var starts: Bool {
    directives.contains { if case .node(.startNode) = $0 { true } else { false } }
  }
}

/// When a silent push arrived at the app, or a visible one at the extension, and how long the node then took to start
/// and to connect.
package struct PushTime: Hashable, Sendable {
  package var push: UInt64
  var isSilent = true
  /// The pid of the process that it was handed to.
  var process: Int32?
  var arrivedAt: Instant
  /// The push was about a payment and arrived while the app was in the background.
  var isWakingForPayment = false
  /// Nil if the node did not start or ran already.
  var nodeStarted: TimeSpan?
  package var connected: TimeSpan?
}
