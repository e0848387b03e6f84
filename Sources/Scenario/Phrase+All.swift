import Ground

// The language: every form that a line can have.
extension Phrase {
  public static let all: [Phrase] =
    settings + user + money + invoices + device + rest + pushes + tasks + faults + simulatedFaults + realFaults
    + waits
    + invoiceWaits + phoneWaits + questions + invoiceQuestions + phoneQuestions + [verdict]

  static let verdictForm = "the verdict"

  private static let user = [
    Phrase("the app opens", "The user opens the app, or takes it to the front.") { _ in .make(.open) },
    Phrase("the app goes home", "The user presses home: the app goes to the background.") { _ in
      .make(.home)
    },
    Phrase("the app goes home and comes back TIMES times", "As fast as it can be done, and ends in front.") {
      .make(.flick(times: $0.times))
    },
    Phrase("the app is swiped away", "The user ends the app; the story goes on when it is gone.") { _ in
      .make(.quit)
    },
  ]

  private static let money = [
    Phrase(
      "payment NUMBER of AMOUNT sat arrives",
      "Somebody pays an invoice of the wallet, which made it before the story begins. Numbers count from 1."
    ) { .make(.pay(number: $0.number)) },
    Phrase(
      "payment NUMBER of AMOUNT sat begins to arrive in PARTS parts",
      "The first part of it, and no more: the wallet takes all of them or none."
    ) { .make(.payInParts(number: $0.number, parts: $0.parts)) },
    Phrase("the next part of payment NUMBER arrives", "Of one that has begun to arrive.") {
      .make(.payNextPart(number: $0.number))
    },
    Phrase("payment NUMBER arrives again", "The same invoice is paid once more.") {
      .make(.pay(number: $0.number))
    },
  ]

  private static let faults = [
    Phrase("the PROCESS is killed", "SIGKILL, as soon as there is such a process.") { .make(.kill($0.role)) },
    Phrase("the PROCESS freezes", "SIGSTOP outside a transaction, as soon as there is such a process.") {
      .make(.freeze($0.role))
    },
    Phrase("the PROCESS thaws", "SIGCONT.") { .make(.thaw($0.role)) },
    Phrase(
      "a stranger replaces the lock file of the PROCESS",
      "A new, empty file takes its place: whoever holds the lock holds it on a file that nobody sees."
    ) { .make(.replaceLock($0.role)) },
    Phrase("a stranger empties the heartbeat", "Both slots are gone until the next beat.") { _ in
      .make(.emptyHeartbeat)
    },
    Phrase("the peer restarts", "It is killed and started again, with what its ledger has.") { _ in
      .make(.restartPeer)
    },
    Phrase(
      "the phone reboots",
      "Both processes are gone at once, the phone has another boot id, and the user unlocks it."
    ) { _ in .make(.reboot(staysLocked: false)) },
    Phrase(
      "the phone reboots and stays locked",
      "The same, and nobody unlocks it: the wallet cannot read its seed until the user opens the app or unlocks the phone."
    ) { _ in .make(.reboot(staysLocked: true)) },
    Phrase(
      "the phone reboots while payment NUMBER of AMOUNT sat arrives",
      "As `the phone reboots`; what is sent to it meanwhile comes when it is on."
    ) { .make(.payInReboot(number: $0.number)) },
  ]

  private static let simulatedFaults = [
    Phrase(
      "the PROCESS freezes inside a transaction", "Between BEGIN and COMMIT of what it writes next.",
      .simulated(because: "nobody can stop a real process from outside between BEGIN and COMMIT at will")
    ) { .make(.freezeInside($0.role)) },
    Phrase(
      "the next word between the processes is lost", "A presence message, or the notice of an end.",
      .simulated(because: "what one real process says to the other goes through no third hands")
    ) { _ in .make(.loseWord) },
    Phrase(
      "the next word between the processes is repeated", "It arrives a second time, as the last of all.",
      .simulated(because: "what one real process says to the other goes through no third hands")
    ) { _ in .make(.repeatWord) },
    Phrase(
      "the next push is lost", "The peer has asked for it, and nobody sees it.",
      .simulated(because: "the real phone here loses no push")
    ) { _ in .make(.losePush) },
    Phrase(
      "the connection to the peer breaks", "With all that is on its way, in both directions.",
      .simulated(because: "cutting a real connection needs rights that a user does not have")
    ) { _ in .make(.breakConnection) },
    Phrase(
      "the phone sleeps for TIME", "Its clock stands still, and the peer's goes on.",
      .simulated(because: "a sleep stops the clock of the whole machine")
    ) { .make(.sleepDevice($0.span)) },
    Phrase(
      "somebody copies the database", "As it is at this moment.",
      .simulated(because: "the judge of real evidence misses the claims that the old copy does not know")
    ) { _ in .make(.copyDatabase) },
    Phrase(
      "the old copy of the database is put back", "The phone is switched off meanwhile, and on again.",
      .simulated(because: "the judge of real evidence misses the claims that the old copy does not know")
    ) { _ in .make(.restoreCopy) },
  ]

  private static let realFaults = [
    Phrase(
      "the wall clock steps by ±TIME", "The user, or the network, sets the phone's clock.",
      .real(because: "the simulated world has no wall clock at all")
    ) { .make(.stepClock(seconds: $0.seconds)) }
  ]

  private static let waits = [
    Phrase("wait until the PROCESS runs", "It has started.") { .wait(.runs($0.role)) },
    Phrase("wait until the PROCESS has ended", "It is gone, for whatever reason.") { .wait(.ended($0.role)) },
    Phrase("wait until the PROCESS holds the node", "It has claimed it.") { .wait(.holds($0.role)) },
    Phrase("wait until nobody holds the node", "It was released, or its holder died.") { _ in
      .wait(.nobodyHolds)
    },
    Phrase("wait until the PROCESS is connected", "It holds the node, and its channel is established.") {
      .wait(.connected($0.role))
    },
    Phrase("wait until the app shows “TEXT”", "Exactly that, as `what does the app show?` would have it.") {
      .wait(.appShows($0.sentence))
    },
    Phrase("wait until payment NUMBER waits for the wallet", "The peer holds it.") {
      .wait(.waits(number: $0.number))
    },
    Phrase(
      "wait until the wallet keeps a part of payment NUMBER",
      "It is in the channel for good, and waits there for the others."
    ) { .wait(.kept(number: $0.number)) },
    Phrase("wait until payment NUMBER has settled", "Its sender has the preimage.") {
      .wait(.settled(number: $0.number))
    },
    Phrase("wait until payment NUMBER has failed", "Its sender was told so.") {
      .wait(.failed(number: $0.number))
    },
    Phrase("wait until the user sees payment NUMBER", "In a notification that names it.") {
      .wait(.shown(number: $0.number))
    },
    Phrase(
      "wait until all is settled",
      "No payment is on its way, nothing is half-way in the channel, and both sides count the same."
    ) { _ in .wait(.allSettled) },
    Phrase("TIME pass", "That long nobody does anything. The one pause of a fixed length.") {
      .pass($0.span)
    },
  ]

  private static let questions = [
    Phrase("who holds the node?", "By the claim and the lock that proves it.") { _ in .ask(.holder) },
    Phrase("under which epoch?", "The number of the newest claim.") { _ in .ask(.epoch) },
    Phrase("what does the app show?", "What a user reads in it.") { _ in .ask(.appShows) },
    Phrase("how is the PROCESS?", "Whether it runs, is suspended or frozen, or has ended, and why.") {
      .ask(.howIs($0.role))
    },
    Phrase("what became of the payments?", "For the sender, and in the wallet.") { _ in .ask(.payments) },
    Phrase("what does the user see?", "The notifications, the oldest first.") { _ in .ask(.notifications) },
  ]

  private static let verdict = Phrase(
    verdictForm,
    "The last line of every story: exclusion, money and progress are judged, from all that happened."
  ) { _ in .verdict }
}
