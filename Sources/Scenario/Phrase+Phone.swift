import Ground
import PhonePolicy

// The language of the phone: settings, switches, pushes, notifications and tasks.
extension Phrase {
  static let settings = [
    Phrase(
      "the phone suspends the app after TIME", "In the background, if nothing keeps it awake; default 5 s."
    ) {
      .given(.suspendsAfter($0.span))
    },
    Phrase(
      "the phone gives the app TIME in the background", "While it has a background task; default 180 s."
    ) { .given(.backgroundTime($0.span)) },
    Phrase("what the wallet pays takes TIME to arrive", "At the invoice's recipient; default 0 s.") {
      .given(.arrivesAfter($0.span))
    },
    Phrase("the phone gives the app TIME for a silent push", "In the background; default 30 s.") {
      .given(.silentTime($0.span))
    },
    Phrase("the phone lets TIMES silent pushes an hour through", "Those that wake the app; default 3.") {
      .given(.silentBudget(perHour: $0.times))
    },
    Phrase(
      "the phone holds silent pushes back in Low Power Mode",
      "The newest waits until the mode is off; default: each is dropped."
    ) { _ in .given(.holdsInLowPower) },
    Phrase("the phone runs a debug build", "No limits of time and memory, and tasks can be run by hand.") {
      _ in
      .given(.debugBuild)
    },
    Phrase(
      "an hour of the phone's budgets takes TIME",
      "Of background tasks and silent pushes; default 1 h. The time limit of a running task is not scaled."
    ) { .given(.hourTakes($0.span)) },
    Phrase("the app has the background mode audio", "Without it the app's audio is refused.") {
      _ in .given(.hasAudioMode)
    },
    Phrase("the app plays audio in the background", "Inaudibly, to stay awake.") { _ in
      .given(.playsAudio)
    },
    Phrase(
      "the app cleans up in the background",
      "It submits the task “com.example.lightning.processing”, which needs the charger; default only “com.example.lightning.sync”."
    ) { _ in .given(.cleansUp) },
    Phrase(
      "the phone warns the app above MEGABYTES MB", "With a memory warning; default 100.",
      .real(because: "simulated processes have no memory footprint")
    ) { .given(.warnsOfMemory(megabytes: $0.megabytes)) },
    Phrase(
      "the extension has no entitlement for the wallet's seed",
      "It is signed without the access group of that item."
    ) { _ in .given(.extensionWithoutKeychain) },
    Phrase(
      "the wallet's seed is kept for an unlocked phone",
      "Its keychain class is `when-unlocked`; default `after-first-unlock`."
    ) { _ in .given(.seedForUnlockedPhone) },
    Phrase("the peer sends silent pushes too", "One after each visible push, to wake the app.") { _ in
      .given(.sendsSilentPushes)
    },
  ]

  static let device = [
    Phrase("the phone is locked", "An app in front goes to the background.") { _ in .make(.device(.locked)) },
    Phrase("the phone is unlocked", "The app that was in front returns to the front.") { _ in
      .make(.device(.unlocked))
    },
    Phrase("the network goes away", "Connections end, and both processes are told.") { _ in
      .make(.device(.network(false)))
    },
    Phrase("the network comes back", "Both processes are told.") { _ in .make(.device(.network(true))) },
    Phrase("Low Power Mode is switched SWITCH", "While it is on, silent pushes are not delivered.") {
      .make(.device(.lowPowerMode($0.isOn)))
    },
    Phrase(
      "Background App Refresh is switched SWITCH",
      "For the wallet. While it is off, silent pushes are not delivered."
    ) {
      .make(.device(.backgroundRefresh($0.isOn)))
    },
    Phrase(
      "notifications are switched SWITCH", "For the wallet. While they are off, the extension is not started."
    ) {
      .make(.device(.notifications($0.isOn)))
    },
    Phrase(
      "a Focus is switched SWITCH",
      "While it is on, only time-sensitive and critical notifications are displayed."
    ) {
      .make(.device(.focus($0.isOn)))
    },
    Phrase("the battery is at PERCENT percent", "A low battery holds tasks back.") {
      .make(.device(.battery(percent: $0.percent)))
    },
    Phrase("the charger is plugged in", "Some tasks need it.") { _ in
      .make(.device(.charger(true)))
    },
    Phrase("the charger is unplugged", "A running task that needs it has to end.") { _ in
      .make(.device(.charger(false)))
    },
  ]

  static let rest = [
    Phrase(
      "the storage fills up", "As the phone reports; files stay writable."
    ) { _ in .make(.device(.storage(isFull: true))) },
    Phrase("there is room in the storage again", "As before.") { _ in
      .make(.device(.storage(isFull: false)))
    },
    Phrase("another app plays audio", "The wallet's audio continues, mixed with the other app's.") {
      _ in
      .make(.device(.otherAudio(true)))
    },
    Phrase("the other app stops playing", "As before.") { _ in
      .make(.device(.otherAudio(false)))
    },
  ]

  static let pushes = [
    Phrase("a silent push arrives", "About a payment; it may wake the app in the background.") { _ in
      .make(.silentPush)
    },
    Phrase("the user taps the newest notification", "The app comes to the front.") { _ in
      .make(.touch(.tap))
    },
    Phrase(
      "the user dismisses the newest notification", "The app is told if the category asks for that."
    ) {
      _ in .make(.touch(.dismiss))
    },
    Phrase("the user chooses “ID” of the newest notification", "One of its actions, such as “OPEN_NOW”.") {
      .make(.touch(.action($0.text)))
    },
  ]

  static let tasks = [
    Phrase(
      "the task “ID” is launched", "By hand, as in Xcode; in a debug build only."
    ) { .make(.launchTask($0.text)) },
    Phrase(
      "the task “ID” expires", "By hand, as in Xcode; in a debug build only."
    ) { .make(.expireTask($0.text)) },
  ]

  static let phoneWaits = [
    Phrase("wait until the app is suspended", "By the phone, which never suspends the extension.") {
      _ in
      .wait(.suspended)
    },
    Phrase("wait until the app is in front", "It is in the foreground.") { _ in .wait(.inFront) },
    Phrase("wait until the user sees a push as it was sent", "With its original alert.") { _ in
      .wait(.shownAsSent)
    },
    Phrase("wait until the newest silent push is over", "Dropped, replaced, completed or expired.") {
      _ in
      .wait(.silentPushOver)
    },
    Phrase("wait until the newest silent push is completed", "By the app, with any result.") { _ in
      .wait(.silentPushCompleted)
    },
    Phrase("wait until the task “ID” is over", "Completed, expired or lost.") {
      .wait(.taskOver($0.text))
    },
    Phrase("wait until the task “ID” runs", "The phone has launched it.") { .wait(.taskRuns($0.text)) },
    Phrase(
      "wait until the task “ID” waits, as “TEXT”", "TEXT as in `baton tasks`."
    ) {
      .wait(.taskWaits($0.text, because: $0.sentence))
    },
    Phrase("wait until the app plays audio", "The phone permits it.") { _ in .wait(.audioPlays) },
    Phrase(
      "wait until the app is warned of its memory", "Its footprint is above the setting, and it was warned.",
      .real(because: "simulated processes have no memory footprint")
    ) { _ in .wait(.warnedOfMemory) },
  ]

  static let phoneQuestions = [
    Phrase("why did the PROCESS end?", "The last process of its role that ended.") {
      .ask(.whyEnded($0.role))
    },
    Phrase("how is the phone?", "The switches that differ from a new phone.") { _ in
      .ask(.howIsThePhone)
    },
    Phrase("what does the badge say?", "The number on the wallet's icon.") { _ in .ask(.badge) },
    Phrase("what became of the silent pushes?", "Their fates, oldest first.") { _ in
      .ask(.silentPushes)
    },
    Phrase(
      "what became of the task “ID”?", "Its newest run, or else its request."
    ) {
      .ask(.task($0.text))
    },
    Phrase("what does the app play?", "Whether the app's audio plays, as the phone reports.") { _ in
      .ask(.audio)
    },
  ]
}
