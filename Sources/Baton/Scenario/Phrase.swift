import Ground

/// One form that a line can have. Words in capitals stand for values.
public struct Phrase: Sendable {
  public var form: String
  /// What the line does, for the author of a story.
  public var meaning: String
  public var place: Scenario.Place
  let command: @Sendable (Found) -> Command

  init(
    _ form: String, _ meaning: String, _ place: Scenario.Place = .everywhere,
    _ command: @escaping @Sendable (Found) -> Command
  ) {
    self.form = form
    self.meaning = meaning
    self.place = place
    self.command = command
  }

  /// The values found in place of the words in capitals.
  struct Found: Sendable {
    var role = Role.app
    var number = 0
    var invoice = 0
    var amountSat: UInt64?
    /// The recipient does not know the invoice's hash.
    var isForgotten = false
    var span = TimeSpan.zero
    var seconds: Int64 = 0
    var times = 0
    var parts = 0
    /// In “ID” and CODE.
    var text = ""
    /// In “TEXT”.
    var sentence = ""
    var isOn = false
    var percent = 0
    var megabytes = 0
  }

  /// Nil if the line has another form.
  func match(_ line: String) -> Found? {
    var words = line.split(separator: " ").map(String.init)[...]
    var found = Found()
    for token in form.split(separator: " ") {
      guard var word = words.popFirst() else { return nil }
      var token = String(token)
      if token.hasSuffix("?"), word.hasSuffix("?") {
        token.removeLast()
        word.removeLast()
      }
      guard found.take(word, for: token, &words) else { return nil }
    }
    return words.isEmpty ? found : nil
  }
}

extension Phrase.Found {
  static let amountSatMax: UInt64 = 1_000_000

  /// False if the word does not fit the token.
  fileprivate mutating func take(_ word: String, for token: String, _ rest: inout ArraySlice<String>) -> Bool
  {
    switch token {
    case "PROCESS":
      guard let role = Role(rawValue: word) else { return false }
      self.role = role
    case "NUMBER":
      guard let number = Self.number(word, in: 1...99) else { return false }
      self.number = number
    case "INVOICE":
      guard let number = Self.number(word, in: 1...99) else { return false }
      invoice = number
    case "AMOUNT":
      guard let amount = Self.number(word, in: 1...Int(Self.amountSatMax)) else { return false }
      amountSat = UInt64(amount)
    case "forgotten":
      guard word == token else { return false }
      isForgotten = true
    case "TIMES":
      guard let times = Self.number(word, in: 1...100) else { return false }
      self.times = times
    case "PARTS":
      guard let parts = Self.number(word, in: 2...30) else { return false }
      self.parts = parts
    case "SWITCH":
      guard word == "on" || word == "off" else { return false }
      isOn = word == "on"
    case "PERCENT":
      guard let percent = Self.number(word, in: 0...100) else { return false }
      self.percent = percent
    case "MEGABYTES":
      guard let megabytes = Self.number(word, in: 1...1000) else { return false }
      self.megabytes = megabytes
    case "CODE":
      guard word.utf8.count <= 64, word.utf8.allSatisfy({ $0 == 0x5F || (0x61...0x7A).contains($0) }) else {
        return false
      }
      text = word
    case "“ID”":
      guard let name = Self.quoted(word), name.utf8.count <= 128 else { return false }
      text = name
    case "TIME":
      guard let unit = rest.popFirst(), let span = Self.span(word, unit) else { return false }
      self.span = span
    case "±TIME":
      guard let sign = word.first, sign == "+" || sign == "-", let unit = rest.popFirst(),
        let span = Self.span(String(word.dropFirst()), unit), span.nanoseconds % 1_000_000_000 == 0
      else { return false }
      seconds = span.nanoseconds / 1_000_000_000 * (sign == "-" ? -1 : 1)
    case "“TEXT”":
      guard let sentence = Self.quoted(([word] + rest).joined(separator: " ")) else { return false }
      self.sentence = sentence
      rest = []
    default: return word == token
    }
    return true
  }

  private static func quoted(_ text: String) -> String? {
    guard text.count > 2, text.hasPrefix("“"), text.hasSuffix("”") else { return nil }
    return String(text.dropFirst().dropLast())
  }

  private static func number(_ word: String, in range: ClosedRange<Int>) -> Int? {
    guard word.utf8.count <= 9, word.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(word),
      range.contains(number)
    else { return nil }
    return number
  }

  private static func span(_ word: String, _ unit: String) -> TimeSpan? {
    guard let count = number(word, in: 1...100_000).map(Int64.init) else { return nil }
    switch unit {
    case "ms": return .milliseconds(count)
    case "s", "seconds": return .seconds(count)
    case "min", "minutes": return .seconds(60 * count)
    case "h", "hour", "hours": return .seconds(3600 * min(count, 100))
    default: return nil
    }
  }
}

// The language: every form that a line can have.
extension Phrase {
  public static let all: [Phrase] =
    wallets + settings + user + money + invoices + device + rest + pushes + tasks + faults + simulatedFaults
    + realFaults
    + waits
    + invoiceWaits + phoneWaits + questions + invoiceQuestions + phoneQuestions + [verdict]

  static let verdictForm = "the verdict"

  private static let user = [
    Phrase("the app opens", "The user opens the app, or brings it to the front.") { _ in .make(.open) },
    Phrase("the app goes home", "The user presses home: the app goes to the background.") { _ in .make(.home)
    },
    Phrase(
      "the app goes home and comes back TIMES times", "As fast as possible; at the end the app is in front."
    ) { .make(.homeAndBack(times: $0.times)) },
    Phrase("the app is swiped away", "The user ends the app; the story goes on when its process has ended.") {
      _ in .make(.quit)
    },
  ]

  private static let money = [
    Phrase(
      "payment NUMBER of AMOUNT sat arrives",
      "A sender pays an invoice that the wallet made before the story. Numbers count from 1."
    ) { .make(.pay(number: $0.number)) },
    Phrase(
      "payment NUMBER of AMOUNT sat begins to arrive in PARTS parts",
      "The sender sends the first part only; the wallet accepts all parts or none."
    ) { .make(.payInParts(number: $0.number, parts: $0.parts)) },
    Phrase("the next part of payment NUMBER arrives", "The sender sends the next part.") {
      .make(.payNextPart(number: $0.number))
    },
    Phrase(
      "payment NUMBER of AMOUNT sat arrives after its invoice has expired",
      "A sender that tries again is asked to pay an invoice that was good for one second."
    ) { .make(.payExpired(number: $0.number)) },
    Phrase("payment NUMBER arrives again", "A sender pays the same invoice again.") {
      .make(.pay(number: $0.number))
    },
  ]

  private static let faults = [
    Phrase("the PROCESS is killed", "SIGKILL, as soon as the process runs.") { .make(.kill($0.role)) },
    Phrase("the PROCESS freezes", "SIGSTOP outside a transaction, as soon as the process runs.") {
      .make(.freeze($0.role))
    }, Phrase("the PROCESS thaws", "SIGCONT.") { .make(.thaw($0.role)) },
    Phrase(
      "the lock file of the PROCESS is replaced",
      "A new, empty file is at the path; the holder's lock is on the old file, which has no path."
    ) { .make(.replaceLock($0.role)) },
    Phrase("the heartbeat is emptied", "The file has no beat until the owner's next beat.") { _ in
      .make(.emptyHeartbeat)
    },
    Phrase("the peer restarts", "The peer is killed and started again with its ledger.") { _ in
      .make(.restartPeer)
    },
    Phrase("the peer goes down", "The peer is killed; until it comes up again no connection to it succeeds.")
    { _ in
      .make(.stopPeer)
    },
    Phrase("the peer comes up again", "The peer is started with its ledger.") { _ in .make(.startPeer) },
    Phrase(
      "the peer fails the next TIMES payments with CODE",
      "The sender gets BOLT 4's failure CODE, such as `fee_insufficient`, at once; after TIMES payments the peer is as before."
    ) { .make(.failNext(times: $0.times, code: $0.text)) },
    Phrase(
      "the peer fails the next payment with CODE", "As the line before, once."
    ) { .make(.failNext(times: 1, code: $0.text)) },
    Phrase(
      "the peer fails the channel",
      "The peer force-closes the channel: nothing may be pending in it, and no payment can arrive any more."
    ) { _ in .make(.failChannel) },
    Phrase(
      "the phone reboots",
      "Both processes end at once, the phone gets a new boot id, and the user unlocks it."
    ) { _ in .make(.reboot(staysLocked: false)) },
    Phrase(
      "the phone reboots and stays locked",
      "As `the phone reboots`, but locked: the wallet cannot read its seed until the user opens the app or unlocks the phone."
    ) { _ in .make(.reboot(staysLocked: true)) },
    Phrase(
      "the phone reboots while payment NUMBER of AMOUNT sat arrives",
      "As `the phone reboots`; the payment's push is delivered after the boot."
    ) { .make(.payInReboot(number: $0.number)) },
  ]

  private static let simulatedFaults = [
    Phrase(
      "the PROCESS freezes inside a transaction", "Between BEGIN and COMMIT of its next write.",
      .simulated(because: "a real process cannot be stopped at a chosen point between BEGIN and COMMIT")
    ) { .make(.freezeInside($0.role)) },
    Phrase(
      "the next message between the processes is lost",
      "A presence message, or the notice of a process's end.",
      .simulated(because: "messages between real processes cannot be intercepted")
    ) { _ in .make(.loseMessage) },
    Phrase(
      "the next message between the processes is repeated",
      "The message arrives a second time, after all others.",
      .simulated(because: "messages between real processes cannot be intercepted")
    ) { _ in .make(.repeatMessage) },
    Phrase(
      "the next push is lost", "The peer requests the push, and the phone never gets it.",
      .simulated(because: "between real processes no push is lost")
    ) { _ in .make(.losePush) },
    Phrase(
      "the connection to the peer breaks", "All messages in flight are lost, in both directions.",
      .simulated(because: "cutting a real connection needs root")
    ) { _ in .make(.breakConnection) },
    Phrase(
      "the phone sleeps for TIME", "The phone's clock stands still; the peer's does not.",
      .simulated(because: "a sleep stops the clock of the whole machine")
    ) { .make(.sleepDevice($0.span)) },
    Phrase(
      "the database is copied", "Keeps a copy of the wallet's database as it is now.",
      .simulated(because: "the judge of real evidence would miss the claims that are not in the old copy")
    ) { _ in .make(.copyDatabase) },
    Phrase(
      "the old copy of the database is put back", "While the phone is off; then the phone is started again.",
      .simulated(because: "the judge of real evidence would miss the claims that are not in the old copy")
    ) { _ in .make(.restoreCopy) },
  ]

  private static let realFaults = [
    Phrase(
      "the wall clock steps by ±TIME", "The user, or the network, sets the phone's clock.",
      .real(because: "the simulated world has no wall clock")
    ) { .make(.stepClock(seconds: $0.seconds)) }
  ]

  private static let waits = [
    Phrase("wait until the PROCESS runs", "The process has started.") { .wait(.runs($0.role)) },
    Phrase("wait until the PROCESS has ended", "The process has ended, for any reason.") {
      .wait(.ended($0.role))
    },
    Phrase("wait until the PROCESS holds the node", "The process has claimed the node.") {
      .wait(.holds($0.role))
    },
    Phrase("wait until nobody holds the node", "The node was released, or its holder died.") { _ in
      .wait(.noHolder)
    },
    Phrase(
      "wait until the PROCESS is connected", "The process holds the node, and its channel is re-established."
    ) { .wait(.connected($0.role)) },
    Phrase(
      "wait until the app shows “TEXT”",
      "The app shows exactly this status, as in the answer to `what does the app show?`."
    ) { .wait(.appShows($0.sentence)) },
    Phrase("wait until payment NUMBER waits for the wallet", "The peer holds the payment.") {
      .wait(.waits(number: $0.number))
    },
    Phrase(
      "wait until the sender of payment NUMBER has an answer",
      "A sender that tries again was told that the payment has settled, has failed, or is pending."
    ) { .wait(.senderAnswered(number: $0.number)) },
    Phrase(
      "wait until the wallet keeps a part of payment NUMBER",
      "The part is durable in the channel, and waits for the other parts."
    ) { .wait(.kept(number: $0.number)) },
    Phrase("wait until payment NUMBER has settled", "The sender has the preimage.") {
      .wait(.settled(number: $0.number))
    },
    Phrase("wait until payment NUMBER has failed", "The sender knows that the payment failed.") {
      .wait(.failed(number: $0.number))
    },
    Phrase("wait until the user sees payment NUMBER", "A notification names the payment.") {
      .wait(.shown(number: $0.number))
    },
    Phrase("wait until all is settled", "No payment is pending, and both sides of the channel agree.") { _ in
      .wait(.allSettled)
    }, Phrase("TIME pass", "The story continues after this time; the only fixed pause.") { .pass($0.span) },
  ]

  private static let questions = [
    Phrase("who holds the node?", "The process of the newest claim, if its role lock is busy.") { _ in
      .ask(.holder)
    }, Phrase("under which epoch?", "The epoch of the newest claim.") { _ in .ask(.epoch) },
    Phrase("what does the app show?", "The status that the user reads.") { _ in .ask(.appShows) },
    Phrase("how is the PROCESS?", "Whether the process runs, is suspended or frozen, or has ended, and why.")
    {
      .ask(.howIs($0.role))
    },
    Phrase("what became of the payments?", "Each incoming payment's state for its sender and in the wallet.")
    { _ in
      .ask(.payments)
    },
    Phrase("what do the senders see?", "What each sender that tries again was told.") { _ in
      .ask(.senders)
    },
    Phrase("what does the user see?", "The notifications, oldest first.") { _ in .ask(.notifications) },
  ]

  private static let verdict = Phrase(
    verdictForm,
    "The last line of every story: did only one process at a time use the node, is the money right, did all settle?"
  ) { _ in .verdict }
}
