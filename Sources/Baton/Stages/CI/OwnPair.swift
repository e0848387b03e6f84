import Judge

/// A team's own programs in place of Baton's: those of a phone whose stories `baton ci` plays.
package struct OwnPair: Sendable {
  /// The levels of docs/protocols.md at which the stages can play a story; each needs those above it. A program of the
  /// first level, the phone alone, has no node, and no story is about it.
  package enum Level: String, CaseIterable, Comparable, Sendable {
    case container
    case peer
    case journal

    package static func < (one: Level, other: Level) -> Bool {
      (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
    }
  }

  /// Nil for Baton's program.
  package var app: String?
  package var ext: String?
  package var level: Level

  var iosdArguments: [String] { (app.map { ["--app", $0] } ?? []) + (ext.map { ["--ext", $0] } ?? []) }

  /// What the judge cannot demand of such programs.
  var evidenceMissing: Set<EvidencePart> { level < .journal ? [.journals] : [] }
}

/// Whether a story can be played on a team's own programs: what its lines need beyond what docs/protocols.md asks of
/// every program at a level.
enum StoryFit {
  /// Nil if it applies; else why not, with the first line that forbids it.
  static func whyNot(_ scenario: Scenario, on pair: OwnPair) -> String? {
    for step in scenario.steps {
      guard let need = need(step.command) else { continue }
      switch need {
      case .peer where pair.level >= .peer: continue
      default: return "\(need.rawValue) (line \(step.line): \(step.text))"
      }
    }
    return nil
  }

  private enum Need: String {
    case peer = "it needs a channel with the peer, which programs of the level container do not have"
    case wallet = "it is about another wallet of Baton's"
    case options = "it needs an option of Baton's own programs"
    case seed = "it is about the seed of Baton's own wallet"
    case texts = "it reads the texts of Baton's own wallet"
    case tasks = "it is about the background tasks of Baton's own app"
    case audio = "it is about the audio of Baton's own app"
    case memory = "it is about the memory of Baton's own app"
  }

  private static func need(_ command: Command) -> Need? {
    switch command {
    case .given(let setting): need(setting)
    case .make(let action): need(action)
    case .wait(let condition): need(condition)
    case .ask(let question): need(question)
    case .pass, .verdict: nil
    }
  }

  private static func need(_ setting: Setting) -> Need? {
    switch setting {
    case .wallet(let name): name == "phoenix" ? nil : .wallet
    case .startTakes, .extensionTakesToStart, .leavesReadOpen: .options
    case .playsAudio: .audio
    case .cleansUp: .tasks
    case .warnsOfMemory: .memory
    case .extensionWithoutKeychain, .seedForUnlockedPhone: .seed
    case .arrivesAfter, .storesBackupEvery, .holdsPayments, .sendersRetry, .sendersHave, .sendsSilentPushes:
      .peer
    case .suspendsAfter, .backgroundTime, .debugBuild, .silentTime, .silentBudget, .holdsInLowPower,
      .hourTakes, .hasAudioMode, .afterContent, .extensionStarts, .sparesLockHolders, .startsExtensionAnew:
      nil
    }
  }

  private static func need(_ action: StoryAction) -> Need? {
    switch action {
    case .pay, .payExpired, .payInParts, .payNextPart, .payInvoice, .payInReboot, .restartPeer,
      .stopPeer, .startPeer, .failNext, .failChannel:
      .peer
    case .press: .texts
    case .launchTask, .expireTask: .tasks
    case .reboot(let staysLocked): staysLocked ? .seed : nil
    case .open, .home, .quit, .homeAndBack, .kill, .freeze, .freezeInside, .thaw, .replaceLock,
      .emptyHeartbeat, .copyDatabase, .restoreCopy, .breakConnection, .loseMessage, .repeatMessage, .losePush,
      .device, .silentPush, .visiblePush, .touch, .sleepDevice, .stepClock:
      nil
    }
  }

  private static func need(_ condition: Condition) -> Need? {
    switch condition {
    case .settled, .failed, .waits, .senderAnswered, .invoiceExpired, .kept, .invoicePaid, .invoiceFailed,
      .allSettled:
      .peer
    case .appShows, .shown, .sees, .screenShows: .texts
    case .taskOver, .taskRuns, .taskWaits: .tasks
    case .audioPlays: .audio
    case .warnedOfMemory: .memory
    case .runs, .ended, .connected, .holds, .noHolder, .frozen, .suspended, .inFront, .shownAsSent,
      .silentPushOver, .silentPushCompleted:
      nil
    }
  }

  private static func need(_ question: Question) -> Need? {
    switch question {
    case .payments, .senders, .invoices, .balance: .peer
    case .appShows, .notifications, .badge, .records, .screen: .texts
    case .task: .tasks
    case .audio: .audio
    case .holder, .epoch, .howIs, .whyEnded, .howIsThePhone, .silentPushes, .pushes: nil
    }
  }
}
