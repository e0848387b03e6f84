import Ground
import Guardrails
import PhonePolicy

// The language: every form that a line can have, and what it does.
extension Phrase {
  static let verdictForm = "the verdict"

  static let all: [Phrase] =
    head + user + money + device + pushes + tasks + faults + simulatedFaults + realFaults + waits + [pause]
    + phoneWaits + questions + [verdict]

  private static let pause = Phrase(
    form: "TIME pass", meaning: "The story continues after this time; the only fixed pause."
  ) { .pass($0.span) }

  private static let verdict = Phrase(
    form: verdictForm,
    meaning:
      "The last line of every story: did only one process at a time use the node, is the money right, did all settle?"
  ) { _ in .verdict }

  private static func make(
    _ form: String, _ meaning: String, need: Need? = nil, place: Scenario.Place = .everywhere,
    _ action: @escaping @Sendable (Found) -> StoryAction
  ) -> Phrase {
    Phrase(form: form, meaning: meaning, place: place, need: need) { .make(action($0)) }
  }

  private static func make(
    _ form: String, _ meaning: String, _ action: StoryAction, need: Need? = nil,
    place: Scenario.Place = .everywhere
  ) -> Phrase {
    Phrase(form: form, meaning: meaning, place: place, need: need) { _ in .make(action) }
  }

  /// `form` continues "wait until".
  private static func wait(
    _ form: String, _ meaning: String, need: Need? = nil, place: Scenario.Place = .everywhere,
    _ holds: @escaping @Sendable (Scene, Found) -> Bool
  ) -> Phrase {
    Phrase(form: "wait until \(form)", meaning: meaning, place: place, need: need) { found in
      .wait(Condition(words: String(found.line.dropFirst(5))) { holds($0, found) })
    }
  }

  private static func ask(
    _ form: String, _ meaning: String, need: Need? = nil,
    _ answer: @escaping @Sendable (Scene, Scenario, Found) -> [String]
  ) -> Phrase {
    Phrase(form: form, meaning: meaning, need: need) { found in .ask { answer($0, $1, found) } }
  }

  // MARK: Actions

  private static let user = [
    make("the app opens", "The user opens the app, or brings it to the front.", .open),
    make("the app goes home", "The user presses home: the app goes to the background.", .home),
    make(
      "the app goes home and comes back TIMES times", "As fast as possible; at the end the app is in front."
    ) { .homeAndBack(times: $0.times) },
    make(
      "the app is swiped away", "The user ends the app; the story goes on when its process has ended.", .quit
    ),
  ]

  private static let money = [
    make(
      "payment NUMBER of AMOUNT sat arrives",
      "A sender pays an invoice that the wallet made before the story. Numbers count from 1.", need: .peer
    ) { .pay(number: $0.number) },
    make(
      "payment NUMBER of AMOUNT sat begins to arrive in PARTS parts",
      "The sender sends the first part only; the wallet accepts all parts or none.", need: .peer
    ) { .payInParts(number: $0.number, parts: $0.parts) },
    make("the next part of payment NUMBER arrives", "The sender sends the next part.", need: .peer) {
      .payNextPart(number: $0.number)
    },
    make(
      "payment NUMBER of AMOUNT sat arrives after its invoice has expired",
      "A sender that tries again is asked to pay an invoice that was good for one second.", need: .peer
    ) { .payExpired(number: $0.number) },
    make("payment NUMBER arrives again", "A sender pays the same invoice again.", need: .peer) {
      .pay(number: $0.number)
    },
    make(
      "the user pays invoice INVOICE of AMOUNT sat",
      "The user pays an external invoice (from 1); the story goes on when the HTLC is in the channel, or the payment is refused.",
      need: .peer
    ) { .payInvoice(number: $0.invoice) },
    make(
      "the user pays invoice INVOICE of AMOUNT sat, forgotten by its recipient",
      "The recipient does not know the hash: the payment fails.", need: .peer
    ) { .payInvoice(number: $0.invoice) },
    make(
      "the user pays invoice INVOICE again", "The user pays the same external invoice again.", need: .peer
    ) { .payInvoice(number: $0.invoice) },
  ]

  private static let device = [
    make("the phone is locked", "An app in front goes to the background.", .device(.locked)),
    make("the phone is unlocked", "The app that was in front returns to the front.", .device(.unlocked)),
    make(
      "the network goes away",
      "Connections end, and the phone reports it to both processes. Of later pushes the newest is kept.",
      .device(.network(false))),
    make(
      "the network comes back", "The phone reports it to both processes, and gets the kept push.",
      .device(.network(true))),
    make("Low Power Mode is switched SWITCH", "While the mode is on, silent pushes are not delivered.") {
      .device(.lowPowerMode($0.isOn))
    },
    make(
      "Background App Refresh is switched SWITCH",
      "While the wallet's switch is off, silent pushes are not delivered."
    ) { .device(.backgroundRefresh($0.isOn)) },
    make(
      "notifications are switched SWITCH",
      "While the wallet's switch is off, the phone does not start the extension."
    ) { .device(.notifications($0.isOn)) },
    make(
      "alerts on the lock screen are switched SWITCH",
      "The phone starts the extension only if an alert of the wallet can appear somewhere."
    ) { .device(.lockScreen($0.isOn)) },
    make(
      "alerts in the Notification Centre are switched SWITCH",
      "The phone starts the extension only if an alert of the wallet can appear somewhere."
    ) { .device(.centre($0.isOn)) },
    make(
      "banners are switched SWITCH",
      "With banners alone, the phone starts the extension only while it is unlocked."
    ) { .device(.banners($0.isOn)) },
    make(
      "a Focus is switched SWITCH",
      "While a Focus is on, only time-sensitive and critical notifications are displayed."
    ) { .device(.focus($0.isOn)) },
    make(
      "the battery is at PERCENT percent",
      "The phone launches no background task while the battery is low and the charger unplugged."
    ) { .device(.battery(percent: $0.percent)) },
    make(
      "the charger is plugged in", "The phone may launch background tasks that need the charger.",
      .device(.charger(true))),
    make(
      "the charger is unplugged", "A running background task that needs the charger expires.",
      .device(.charger(false))),
    make(
      "the storage fills up", "The wallet's databases get no more room.", .device(.storage(isFull: true))),
    make(
      "there is room in the storage again", "They get room again.", .device(.storage(isFull: false))),
    make(
      "another app plays audio", "The wallet's audio continues, mixed with the other app's.",
      .device(.otherAudio(true))),
    make(
      "the other app stops playing", "Only the wallet's audio, if any, goes on.", .device(.otherAudio(false))
    ),
  ]

  private static let pushes = [
    make(
      "a silent push arrives", "The push is about a payment; it may wake the app in the background.",
      .silentPush),
    make(
      "a visible push arrives", "The push announces a payment that no sender makes.",
      .visiblePush, place: .real(because: "in the simulated world the peer alone requests visible pushes")),
    make("the user taps the newest notification", "The app comes to the front.", .touch(.tap)),
    make(
      "the user dismisses the newest notification",
      "The phone informs the app if the notification's category asks for that.", .touch(.dismiss)),
    make(
      "the user presses “TEXT”",
      "The user presses a button of the app's screen, such as “Retry Now”; with `the wallet is bitkit`.",
      need: .texts
    ) { .press($0.sentence) },
    make(
      "the user chooses “ID” of the newest notification",
      "The user chooses one of the notification's actions, such as “OPEN_NOW”."
    ) { .touch(.action($0.text)) },
  ]

  private static let tasks = [
    make(
      "the task “ID” is launched", "The developer launches the task, as in Xcode; in a debug build only.",
      need: .tasks
    ) { .launchTask($0.text) },
    make(
      "the task “ID” expires",
      "The developer lets the running task expire, as in Xcode; in a debug build only.", need: .tasks
    ) { .expireTask($0.text) },
  ]

  // MARK: Faults

  private static let faults = [
    make("the PROCESS is killed", "SIGKILL, as soon as the process runs.") { .kill($0.role) },
    make("the PROCESS freezes", "SIGSTOP outside a transaction, as soon as the process runs.") {
      .freeze($0.role)
    }, make("the PROCESS thaws", "SIGCONT.") { .thaw($0.role) },
    make(
      "the lock file of the PROCESS is replaced",
      "A new, empty file is at the path; the holder's lock is on the old file, which has no path."
    ) { .replaceLock($0.role) },
    make(
      "the heartbeat is emptied", "The file has no beat until the owner's next beat.", .emptyHeartbeat),
    make(
      "the peer restarts", "The peer is killed and started again with its ledger.", .restartPeer, need: .peer
    ),
    make(
      "the peer goes down", "The peer is killed; until it comes up again no connection to it succeeds.",
      .stopPeer, need: .peer),
    make("the peer comes up again", "The peer is started with its ledger.", .startPeer, need: .peer),
    make(
      "the peer fails the next TIMES payments with CODE",
      "The sender gets BOLT 4's failure CODE, such as `fee_insufficient`, at once; after TIMES payments the peer is as before.",
      need: .peer
    ) { .failNext(times: $0.times, code: $0.text) },
    make("the peer fails the next payment with CODE", "As the line before, once.", need: .peer) {
      .failNext(times: 1, code: $0.text)
    },
    make(
      "the peer fails the channel",
      "The peer force-closes the channel: nothing may be pending in it, and no payment can arrive any more.",
      .failChannel, need: .peer),
    make(
      "the phone reboots",
      "Both processes end at once, the phone gets a new boot id, and the user unlocks it.",
      .reboot(staysLocked: false)),
    make(
      "the phone reboots and stays locked",
      "As `the phone reboots`, but locked: the wallet cannot read its seed until the user opens the app or unlocks the phone.",
      .reboot(staysLocked: true), need: .seed),
    make(
      "the phone reboots while payment NUMBER of AMOUNT sat arrives",
      "As `the phone reboots`; the payment's push is delivered after the boot.", need: .peer
    ) { .payInReboot(number: $0.number) },
  ]

  private static let intercepted = Scenario.Place.simulated(
    because: "messages between real processes cannot be intercepted")
  private static let replaced = Scenario.Place.simulated(
    because: "the judge of real evidence would miss the claims that are not in the old copy")
  static let unmeasured = Scenario.Place.real(
    because: "simulated processes have no memory footprint")

  private static let simulatedFaults = [
    make(
      "the PROCESS freezes inside a transaction", "Between BEGIN and COMMIT of its next write.",
      place: .simulated(
        because: "a real process cannot be stopped at a chosen point between BEGIN and COMMIT")
    ) { .freezeInside($0.role) },
    make(
      "the next message between the processes is lost",
      "A presence message, or the notice of a process's end.", .loseMessage, place: intercepted),
    make(
      "the next message between the processes is repeated",
      "The message arrives a second time, after all others.", .repeatMessage, place: intercepted),
    make(
      "the next push is lost", "The peer requests the push, and the phone never gets it.",
      .losePush, place: .simulated(because: "between real processes no push is lost")),
    make(
      "the connection to the peer breaks", "All messages in flight are lost, in both directions.",
      .breakConnection, place: .simulated(because: "cutting a real connection needs root")),
    make(
      "the phone sleeps for TIME", "The phone's clock stands still; the peer's does not.",
      place: .simulated(because: "a sleep stops the clock of the whole machine")
    ) { .sleepDevice($0.span) },
    make(
      "the database is copied", "Keeps a copy of the wallet's database as it is now.", .copyDatabase,
      place: replaced),
    make(
      "the old copy of the database is put back", "While the phone is off; then the phone is started again.",
      .restoreCopy, place: replaced),
  ]

  private static let realFaults = [
    make(
      "the wall clock steps by ±TIME", "The user, or the network, sets the phone's clock.",
      place: .real(because: "the simulated world has no wall clock")
    ) { .stepClock(seconds: $0.seconds) }
  ]

  // MARK: Waits

  private static let waits = [
    wait("the PROCESS runs", "The process has started.") { $0[$1.role].runs },
    // Not if it has never run: it may be about to start.
    wait("the PROCESS has ended", "The process has ended, for any reason.") { $0[$1.role].hasEnded },
    wait("the PROCESS holds the node", "The process has claimed the node.") { $0.holder == $1.role },
    wait("nobody holds the node", "The node was released, or its holder died.") { scene, _ in
      scene.holder == nil
    },
    wait("the PROCESS is connected", "The process holds the node, and its channel is re-established.") {
      $0[$1.role].isConnected && $0.holder == $1.role
    },
    wait(
      "the app shows “TEXT”",
      "The app shows exactly this status, as in the answer to `what does the app show?`.", need: .texts
    ) { $0.app.shows == $1.sentence },
    wait("payment NUMBER waits for the wallet", "The peer holds the payment.", need: .peer) {
      $0.payments($1.number).last?.state == "held"
    },
    wait(
      "the sender of payment NUMBER has an answer",
      "A sender that tries again was told that the payment has settled, has failed, or is pending.",
      need: .peer
    ) { scene, found in scene.senders.contains { $0.number == found.number && $0.state != nil } },
    wait(
      "the wallet keeps a part of payment NUMBER",
      "The part is durable in the channel, and waits for the other parts.", need: .peer
    ) { $0.keptParts.contains($1.number) },
    wait("payment NUMBER has settled", "The sender has the preimage.", need: .peer) {
      $0.payments($1.number).contains(where: \.isPaid)
    },
    wait("payment NUMBER has failed", "The sender knows that the payment failed.", need: .peer) {
      $0.payments($1.number).contains(where: \.isFailed)
    },
    wait("the user sees payment NUMBER", "A notification names the payment.", need: .texts) { scene, found in
      scene.phone.present.contains { $0.tells(ofPayment: found.number) }
    },
    wait("all is settled", "No payment is pending, and both sides of the channel agree.", need: .peer) {
      scene, _ in scene.payments.allSatisfy(\.isOver) && scene.isChannelEven
    },
    wait("invoice INVOICE is paid", "The payment's row in the wallet has the preimage.", need: .peer) {
      $0.invoice($1.invoice) == "paid"
    },
    wait(
      "invoice INVOICE has failed", "The payment's row says failed, and the money is back.", need: .peer
    ) { $0.invoice($1.invoice) == "failed" },
  ]

  private static let phoneWaits = [
    wait(
      "the PROCESS is suspended",
      "The phone has suspended the app in the background, or the extension after its content."
    ) { $0[$1.role].isSuspended },
    wait("the app is in front", "The app is in the foreground.") { scene, _ in scene.app.isInFront },
    wait("the user sees “TEXT”", "A notification has exactly this title.", need: .texts) { scene, found in
      scene.phone.present.contains { !$0.isAsSent && $0.title == found.sentence }
    },
    wait(
      "the app's screen shows “TEXT”",
      "The first line of the answer to `what does the app's screen show?`.", need: .texts
    ) { $0.screen?.first == $1.sentence },
    wait("the user sees a push as it was sent", "A push is shown with its original alert.") { scene, _ in
      scene.phone.present.contains(where: \.isAsSent)
    },
    wait(
      "the newest silent push is over",
      "The push was dropped, replaced, completed or abandoned, or has expired."
    ) { scene, _ in scene.phone.silentPushes.last?.fateCode?.isEnd ?? false },
    wait("the newest silent push is completed", "The app has completed the push, with any result.") {
      scene, _ in scene.phone.silentPushes.last?.fateCode == .completed
    },
    wait("the task “ID” is over", "The task was completed, has expired, or was lost.", need: .tasks) {
      $0.phone.task($1.text)?.isOver ?? false
    },
    wait("the task “ID” runs", "The phone has launched the task.", need: .tasks) {
      $0.phone.task($1.text)?.state == "running"
    },
    wait(
      "the task “ID” waits, as “TEXT”",
      "The task waits for the reason TEXT, in the words of `baton list tasks`.", need: .tasks
    ) { scene, found in
      scene.phone.tasks.contains {
        $0.identifier == found.text && $0.state == "waiting" && $0.why == found.sentence
      }
    },
    wait("the app plays audio", "The app plays audio, and the phone permits it.", need: .audio) { scene, _ in
      scene.phone.playsAudio
    },
    wait(
      "the app is warned of its memory",
      "The app's footprint is above the limit, and the phone has sent the warning.", need: .memory,
      place: unmeasured
    ) { scene, _ in scene.phone.isAppWarned },
  ]

  // MARK: Questions

  private static let questions = [
    ask("who holds the node?", "The process of the newest claim, if its role lock is busy.") { scene, _, _ in
      [scene.holderSentence]
    },
    ask("under which epoch?", "The epoch of the newest claim.") { scene, _, _ in
      [scene.epoch == 0 ? "the node was never claimed" : "epoch \(scene.epoch)"]
    },
    ask("what does the app show?", "The status that the user reads.", need: .texts) { scene, _, _ in
      [scene.app.isThere ? "the app shows “\(scene.app.shows)”" : "the app does not run"]
    },
    ask("how is the PROCESS?", "Whether the process runs, is suspended or frozen, or has ended, and why.") {
      scene, _, found in ["the \(found.role.rawValue) \(scene[found.role].words)"]
    },
    ask(
      "what became of the payments?", "Each incoming payment's state for its sender and in the wallet.",
      need: .peer
    ) { scene, story, _ in scene.paymentSentences(story) },
    ask("what do the senders see?", "What each sender that tries again was told.", need: .peer) {
      scene, story, _ in
      listed(scene.senders.flatMap { $0.words(story.name(ofPayment: $0.number)) }, "no sender tries again")
    },
    ask("what does the user see?", "The notifications, oldest first.", need: .texts) { scene, _, _ in
      listed(scene.phone.present.map(\.words), "nothing")
    },
    ask("what became of the invoices?", "The state of each outgoing payment in the wallet.", need: .peer) {
      scene, story, _ in
      let sentences = story.invoices.map {
        "invoice \($0.number) of \(AmountText.words(sat: $0.amountSat)): \(scene.invoiceWords($0.number))"
      }
      return listed(sentences, "the wallet pays no invoice in this story")
    },
    ask("what does the wallet have?", "The wallet's balance in the channel.", need: .peer) { scene, _, _ in
      let words = scene.balanceMsat.map { "the wallet has \(AmountText.words(msat: $0))" }
      return [words ?? "the wallet has no channel yet"]
    },
    ask("why did the PROCESS end?", "The reason of the last app or extension process that ended.") {
      scene, _, found in
      [scene[found.role].lastEnd ?? "the \(found.role.rawValue) has not ended yet"]
    },
    ask("how is the phone?", "The switches that differ from a new phone.") { scene, _, _ in
      DeviceWords.of(scene.phone.device)
    },
    ask(
      "what became of the pushes?",
      "Whether each visible or silent push was shown, replaced or held back; oldest first."
    ) { scene, _, _ in fates(scene.phone.pushes, "push", scene) },
    ask("what does the badge say?", "The number on the wallet's icon.", need: .texts) { scene, _, _ in
      [scene.phone.badge == 0 ? "nothing" : "\(scene.phone.badge)"]
    },
    ask(
      "what became of the silent pushes?", "Whether each was dropped, waits, or was completed; oldest first."
    ) { scene, _, _ in fates(scene.phone.silentPushes, "silent push", scene) },
    ask(
      "what became of the task “ID”?",
      "The result of the task's newest run, or the state of its request.", need: .tasks
    ) { scene, _, found in
      [scene.phone.task(found.text)?.words ?? "the app has not asked for the task “\(found.text)”"]
    },
    ask(
      "what does the app's screen show?",
      "Of an app that completes what its extension announces: the wallet, or the state of an incoming payment.",
      need: .texts
    ) { scene, _, _ in scene.screen ?? ["the app in front has no screen of incoming payments"] },
    ask(
      "what is recorded as incoming?",
      "The payments that Bitkit's extension has recorded, and the app has not cleared; oldest first.",
      need: .texts
    ) { scene, story, _ in
      listed(
        scene.records.map { "\(story.name(ofPayment: $0.number)), \($0.isHeld ? "held" : "not held")" },
        "nothing")
    },
    ask("what does the app play?", "Whether the app's audio plays, as the phone reports.", need: .audio) {
      scene, _, _ in [scene.phone.playsAudio ? "the app plays audio" : "the app plays nothing"]
    },
  ]

  private static func listed(_ sentences: [String], _ none: String) -> [String] {
    sentences.isEmpty ? [none] : sentences
  }

  private static func fates(_ pushes: [PushRow], _ kind: String, _ scene: Scene) -> [String] {
    listed(
      pushes.enumerated().map { "\(kind) \($0.offset + 1): \(scene.phone.fate(of: $0.element))" },
      "no \(kind) has arrived yet")
  }
}
