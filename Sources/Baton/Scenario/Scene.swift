import Ground
import PhonePolicy

/// The observable state at one moment: the same facts for real and simulated processes.
struct Scene: Hashable, Sendable {
  struct Process: Hashable, Sendable {
    /// In the words of the phone's core; nil if no process of the role runs.
    var state: String?
    /// Also a suspended process is stopped.
    var isStopped = false
    /// Its reported status; the app's is what the user reads.
    var shows = ""
    /// It reports that it is connected, under the newest epoch.
    var isConnected = false
    /// Why the last process of its role ended, in the phone's words.
    var lastEnd: String?

    /// Only a fault of the story counts as frozen.
    var isFrozen: Bool { isStopped && !isSuspended }
    var isSuspended: Bool { state == AppState.suspended.word }
    var isInFront: Bool { state == AppState.foreground.word }
    var isThere: Bool { state != nil }
    var hasEnded: Bool { state == nil && lastEnd != nil }
    var runs: Bool { state.map { !["launching", "terminating", "expiring"].contains($0) } ?? false }

    private static let states = [
      "launching": "starts", "foreground": "is in front", "background": "is in the background",
      "suspended": "is suspended", "terminating": "is terminating", "expiring": "is terminating",
    ]

    /// Continues the process's name.
    var words: String {
      guard let state else { return lastEnd.map { "has ended: \($0)" } ?? "has never run" }
      return "\(Self.states[state] ?? "runs")\(isFrozen ? ", frozen" : "")"
    }
  }

  /// A sender's request to pay an invoice, as the sender sees it.
  struct Payment: Hashable, Sendable {
    var number: Int
    /// held, offered, paid or failed, as in the peer's ledger.
    var state: String
    /// The peer's word.
    var failure = ""
    /// From 1; 0 of a payment that is not in parts, each of which is a request.
    var part = 0

    var isPaid: Bool { state == "paid" }
    var isFailed: Bool { state == "failed" }
    var isOver: Bool { isPaid || isFailed }

    private static let failures = [
      "recipient-away": "as the wallet did not connect in time",
      "channel-failed": "as the wallet's channel has failed",
      "already-paid": "as this invoice is paid already",
      "already-pending": "as a payment of this invoice is on its way",
      "no-balance": "as the peer's balance in the channel is too low",
      "refused-by-recipient": "as the wallet refused it",
      "on-order": "as the peer was told to fail it",
    ]

    func words(receivedTimes: Int) -> String {
      switch state {
      case "held": "waits for the wallet"
      case "paid": "settled, and the wallet has it \(receivedTimes == 1 ? "once" : "\(receivedTimes) times")"
      case "failed": "failed, \(Self.failures[failure] ?? failure)"
      default: "is on its way"
      }
    }

    /// The parts of one payment count as one.
    static func joined(_ requests: [Payment]) -> [Payment] {
      var all: [Payment] = []
      for request in requests {
        if request.part > 1, let index = all.lastIndex(where: { $0.number == request.number }) {
          // Paid if all parts are; failed as soon as one is.
          let both = [all[index], request]
          all[index] =
            both.first(where: \.isFailed) ?? both.first { $0.state == "held" } ?? both.first { !$0.isPaid }
            ?? request
        } else {
          all.append(request)
        }
      }
      return all
    }
  }

  /// The process that holds the node, proven by its lock.
  var holder: Role?
  /// The newest claim; nil before the first.
  var newestClaim: Role?
  var epoch: UInt64
  var app: Process
  var notifier: Process
  /// One for each payment attempt, in order.
  var payments: [Payment]
  /// How often the wallet has received each payment number, from number 1.
  var receivedTimes: [Int]
  /// No HTLC is pending, and both sides of the channel agree.
  var isChannelEven: Bool
  var phone: PhoneScene = PhoneScene()
  /// Payments with a part that is durable in the wallet's channel, and neither fulfilled nor failed.
  var keptParts: [Int] = []
  /// Payments whose invoice has expired, by the senders' clock.
  var expiredInvoices: [Int] = []
  /// What the app in front shows beside its status; nil if it has no such screen.
  var screen: [String]?
  /// The payments that the extension has recorded for the app, in order.
  var records: [IncomingRecord] = []
  /// The senders that try again, by the numbers of their payments.
  var senders: [Sender] = []
  /// The state of the wallet's payment of each external invoice, from number 1: pending, paid, failed or lost.
  var invoices: [String?] = []
  /// The wallet's channel balance; nil before it has a channel.
  var balanceMsat: UInt64?

  subscript(role: Role) -> Process { role == .app ? app : notifier }

  func payments(_ number: Int) -> [Payment] { payments.filter { $0.number == number } }

  /// Replaces process ids in a process's message by the role, as ids differ between runs.
  static func named(_ text: String, _ processes: [(pid: Int32, role: Role)]) -> String {
    var words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    for index in words.indices {
      guard let pid = Int32(words[index]), let known = processes.first(where: { $0.pid == pid }) else {
        continue
      }
      words[index] = "the \(known.role.rawValue)"
      if index > 0, words[index - 1] == "process" { words[index - 1] = "" }
    }
    return words.filter { !$0.isEmpty }.joined(separator: " ")
  }
}

/// The observable state of the phone.
struct PhoneScene: Hashable, Sendable {
  var device = DeviceState()
  var badge = 0
  /// iosd's rows, oldest first.
  var pushes: [PushRow] = []
  var notifications: [NotificationRow] = []
  var tasks: [TaskRow] = []
  var playsAudio = false
  var isAppWarned = false

  var silentPushes: [PushRow] { pushes.filter(\.isSilent) }

  /// The notifications in the list.
  var present: [NotificationRow] { notifications.filter(\.isThere) }

  /// The newest task of that identifier that ran, or else the newest request.
  func task(_ identifier: String) -> TaskRow? {
    let own = tasks.filter { $0.identifier == identifier }
    return own.last { $0.launchedAtNs != nil } ?? own.last
  }

  /// In the phone's words without what differs from run to run: the number of a replacing push, and times.
  func fate(of push: PushRow) -> String {
    switch push.fateCode {
    case .replaced: return "replaced by a newer one"
    case .late: return "delivered late: the phone was off the network"
    default: break
    }
    let isShown = notifications.contains { $0.push == push.id }
    return push.fate ?? (push.isSilent ? "on its way" : isShown ? "shown" : "not shown yet")
  }
}

extension NotificationRow {
  /// The original alert of a push.
  var isAsSent: Bool { source == PhoneNotification.Source.original.rawValue }

  /// Whether its text names the invoice of that payment.
  func tells(ofPayment number: Int) -> Bool {
    !isAsSent && body.hasSuffix(": \(PlannedPayment.text(number))")
  }

  var words: String {
    let text = isAsSent ? "the push as it was sent" : body.isEmpty ? title : "\(title): \(body)"
    return isDisplayed ? text : "\(text), only in the list"
  }
}

extension TaskRow {
  var isOver: Bool { !["waiting", "running", "expiring"].contains(state) }

  var words: String { why.map { "\(state): \($0)" } ?? state }
}

extension Scene {
  /// An announced payment that the app has not cleared.
  struct IncomingRecord: Hashable, Sendable {
    var number: Int
    var isHeld: Bool
  }
}

extension Scene {
  /// A sender that tries again, and what it was told first.
  struct Sender: Hashable, Sendable {
    /// The number of the payment.
    var number: Int
    /// Those that have begun.
    var attempts: Int
    /// settled, failed, or pending if its time is over with an attempt under way; nil while it waits for an answer, or
    /// for its next attempt.
    var state: String?
    /// What its screen shows of a failed payment.
    var headline = ""
    var text = ""
    var button: String?

    /// One line for the payment, and one for the screen of a failed one.
    func words(_ name: String) -> [String] {
      guard let state else { return ["\(name): no answer yet"] }
      guard state == "failed" else { return ["\(name): \(state) with attempt \(attempts)"] }
      return [
        "\(name): failed after \(attempts) attempt\(attempts == 1 ? "" : "s")",
        "\(headline): \(text)\(button.map { " “\($0)”" } ?? "")",
      ]
    }
  }
}

extension Scene {
  private static let invoiceStates = [
    "pending": "its payment is pending", "paid": "paid", "failed": "failed, and the money is back",
    "lost": "may be paid: the outcome was lost with the replaced database",
  ]

  func invoice(_ number: Int) -> String? {
    invoices.indices.contains(number - 1) ? invoices[number - 1] : nil
  }

  func invoiceWords(_ number: Int) -> String {
    invoice(number).map { Self.invoiceStates[$0] ?? $0 } ?? "is not paid"
  }

  var holderSentence: String {
    if let holder { return "the \(holder.rawValue) holds the node" }
    guard let newestClaim else { return "nobody has ever held the node" }
    return "nobody holds the node; the \(newestClaim.rawValue) held it last"
  }

  func paymentSentences(_ story: Scenario) -> [String] {
    guard !payments.isEmpty else { return ["nobody has paid yet"] }
    var seen: Set<Int> = []
    return payments.map { payment in
      let isNew = seen.insert(payment.number).inserted
      let place = payment.number - 1
      let times = receivedTimes.indices.contains(place) ? receivedTimes[place] : 0
      let name = story.name(ofPayment: payment.number)
      return "\(name)\(isNew ? "" : ", paid again"): \(payment.words(receivedTimes: times))"
    }
  }

  /// The verdict on a run in which nothing is broken; `open`: what has not ended, one sentence each. External invoices
  /// count as payments, and so does a payment that the peer refused at once, which is not in its ledger.
  func verdict(_ open: [String]) -> StageVerdict {
    guard open.isEmpty else { return .unsettled(open) }
    let settled = payments.count(where: \.isPaid)
    return .sound(
      settled: settled + invoices.count { $0 == "paid" },
      failed: payments.count - settled + invoices.count { $0 == "failed" })
  }
}

/// The device's switches in the words of a story.
enum DeviceWords {
  /// The switches that differ from a new phone.
  static func of(_ device: DeviceState) -> [String] {
    var words: [String] = []
    if device.isLocked {
      words.append(
        device.hasBeenUnlocked
          ? "the phone is locked" : "the phone is locked, and was not unlocked since it was started")
    }
    if device.isInLowPowerMode { words.append("Low Power Mode is on") }
    if !device.allowsBackgroundRefresh { words.append("Background App Refresh is off") }
    if !device.allowsNotifications { words.append("the wallet may show no notifications") }
    if !device.showsOnLockScreen { words.append("alerts on the lock screen are off") }
    if !device.showsInCentre { words.append("alerts in the Notification Centre are off") }
    if !device.showsBanners { words.append("banners are off") }
    if device.hasFocus { words.append("a Focus is on") }
    if device.batteryPercent < 100 { words.append("the battery is at \(device.batteryPercent) percent") }
    if device.isCharging { words.append("the charger is plugged in") }
    if !device.hasNetwork { words.append("the network is gone") }
    if device.isStorageFull { words.append("the storage is full") }
    if device.playsOtherAudio { words.append("another app plays audio") }
    return words.isEmpty ? ["the phone is as ever"] : words
  }
}
