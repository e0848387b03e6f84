import Ground

/// Why the phone kills a process, and why a process is gone.
public struct EndReason: Hashable, Codable, Sendable, CustomStringConvertible {
  /// For programs: stable when the wording changes.
  public let code: EndCode
  public let description: String

  private init(_ code: EndCode, _ description: String) {
    self.code = code
    self.description = description
  }

  public var isCrash: Bool { code == .crashed }

  // MARK: The phone kills it

  package static let user = EndReason(.swipedAway, "swiped away by the user")
  static func time(limitMilliseconds limit: Int64) -> EndReason {
    EndReason(.timeLimit, "used up its \(seconds(limit)) s for one push")
  }
  /// The extension had not said `hello`.
  static func startTime(limitMilliseconds limit: Int64) -> EndReason {
    EndReason(.startLimit, "used up its time in starting up: \(seconds(limit)) s")
  }
  static func memory(footprintBytes: UInt64, limitBytes: UInt64) -> EndReason {
    let limit = limitBytes / 1_048_576
    return EndReason(
      .memoryLimit, "exceeded mem limit: ActiveHard \(limit) MB (fatal), with \(footprintBytes) bytes")
  }
  /// It did not terminate within the grace after it was asked to.
  static let graceOver = EndReason(.graceOver, "did not end when it was asked to")
  package static func lockHeldWhileSuspended(_ file: String) -> EndReason {
    EndReason(.lockHeldWhileSuspended, "0xdead10cc: suspended while it held a lock on \(file)")
  }
  /// It did not confirm `enter-background` in time.
  package static func watchdog(milliseconds: Int64) -> EndReason {
    let limit = seconds(milliseconds)
    return EndReason(.watchdog, "0x8badf00d: did not finish going to the background within \(limit) s")
  }
  static func tasksNotEnded(milliseconds: Int64) -> EndReason {
    EndReason(.tasksNotEnded, "did not end its background tasks after \(seconds(milliseconds)) s")
  }
  static let reboot = EndReason(.reboot, "reboot")
  /// It had delivered its content, and iOS does not let it run on.
  static let afterContent = EndReason(.afterContent, "after its content")
  /// It was suspended, or had served its one push, and iOS wants its memory back.
  static let reclaimed = EndReason(.reclaimed, "suspended, and its memory was reclaimed")

  private static func seconds(_ milliseconds: Int64) -> String {
    milliseconds % 1000 == 0
      ? "\(milliseconds / 1000)" : "\(milliseconds / 1000).\("\(1000 + milliseconds % 1000)".dropFirst())"
  }

  // MARK: It is gone

  /// Exit code 0 without being asked.
  package static let ended = EndReason(.ended, "ended by itself")
  static let endedAsAsked = EndReason(.endedAsAsked, "ended when it was asked to")
  package static func killed(_ reason: EndReason) -> EndReason { EndReason(reason.code, "killed: \(reason)") }
  /// Another exit code, after the process had announced the reason.
  static func gaveUp(code: Int32) -> EndReason {
    EndReason(.gaveUp, "ended by itself with exit code \(code)")
  }
  /// An exit code without an announcement, or a signal raised by the process itself.
  package static func crashed(_ end: ProcessEnd) -> EndReason {
    switch end {
    case .exited(let code): EndReason(.crashed, "crashed with exit code \(code)")
    case .signalled(let signal): EndReason(.crashed, "crashed by \(SignalName.word(for: signal))")
    }
  }
  /// A signal sent by another process, not by iosd.
  package static func killedFromOutside(signal: Int32) -> EndReason {
    EndReason(.killedFromOutside, "killed from outside by \(SignalName.word(for: signal))")
  }

  static func unasked(_ end: ProcessEnd, announced: Bool) -> EndReason {
    switch end {
    case .exited(code: 0): .ended
    case .exited(let code): announced ? .gaveUp(code: code) : .crashed(end)
    // A bug in the program raises neither SIGHUP, SIGINT, SIGKILL nor SIGTERM.
    case .signalled(let signal) where [1, 2, 9, 15].contains(signal): .killedFromOutside(signal: signal)
    case .signalled: .crashed(end)
    }
  }
}

/// How the phone last acted on a process that is ending.
public enum Ending: Hashable, Codable, Sendable {
  case asked
  case killed(EndReason)
  /// Not at all: it was found ending.
  case found

  func reason(for end: ProcessEnd, announced: Bool) -> EndReason {
    switch (self, end) {
    case (.killed(let reason), .signalled(9)): .killed(reason)
    case (.asked, .exited(code: 0)): .endedAsAsked
    // It ended before our signal arrived.
    default: EndReason.unasked(end, announced: announced)
    }
  }
}

/// How a process ended, as one stored word.
public enum EndCode: String, Hashable, Codable, Sendable, CaseIterable {
  case ended
  case endedAsAsked = "ended-as-asked"
  case gaveUp = "gave-up"
  case crashed
  case killedFromOutside = "killed-from-outside"
  /// It ended together with an iosd that was killed.
  case lost
  // Killed by the phone.
  case swipedAway = "swiped-away"
  case timeLimit = "time-limit"
  case startLimit = "start-limit"
  case memoryLimit = "memory-limit"
  case graceOver = "grace-over"
  case lockHeldWhileSuspended = "lock-held-while-suspended"
  case watchdog
  case tasksNotEnded = "tasks-not-ended"
  case reboot
  case afterContent = "after-content"
  case reclaimed
}
