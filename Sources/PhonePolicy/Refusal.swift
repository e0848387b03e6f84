import Ground

/// Why the phone does not do, or ends, what was asked of it: a sentence with what to do, if anything can be done.
public struct Refusal: Hashable, Codable, Sendable, CustomStringConvertible {
  public let description: String
  /// The app had the request, and may carry it out.
  public private(set) var leavesOutcomeUnknown = false

  private init(_ sentence: String) { description = sentence }

  private static func unknownOutcome(_ sentence: String) -> Refusal {
    var refusal = Refusal("the outcome is unknown: \(sentence)")
    refusal.leavesOutcomeUnknown = true
    return refusal
  }
}

// User input and links.
extension Refusal {
  static let appIsEnding = Refusal("the app is terminating; try again when it has ended")
  static let goingDown = Refusal("the phone is powering off; start it again")
  package static let rebooting = Refusal("the phone is rebooting; try again in a moment")
  static func noSuchAction(_ id: String) -> Refusal {
    Refusal(
      "the app has registered no action \(id) for this notification; `baton list categories` lists the registered ones"
    )
  }
  static func noApp(scheme: String) -> Refusal {
    Refusal(
      "no installed app has registered the scheme `\(scheme)`; register it with `iosd --url-scheme`, or start the phone with a wallet that has it"
    )
  }
}

// Requests to the app.
extension Refusal {
  static let appNotRunning = Refusal(
    "the app is not running, and only the app can do that; open it first")
  static let appStarting = Refusal("the app is still starting, and only the app can do that; try again")
  static let appSuspended = Refusal("the app is suspended, and only the app can do that; open it first")
  static let appTerminates = Refusal(
    "the app is terminating, and only the app can do that; open it again first")
  static let notInFront = Refusal("this needs the app in the foreground; open it first")
  static let appEnded = unknownOutcome(
    "the app ended before it answered, and may have begun the request; open it, and look at `baton list payments` before you try again"
  )
  package static let timedOut = unknownOutcome(
    "the app did not answer in time, and may still begin the request; look at `baton list payments` before you try again"
  )
}

// The contents of notifications, the pasteboard and audio.
extension Refusal {
  static let criticalWithoutEntitlement = Refusal(
    "a critical notification needs the entitlement critical-alerts, which the wallet does not have")
  static let emptyWithoutEntitlement = Refusal(
    "content without a text needs the entitlement \(Entitlements.filtering), which the extension does not have"
  )
  static let noPasteboard = Refusal("a notification service extension has no pasteboard")
  static let copiedBehind = Refusal(
    "the app is not in front, and only the app that the user sees changes the pasteboard")
  static let notDeclared = Refusal(
    "the app has not declared the background mode audio; start the phone with --background-mode audio")
  static let silent = Refusal(
    "audio at volume 0 counts as idle and keeps no app awake; play at 0.001 or louder")
  static let otherPlays = Refusal(
    "another app plays audio, and this session does not mix with it; start it again when the other audio has ended"
  )
  /// The app was suspended or told to terminate before its request arrived.
  static let tooLate = Refusal(
    "the phone had suspended the app or told it to terminate before the request arrived; start the audio again when the app resumes"
  )
}

// Keychain items, containers and entitlements.
extension Refusal {
  static func unknownProcess(pid: Int32, group: String) -> Refusal {
    Refusal("process \(pid) was not started by this phone, so it has no entitlement for \(group)")
  }
  static func notEntitled(_ role: Role, group: String) -> Refusal {
    Refusal(
      "the \(role.rawValue) has no entitlement for the access group \(group); add it to the file of --entitlements-file"
    )
  }
  static func noContainer(_ role: Role, id: String) -> Refusal {
    Refusal(
      "the \(role.rawValue) has no container of the app group \(id); add it to the file of --entitlements-file"
    )
  }
  static let notUnlockedSinceBoot = Refusal("the phone has not been unlocked since it was started")
  static let locked = Refusal(
    "the phone is locked, and this item can only be read while it is unlocked")
  static func noTeam(_ group: String) -> Refusal {
    Refusal(
      "the access group \(group) does not begin with a team id; write it as \(Entitlements.accessGroup)")
  }
  static func noAppGroup(_ group: String) -> Refusal {
    Refusal("the app group \(group) does not begin with group.; write it as \(Entitlements.appGroup)")
  }
}

// Background tasks: requests, what a developer does by hand, and the ends of runs.
extension Refusal {
  static func notPermitted(permitted: [String]) -> Refusal {
    Refusal(
      "the identifier is not among those that the app may use (\(permitted.joined(separator: ", "))); permit it with --permitted-task"
    )
  }
  static func tooMany(_ kind: TaskKind) -> Refusal {
    switch kind {
    case .refresh: Refusal("a refresh is already pending, and only one may be; cancel it first")
    case .processing: Refusal("ten processing tasks are already pending, the maximum; cancel one first")
    }
  }
  static let refreshOff = Refusal(
    "background app refresh is off; turn it on with `baton device background-refresh on`")
  /// `earliestBeginDate` is negative.
  static let badTime = Refusal("the earliest begin must be 0 s or later; give a number of seconds from 0 up")
  static let productionBuild = Refusal(
    "only a debug build starts or expires a task by hand, as Xcode does; start the phone with --build debug")
  static let notWaiting = Refusal("no such task is pending; `baton list tasks` lists the pending ones")
  static let alreadyRuns = Refusal(
    "a task with that identifier is already running; try again when it is done")
  static let notRunning = Refusal("no such task is running; `baton list tasks` lists the running ones")
  static let appEnding = Refusal(
    "the app is terminating, or the phone is powering off or rebooting; try again later")
  package static let timeUp = Refusal("its time was up")
  package static let phoneInUse = Refusal("the user picked up the phone")
  package static let chargerGone = Refusal("the charger was unplugged")
  package static let byHand = Refusal("it was expired by hand")
}
