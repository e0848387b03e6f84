import Ground
import PhonePolicy

// The language of the phone: how it is, how it is switched, what it delivers and shows.
extension Phrase {
  static let settings = [
    Phrase("the phone suspends the app after TIME", "In the background, if nothing keeps it awake; else 5 s.")
    {
      .given(.suspendsAfter($0.span))
    },
    Phrase(
      "the phone gives the app TIME in the background", "While it has a task of its own there; else 180 s."
    ) { .given(.backgroundTime($0.span)) },
    Phrase("what the wallet pays takes TIME to arrive", "At whoever made the invoice; else no time.") {
      .given(.arrivesAfter($0.span))
    },
    Phrase("the phone gives the app TIME for a silent push", "In the background; else 30 s.") {
      .given(.silentTime($0.span))
    },
    Phrase("the phone lets TIMES silent pushes an hour through", "Those that wake the app; else 3.") {
      .given(.silentBudget(perHour: $0.times))
    },
    Phrase(
      "the phone holds silent pushes back in Low Power Mode",
      "The newest waits until it is off again; else each is dropped."
    ) { _ in .given(.holdsInLowPower) },
    Phrase("the phone runs a debug build", "No limits of time and memory, and tasks can be run by hand.") {
      _ in
      .given(.debugBuild)
    },
    Phrase(
      "an hour of the phone's budgets takes TIME",
      "Of background tasks and silent pushes; else an hour. What runs has its real time."
    ) { .given(.hourTakes($0.span)) },
    Phrase("the app has the background mode audio", "Declared by its makers; else what it plays is refused.")
    {
      _ in .given(.hasAudioMode)
    },
    Phrase("the app plays audio in the background", "So quietly that nobody hears it, to stay awake.") { _ in
      .given(.playsAudio)
    },
    Phrase(
      "the app cleans up in the background",
      "It asks for the task “com.example.lightning.processing”, which needs the charger; else only for “com.example.lightning.sync”."
    ) { _ in .given(.cleansUp) },
    Phrase(
      "the phone warns the app above MEGABYTES MB", "Of the memory that it uses; else above 100.",
      .real(because: "nothing in the simulated world has a size")
    ) { .given(.warnsOfMemory(megabytes: $0.megabytes)) },
    Phrase(
      "the extension has no entitlement for the wallet's seed",
      "It is signed without the access group of that item."
    ) { _ in .given(.extensionWithoutKeychain) },
    Phrase(
      "the wallet's seed is kept for an unlocked phone",
      "Its item is of the class `when-unlocked`; else `after-first-unlock`."
    ) { _ in .given(.seedForUnlockedPhone) },
    Phrase("the peer sends silent pushes too", "One after each visible push, to wake the app.") { _ in
      .given(.sendsSilentPushes)
    },
  ]

  static let device = [
    Phrase("the phone is locked", "An app in front goes to the background.") { _ in .make(.device(.locked)) },
    Phrase("the phone is unlocked", "The app that was in front is so again.") { _ in .make(.device(.unlocked))
    },
    Phrase("the network goes away", "Connections end, and both processes are told.") { _ in
      .make(.device(.network(false)))
    },
    Phrase("the network comes back", "Both processes are told.") { _ in .make(.device(.network(true))) },
    Phrase("Low Power Mode is switched SWITCH", "While it is on, silent pushes do not come.") {
      .make(.device(.lowPowerMode($0.isOn)))
    },
    Phrase(
      "Background App Refresh is switched SWITCH",
      "For the wallet. While it is off, silent pushes do not come."
    ) {
      .make(.device(.backgroundRefresh($0.isOn)))
    },
    Phrase(
      "notifications are switched SWITCH", "For the wallet. While they are off, the extension is not started."
    ) {
      .make(.device(.notifications($0.isOn)))
    },
    Phrase("a Focus is switched SWITCH", "While it is on, only what is urgent lights up the screen.") {
      .make(.device(.focus($0.isOn)))
    },
    Phrase("the battery is at PERCENT percent", "Without much of it no task runs.") {
      .make(.device(.battery(percent: $0.percent)))
    },
    Phrase("the charger is plugged in", "Some tasks wait for it.") { _ in
      .make(.device(.charger(true)))
    },
    Phrase("the charger is unplugged", "Such a task that runs has to end.") { _ in
      .make(.device(.charger(false)))
    },
  ]

  static let rest = [
    Phrase(
      "the storage fills up", "Of the phone, as it says; files can be written all the same."
    ) { _ in .make(.device(.storage(isFull: true))) },
    Phrase("there is room in the storage again", "As before.") { _ in
      .make(.device(.storage(isFull: false)))
    },
    Phrase("another app plays audio", "What the wallet plays mixes with it, and goes on.") {
      _ in
      .make(.device(.otherAudio(true)))
    },
    Phrase("the other app stops playing", "As before.") { _ in
      .make(.device(.otherAudio(false)))
    },
  ]

  static let pushes = [
    Phrase("a silent push arrives", "One about a payment, which may wake the app in the background.") { _ in
      .make(.silentPush)
    },
    Phrase("the user taps the newest notification", "The app comes to the front.") { _ in
      .make(.touch(.tap))
    },
    Phrase(
      "the user dismisses the newest notification", "It is gone, and the app hears of it if it wants to."
    ) {
      _ in .make(.touch(.dismiss))
    },
    Phrase("the user chooses “ID” of the newest notification", "One of its actions, such as “OPEN_NOW”.") {
      .make(.touch(.action($0.text)))
    },
  ]

  static let tasks = [
    Phrase(
      "the task “ID” is launched", "By hand, as Xcode can; in a debug build only."
    ) { .make(.launchTask($0.text)) },
    Phrase(
      "the task “ID” expires", "By hand: the app is told to end it; in a debug build only."
    ) { .make(.expireTask($0.text)) },
  ]

  static let phoneWaits = [
    Phrase("wait until the app is suspended", "Stopped by the phone, which never suspends the extension.") {
      _ in
      .wait(.suspended)
    },
    Phrase("wait until the app is in front", "The user looks at it.") { _ in .wait(.inFront) },
    Phrase("wait until the user sees a push as it was sent", "Nobody has said anything better.") { _ in
      .wait(.shownAsSent)
    },
    Phrase("wait until the newest silent push is over", "Dropped, replaced, completed, or out of time.") {
      _ in
      .wait(.silentPushOver)
    },
    Phrase("wait until the newest silent push is completed", "By the app, with whatever result.") { _ in
      .wait(.silentPushCompleted)
    },
    Phrase("wait until the task “ID” is over", "Completed, expired, or gone.") {
      .wait(.taskOver($0.text))
    },
    Phrase("wait until the task “ID” runs", "The phone has begun it.") { .wait(.taskRuns($0.text)) },
    Phrase(
      "wait until the task “ID” waits, as “TEXT”", "In the words of the phone, as `baton tasks` has them."
    ) {
      .wait(.taskWaits($0.text, because: $0.sentence))
    },
    Phrase("wait until the app plays audio", "The phone has let it.") { _ in .wait(.audioPlays) },
    Phrase(
      "wait until the app is warned of its memory", "It has passed the figure, and is told so.",
      .real(because: "nothing in the simulated world has a size")
    ) { _ in .wait(.warnedOfMemory) },
  ]

  static let phoneQuestions = [
    Phrase("why did the PROCESS end?", "The last that ended, whatever runs now.") {
      .ask(.whyEnded($0.role))
    },
    Phrase("how is the phone?", "What is switched otherwise than when it was new.") { _ in
      .ask(.howIsThePhone)
    },
    Phrase("what does the badge say?", "The number on the wallet's icon.") { _ in .ask(.badge) },
    Phrase("what became of the silent pushes?", "In the words of the phone, the oldest first.") { _ in
      .ask(.silentPushes)
    },
    Phrase(
      "what became of the task “ID”?", "The newest run of it, or else what the app has asked for."
    ) {
      .ask(.task($0.text))
    },
    Phrase("what does the app play?", "Whether it is to be heard, as the phone has it.") { _ in .ask(.audio)
    },
  ]
}
