import Ground
import PhonePolicy

/// The observable state at one moment: the same facts for real and simulated processes.
public struct Scene: Hashable, Sendable {
  public struct Process: Hashable, Sendable {
    public enum Place: Hashable, Sendable {
      case notStarted
      /// The reason in the phone's words.
      case ended(String)
      case starting
      case inFront
      case inBackground
      /// Stopped by the phone.
      case suspended
      /// The extension runs; it is never in front.
      case running
      case ending
    }

    public var place: Place
    public var isFrozen: Bool
    /// Its reported status; the app's is what the user reads.
    public var shows: String
    /// It reports that it is connected, under the newest epoch.
    public var isConnected: Bool
    /// Why the last process of its role ended, in the phone's words.
    public var lastEnd: String?

    public init(
      place: Place, isFrozen: Bool = false, shows: String = "", isConnected: Bool = false,
      lastEnd: String? = nil
    ) {
      self.place = place
      self.lastEnd = lastEnd
      // A suspended process is stopped too; only a fault of the story counts as frozen.
      self.isFrozen = isFrozen && place != .suspended
      self.shows = shows
      self.isConnected = isConnected
    }

    var hasEnded: Bool { if case .ended = place { true } else { false } }

    public var isThere: Bool {
      switch place {
      case .notStarted, .ended: false
      case .starting, .inFront, .inBackground, .suspended, .running, .ending: true
      }
    }
  }

  /// A sender's request to pay an invoice, as the sender sees it.
  public struct Payment: Hashable, Sendable {
    public enum State: Hashable, Sendable {
      case waits
      case underWay
      case settled
      /// With the LSP's failure code.
      case failed(String)
    }

    public var number: Int
    public var state: State
    /// Of a multi-part payment: how many parts have not arrived yet.
    public var missingParts = 0
  }

  /// The process that holds the node, proven by its lock.
  public var holder: Role?
  /// The newest claim; nil before the first.
  public var newestClaim: Role?
  public var epoch: UInt64
  public var app: Process
  public var notifier: Process
  /// One for each payment attempt, in order.
  public var payments: [Payment]
  /// How often the wallet has received each payment number, from number 1.
  public var receivedTimes: [Int]
  /// The notifications, oldest first.
  public var notifications: [Notification]
  /// No HTLC is pending, and both sides of the channel agree.
  public var isChannelEven: Bool
  public var phone: PhoneScene = PhoneScene()
  /// Payments with a part that is durable in the wallet's channel, and neither fulfilled nor failed.
  public var keptParts: [Int] = []
  /// Payments whose invoice has expired, by the senders' clock.
  public var expiredInvoices: [Int] = []
  /// What the app in front shows beside its status; nil if it has no such screen.
  public var screen: [String]?
  /// The payments that the extension has recorded for the app, in order.
  public var records: [IncomingRecord] = []
  /// The senders that try again, by the numbers of their payments.
  public var senders: [Sender] = []
  /// One for each external invoice of the story, from number 1.
  public var invoices: [ExternalInvoice] = []
  /// The wallet's channel balance; nil before it has a channel.
  public var balanceMsat: UInt64?

  public subscript(role: Role) -> Process { role == .app ? app : notifier }

  func payments(_ number: Int) -> [Payment] { payments.filter { $0.number == number } }

  /// Replaces process ids in a process's message by the role, as ids differ between runs.
  public static func named(_ text: String, _ processes: [(pid: Int32, role: Role)]) -> String {
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

// A multi-part payment as its sender sees it: each part is a request of its own.
extension Scene.Payment {
  /// The first of `parts` parts.
  public init(number: Int, state: State, of parts: Int) {
    self.init(number: number, state: state)
    missingParts = parts - 1
  }

  /// Adds the next part.
  public mutating func add(_ part: State) {
    missingParts = max(0, missingParts - 1)
    state = Self.together(state, part)
  }

  /// Settled if all parts are; failed as soon as one is.
  private static func together(_ one: State, _ other: State) -> State {
    for state in [one, other] { if case .failed = state { return state } }
    if one == .waits || other == .waits { return .waits }
    return one == .settled && other == .settled ? .settled : .underWay
  }
}

/// The observable state of the phone.
public struct PhoneScene: Hashable, Sendable {
  public var device: DeviceState = DeviceState()
  public var badge: Int = 0
  /// Oldest first.
  public var pushes: [Scene.Push] = []
  /// Per identifier the newest run, or else the pending request.
  public var tasks: [Scene.Task] = []
  /// Pending requests, including those whose identifier ran before.
  public var waiting: [Scene.Task] = []
  public var playsAudio: Bool = false
  public var isAppWarned: Bool = false

  var silentPushes: [Scene.Push] { pushes.filter(\.isSilent) }

  func task(_ identifier: String) -> Scene.Task? { tasks.last { $0.identifier == identifier } }
}

extension Scene {
  /// An announced payment that the app has not cleared.
  public struct IncomingRecord: Hashable, Sendable {
    public var number: Int
    public var isHeld: Bool
  }

  public struct Push: Hashable, Sendable {
    public var isSilent: Bool
    /// Nil before the phone has recorded a fate.
    public var code: PushFateCode?
    /// In the phone's words.
    public var fate: String

    /// The fate is final.
    var isOver: Bool { code?.isEnd ?? false }
  }

  /// A notification in the list, and perhaps on the screen.
  public struct Notification: Hashable, Sendable {
    /// The original alert of a push.
    public var isAsSent = false
    public var title: String
    public var body = ""
    /// It is displayed on the screen.
    public var isDisplayed = true

    /// Whether its text names the invoice of that payment.
    func tells(ofPayment number: Int) -> Bool {
      !isAsSent && body.hasSuffix(": \(PlannedPayment.text(number))")
    }

    public var words: String {
      let text = isAsSent ? "the push as it was sent" : body.isEmpty ? title : "\(title): \(body)"
      return isDisplayed ? text : "\(text), only in the list"
    }
  }

  /// A background task of the app.
  public struct Task: Hashable, Sendable {
    public var identifier: String
    public var state: String
    public var why: String? = nil
    public var isOver: Bool
    /// It has begun, and was not told to expire.
    public var runs: Bool = false

    var words: String { why.map { "\(state): \($0)" } ?? state }
  }
}

extension Scene {
  /// A sender that tries again, and what it was told first.
  public struct Sender: Hashable, Sendable {
    public enum Told: Hashable, Sendable {
      /// It waits for an answer, or for its next attempt.
      case nothing
      case settled
      /// Its time is over with an attempt under way.
      case pending
      case failed(Message)
    }

    /// What its screen shows of a failed payment.
    public struct Message: Hashable, Sendable {
      public var headline: String
      public var text: String
      public var button: String?
    }

    /// The number of the payment.
    public var number: Int
    /// Those that have begun.
    public var attempts: Int
    public var told: Told

    public var hasFailed: Bool { if case .failed = told { true } else { false } }

    /// One line for the payment, and one for the screen of a failed one.
    func words(amount: String) -> [String] {
      let name = "payment \(number) of \(amount)"
      switch told {
      case .nothing: return ["\(name): no answer yet"]
      case .settled: return ["\(name): settled with attempt \(attempts)"]
      case .pending: return ["\(name): pending with attempt \(attempts)"]
      case .failed(let message):
        let button = message.button.map { " “\($0)”" } ?? ""
        return [
          "\(name): failed after \(attempts) attempt\(attempts == 1 ? "" : "s")",
          "\(message.headline): \(message.text)\(button)",
        ]
      }
    }
  }

  func sender(of number: Int) -> Sender? { senders.first { $0.number == number } }
}
