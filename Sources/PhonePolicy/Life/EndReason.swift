/// Why the phone kills a process.
public enum KillReason: Hashable, Codable, Sendable, CustomStringConvertible {
  case user
  case time(limitMilliseconds: Int64)
  /// The extension had not said `hello`.
  case startTime(limitMilliseconds: Int64)
  case memory(footprintBytes: UInt64, limitBytes: UInt64)
  /// It did not terminate within the grace after it was asked to.
  case graceOver
  /// It was suspended while it held a lock in the container.
  case lockHeldWhileSuspended(String)
  /// It did not confirm `enter-background` in time.
  case watchdog(milliseconds: Int64)
  /// It did not end its background tasks after their time.
  case tasksNotEnded(milliseconds: Int64)
  /// The phone reboots.
  case reboot
  /// It had delivered its content, and iOS does not let it run on.
  case afterContent
  /// It was suspended, or had served its one push, and iOS wants its memory back.
  case reclaimed

  var code: EndCode {
    switch self {
    case .user: .swipedAway
    case .time: .timeLimit
    case .startTime: .startLimit
    case .memory: .memoryLimit
    case .graceOver: .graceOver
    case .lockHeldWhileSuspended: .lockHeldWhileSuspended
    case .watchdog: .watchdog
    case .tasksNotEnded: .tasksNotEnded
    case .reboot: .reboot
    case .afterContent: .afterContent
    case .reclaimed: .reclaimed
    }
  }

  public var description: String {
    switch self {
    case .user: "swiped away by the user"
    case .time(let limit): "used up its \(Self.seconds(limit)) s for one push"
    case .startTime(let limit): "used up its time in starting up: \(Self.seconds(limit)) s"
    case .memory(let footprint, let limit):
      "exceeded mem limit: ActiveHard \(limit / 1_048_576) MB (fatal), with \(footprint) bytes"
    case .graceOver: "did not end when it was asked to"
    case .lockHeldWhileSuspended(let file): "0xdead10cc: suspended while it held a lock on \(file)"
    case .watchdog(let limit):
      "0x8badf00d: did not finish going to the background within \(Self.seconds(limit)) s"
    case .reboot: "reboot"
    case .afterContent: "after its content"
    case .reclaimed: "suspended, and its memory was reclaimed"
    case .tasksNotEnded(let limit): "did not end its background tasks after \(Self.seconds(limit)) s"
    }
  }

  private static func seconds(_ milliseconds: Int64) -> String {
    milliseconds % 1000 == 0
      ? "\(milliseconds / 1000)" : "\(milliseconds / 1000).\("\(1000 + milliseconds % 1000)".dropFirst())"
  }
}

/// Why a process is gone.
public enum EndReason: Hashable, Codable, Sendable, CustomStringConvertible {
  /// Exit code 0 without being asked.
  case ended
  /// Exit code 0 after it was asked to end.
  case endedAsAsked
  case killed(KillReason)
  /// Another exit code, after the process had announced the reason.
  case gaveUp(code: Int32)
  /// An exit code without an announcement, or a signal raised by the process itself.
  case crashed(ProcessEnd)
  /// A signal sent by another process, not by iosd.
  case killedFromOutside(signal: Int32)

  /// SIGHUP, SIGINT, SIGKILL and SIGTERM: a bug in the program does not raise these.
  static func isFromOutside(_ signal: Int32) -> Bool { [1, 2, 9, 15].contains(signal) }

  /// For programs: stable when the wording changes.
  public var code: EndCode {
    switch self {
    case .ended: .ended
    case .endedAsAsked: .endedAsAsked
    case .killed(let reason): reason.code
    case .gaveUp: .gaveUp
    case .crashed: .crashed
    case .killedFromOutside: .killedFromOutside
    }
  }

  public var isCrash: Bool { if case .crashed = self { true } else { false } }

  public var description: String {
    switch self {
    case .ended: "ended by itself"
    case .endedAsAsked: "ended when it was asked to"
    case .killed(let reason): "killed: \(reason)"
    case .gaveUp(let code): "ended by itself with exit code \(code)"
    case .crashed(.exited(let code)): "crashed with exit code \(code)"
    case .crashed(.signalled(let signal)): "crashed by \(SignalName.word(for: signal))"
    case .killedFromOutside(let signal): "killed from outside by \(SignalName.word(for: signal))"
    }
  }
}

/// How the phone last acted on a process that is ending.
public enum Ending: Hashable, Codable, Sendable {
  case asked
  case killed(KillReason)
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

extension EndReason {
  static func unasked(_ end: ProcessEnd, announced: Bool) -> EndReason {
    switch end {
    case .exited(code: 0): .ended
    case .exited(let code): announced ? .gaveUp(code: code) : .crashed(end)
    case .signalled(let signal): isFromOutside(signal) ? .killedFromOutside(signal: signal) : .crashed(end)
    }
  }
}

/// How a process ended, as one stored word: `EndReason` without its numbers.
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
