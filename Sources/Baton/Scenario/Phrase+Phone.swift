import Ground
import PhonePolicy
import Guardrails

// The language of the phone: settings, switches, pushes, notifications and tasks.
extension Phrase {
  /// One for each wallet but the default.
  static let wallets = WalletProfile.all.dropFirst().map { wallet in
    Phrase(
      "the wallet is \(wallet.name)",
      "In this wallet \(wallet.sentence); default \(WalletProfile.phoenix.name): \(WalletProfile.phoenix.sentence)."
    ) { _ in .given(.wallet(wallet.name)) }
  }

  static let settings = [
    Phrase(
      "the phone suspends the app after TIME",
      "iOS suspends the app this long after it left the foreground, unless it has a background task; default 5 s."
    ) { .given(.suspendsAfter($0.span)) },
    Phrase(
      "the extension runs on after its content", "Until it has finished the push; by default iOS suspends it."
    ) { _ in .given(.afterContent(.run)) },
    Phrase(
      "the extension is killed after its content",
      "As soon as iOS has the content; by default iOS suspends it."
    ) { _ in .given(.afterContent(.kill)) },
    Phrase(
      "the phone gives the extension TIME to start", "From its launch to its first message; default 10 s."
    ) { .given(.extensionStarts($0.span)) },
    Phrase(
      "the extension takes TIME to start",
      "From its launch to its first message, as by mistake; default: the milliseconds that its real process takes."
    ) { .given(.extensionTakesToStart($0.span)) },
    Phrase(
      "the phone spares who is suspended with a lock",
      "By default iOS kills a process that it suspends with a lock in the container: 0xdead10cc."
    ) { _ in .given(.sparesLockHolders) },
    Phrase(
      "the PROCESS leaves a read of the database open",
      "It begins a read transaction and never finishes: a lock, when iOS suspends the process."
    ) { .given(.leavesReadOpen($0.role)) },
    Phrase(
      "each push starts a new extension", "A suspended extension is not resumed, but ended and started again."
    ) { _ in .given(.startsExtensionAnew) },
    Phrase(
      "the phone gives the app TIME in the background",
      "The time that `beginBackgroundTask` gives the app; default 180 s."
    ) { .given(.backgroundTime($0.span)) },
    Phrase(
      "what the wallet pays takes TIME to arrive",
      "The time until an outgoing payment reaches its recipient; default 0 s."
    ) { .given(.arrivesAfter($0.span)) },
    Phrase(
      "the start of the wallet's node takes TIME",
      "In both processes the node waits this long for something outside, such as a fee server, before it dials; default 0 s."
    ) { .given(.startTakes($0.span)) },
    Phrase(
      "the peer holds a payment for TIME",
      "How long a payment waits at the peer for a wallet that is away; default 120 s, in whole seconds."
    ) { .given(.holdsPayments($0.span)) },
    Phrase(
      "senders try again as the peer hints",
      "After a failure that may pass a sender asks the peer for a hint, for at most 12 s; by default it makes one attempt."
    ) { _ in .given(.sendersRetry(byHints: true)) },
    Phrase(
      "senders try again by a schedule",
      "After a failure that may pass: after 1, 3 and 7 s, for at most 12 s."
    ) { _ in .given(.sendersRetry(byHints: false)) },
    Phrase(
      "senders have AMOUNT sat", "Each sender that tries again can spend this much; by default it has enough."
    ) { .given(.sendersHave(amountSat: $0.amountSat ?? 0)) },
    Phrase(
      "the peer stores the wallet's backup at most once in TIME",
      "Of the backups that come in this time only the last is stored, at its end; until then the peer returns an older one, and a restart of the peer loses the newer one. Default 0 s: each backup is stored at once."
    ) { .given(.storesBackupEvery($0.span)) },
    Phrase(
      "the phone gives the app TIME for a silent push",
      "The time to complete a silent push in the background; default 30 s."
    ) { .given(.silentTime($0.span)) },
    Phrase(
      "the phone lets TIMES silent pushes an hour through",
      "How many silent pushes an hour may wake the app; default 3."
    ) { .given(.silentBudget(perHour: $0.times)) },
    Phrase(
      "the phone holds silent pushes back in Low Power Mode",
      "The newest silent push waits until the mode is off; by default each is dropped."
    ) { _ in .given(.holdsInLowPower) },
    Phrase(
      "the phone runs a debug build",
      "The phone sets no limits of time and memory; a story can launch background tasks."
    ) { _ in .given(.debugBuild) },
    Phrase(
      "an hour of the phone's budgets takes TIME",
      "Scales the budgets of background tasks and silent pushes, not the time limit of a running task; default 1 h."
    ) { .given(.hourTakes($0.span)) },
    Phrase("the app has the background mode audio", "Without this line the phone refuses the app's audio.") {
      _ in .given(.hasAudioMode)
    },
    Phrase(
      "the app plays audio in the background",
      "The app plays inaudible audio, so that the phone does not suspend it."
    ) { _ in .given(.playsAudio) },
    Phrase(
      "the app cleans up in the background",
      "The app also submits the task “com.example.lightning.processing”, which needs the charger; by default only “com.example.lightning.sync”."
    ) { _ in .given(.cleansUp) },
    Phrase(
      "the phone warns the app above MEGABYTES MB",
      "The phone sends a memory warning above this footprint; default 100.",
      .real(because: "simulated processes have no memory footprint")
    ) { .given(.warnsOfMemory(megabytes: $0.megabytes)) },
    Phrase(
      "the extension has no entitlement for the wallet's seed",
      "The extension is signed without the seed's keychain access group."
    ) { _ in .given(.extensionWithoutKeychain) },
    Phrase(
      "the wallet's seed is kept for an unlocked phone",
      "The seed's keychain class is `when-unlocked`; default `after-first-unlock`."
    ) { _ in .given(.seedForUnlockedPhone) },
    Phrase(
      "the peer sends silent pushes too",
      "After each visible push the peer also requests a silent push, to wake the app."
    ) { _ in .given(.sendsSilentPushes) },
  ]

  static let device = [
    Phrase("the phone is locked", "An app in front goes to the background.") { _ in .make(.device(.locked)) },
    Phrase("the phone is unlocked", "The app that was in front returns to the front.") { _ in
      .make(.device(.unlocked))
    },
    Phrase(
      "the network goes away",
      "Connections end, and the phone reports it to both processes. Of later pushes the newest is kept."
    ) { _ in .make(.device(.network(false))) },
    Phrase(
      "the network comes back", "The phone reports it to both processes, and gets the kept push."
    ) { _ in .make(.device(.network(true))) },
    Phrase("Low Power Mode is switched SWITCH", "While the mode is on, silent pushes are not delivered.") {
      .make(.device(.lowPowerMode($0.isOn)))
    },
    Phrase(
      "Background App Refresh is switched SWITCH",
      "While the wallet's switch is off, silent pushes are not delivered."
    ) { .make(.device(.backgroundRefresh($0.isOn))) },
    Phrase(
      "notifications are switched SWITCH",
      "While the wallet's switch is off, the phone does not start the extension."
    ) { .make(.device(.notifications($0.isOn))) },
    Phrase(
      "alerts on the lock screen are switched SWITCH",
      "The phone starts the extension only if an alert of the wallet can appear somewhere."
    ) { .make(.device(.lockScreen($0.isOn))) },
    Phrase(
      "alerts in the Notification Centre are switched SWITCH",
      "The phone starts the extension only if an alert of the wallet can appear somewhere."
    ) { .make(.device(.centre($0.isOn))) },
    Phrase(
      "banners are switched SWITCH",
      "With banners alone, the phone starts the extension only while it is unlocked."
    ) { .make(.device(.banners($0.isOn))) },
    Phrase(
      "a Focus is switched SWITCH",
      "While a Focus is on, only time-sensitive and critical notifications are displayed."
    ) { .make(.device(.focus($0.isOn))) },
    Phrase(
      "the battery is at PERCENT percent",
      "The phone launches no background task while the battery is low and the charger unplugged."
    ) { .make(.device(.battery(percent: $0.percent))) },
    Phrase("the charger is plugged in", "The phone may launch background tasks that need the charger.") { _ in
      .make(.device(.charger(true)))
    },
    Phrase("the charger is unplugged", "A running background task that needs the charger expires.") { _ in
      .make(.device(.charger(false)))
    },
  ]

  static let rest = [
    Phrase(
      "the storage fills up", "The wallet's databases get no more room."
    ) { _ in .make(.device(.storage(isFull: true))) },
    Phrase("there is room in the storage again", "They get room again.") { _ in
      .make(.device(.storage(isFull: false)))
    },
    Phrase("another app plays audio", "The wallet's audio continues, mixed with the other app's.") { _ in
      .make(.device(.otherAudio(true)))
    },
    Phrase("the other app stops playing", "Only the wallet's audio, if any, goes on.") { _ in
      .make(.device(.otherAudio(false)))
    },
  ]

  static let pushes = [
    Phrase("a silent push arrives", "The push is about a payment; it may wake the app in the background.") {
      _ in .make(.silentPush)
    },
    Phrase(
      "a visible push arrives", "The push announces a payment that no sender makes.",
      .real(because: "in the simulated world the peer alone requests visible pushes")
    ) { _ in .make(.visiblePush) },
    Phrase("the user taps the newest notification", "The app comes to the front.") { _ in .make(.touch(.tap))
    },
    Phrase(
      "the user dismisses the newest notification",
      "The phone informs the app if the notification's category asks for that."
    ) { _ in .make(.touch(.dismiss)) },
    Phrase(
      "the user presses “TEXT”",
      "The user presses a button of the app's screen, such as “Retry Now”; with `the wallet is bitkit`."
    ) { .make(.press($0.sentence)) },
    Phrase(
      "the user chooses “ID” of the newest notification",
      "The user chooses one of the notification's actions, such as “OPEN_NOW”."
    ) { .make(.touch(.action($0.text))) },
  ]

  static let tasks = [
    Phrase(
      "the task “ID” is launched", "The developer launches the task, as in Xcode; in a debug build only."
    ) { .make(.launchTask($0.text)) },
    Phrase(
      "the task “ID” expires",
      "The developer lets the running task expire, as in Xcode; in a debug build only."
    ) { .make(.expireTask($0.text)) },
  ]

  static let phoneWaits = [
    Phrase(
      "wait until the PROCESS is suspended",
      "The phone has suspended the app in the background, or the extension after its content."
    ) { .wait(.suspended($0.role)) },
    Phrase("wait until the app is in front", "The app is in the foreground.") { _ in .wait(.inFront) },
    Phrase("wait until the user sees “TEXT”", "A notification has exactly this title.") {
      .wait(.sees(title: $0.sentence))
    },
    Phrase(
      "wait until the app's screen shows “TEXT”",
      "The first line of the answer to `what does the app's screen show?`."
    ) { .wait(.screenShows($0.sentence)) },
    Phrase("wait until the user sees a push as it was sent", "A push is shown with its original alert.") {
      _ in .wait(.shownAsSent)
    },
    Phrase(
      "wait until the newest silent push is over",
      "The push was dropped, replaced, completed or abandoned, or has expired."
    ) { _ in .wait(.silentPushOver) },
    Phrase(
      "wait until the newest silent push is completed", "The app has completed the push, with any result."
    ) { _ in .wait(.silentPushCompleted) },
    Phrase("wait until the task “ID” is over", "The task was completed, has expired, or was lost.") {
      .wait(.taskOver($0.text))
    },
    Phrase("wait until the task “ID” runs", "The phone has launched the task.") { .wait(.taskRuns($0.text)) },
    Phrase(
      "wait until the task “ID” waits, as “TEXT”",
      "The task waits for the reason TEXT, in the words of `baton list tasks`."
    ) { .wait(.taskWaits($0.text, because: $0.sentence)) },
    Phrase("wait until the app plays audio", "The app plays audio, and the phone permits it.") { _ in
      .wait(.audioPlays)
    },
    Phrase(
      "wait until the app is warned of its memory",
      "The app's footprint is above the limit, and the phone has sent the warning.",
      .real(because: "simulated processes have no memory footprint")
    ) { _ in .wait(.warnedOfMemory) },
  ]

  static let phoneQuestions = [
    Phrase("why did the PROCESS end?", "The reason of the last app or extension process that ended.") {
      .ask(.whyEnded($0.role))
    },
    Phrase("how is the phone?", "The switches that differ from a new phone.") { _ in .ask(.howIsThePhone) },
    Phrase(
      "what became of the pushes?",
      "Whether each visible or silent push was shown, replaced or held back; oldest first."
    ) { _ in .ask(.pushes) },
    Phrase("what does the badge say?", "The number on the wallet's icon.") { _ in .ask(.badge) },
    Phrase(
      "what became of the silent pushes?", "Whether each was dropped, waits, or was completed; oldest first."
    ) { _ in .ask(.silentPushes) },
    Phrase(
      "what became of the task “ID”?", "The result of the task's newest run, or the state of its request."
    ) { .ask(.task($0.text)) },
    Phrase(
      "what does the app's screen show?",
      "Of an app that completes what its extension announces: the wallet, or the state of an incoming payment."
    ) { _ in .ask(.screen) },
    Phrase(
      "what is recorded as incoming?",
      "The payments that Bitkit's extension has recorded, and the app has not cleared; oldest first."
    ) { _ in .ask(.records) },
    Phrase("what does the app play?", "Whether the app's audio plays, as the phone reports.") { _ in
      .ask(.audio)
    },
  ]
}
