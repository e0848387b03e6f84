import Ground

/// What there is to see at one moment, whoever plays: the same facts of real processes and of simulated ones.
public struct Scene: Hashable, Sendable {
  public struct Process: Hashable, Sendable {
    public enum Place: Hashable, Sendable {
      case notStarted
      /// In the words of the phone.
      case ended(String)
      case starting
      case inFront
      case inBackground
      /// Stopped by the phone, which the app alone can be.
      case suspended
      /// The extension has no place on the screen.
      case running
      case ending
    }

    public var place: Place
    public var isFrozen: Bool
    /// What it says of itself; in the case of the app the user reads it.
    public var shows: String
    /// It says that it is connected, under the epoch that is the newest.
    public var isConnected: Bool
    /// How the last of its kind that ended came to its end, in the words of the phone.
    public var lastEnd: String?

    public init(
      place: Place, isFrozen: Bool = false, shows: String = "", isConnected: Bool = false,
      lastEnd: String? = nil
    ) {
      self.place = place
      self.lastEnd = lastEnd
      // Who is suspended is stopped, too: a story calls frozen what somebody else has done.
      self.isFrozen = isFrozen && place != .suspended
      self.shows = shows
      self.isConnected = isConnected
    }

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
      /// With the provider's word for it.
      case failed(String)
    }

    public var number: Int
    public var state: State
    /// Of a payment in parts: how many of them are still to come.
    public var missingParts = 0

    public init(number: Int, state: State) {
      self.number = number
      self.state = state
    }
  }

  /// Who has the node, with the lock that proves it.
  public var holder: Role?
  /// The newest claim; nil before the first.
  public var newestClaim: Role?
  public var epoch: UInt64
  public var app: Process
  public var notifier: Process
  /// One for each time that somebody paid, in that order.
  public var payments: [Payment]
  /// How often the wallet has the payment of each number, the first first.
  public var receivedTimes: [Int]
  /// What the user sees, the oldest first.
  public var notifications: [Notification]
  /// No payment is half-way in the channel, and both sides count the same.
  public var isChannelEven: Bool
  public var phone: PhoneScene
  /// Payments of which a part is in the wallet's channel for good, and neither taken nor refused.
  public var keptParts: [Int] = []
  /// One for each invoice of the story, the first first.
  public var invoices: [ExternalInvoice] = []
  /// The wallet's in its channel; nil before it has one.
  public var balanceMsat: UInt64?

  public init(
    holder: Role?, newestClaim: Role?, epoch: UInt64, app: Process, notifier: Process, payments: [Payment],
    receivedTimes: [Int], notifications: [Notification], isChannelEven: Bool,
    phone: PhoneScene = PhoneScene()
  ) {
    self.holder = holder
    self.newestClaim = newestClaim
    self.epoch = epoch
    self.app = app
    self.notifier = notifier
    self.payments = payments
    self.receivedTimes = receivedTimes
    self.notifications = notifications
    self.isChannelEven = isChannelEven
    self.phone = phone
  }

  public subscript(role: Role) -> Process { role == .app ? app : notifier }

  func payments(_ number: Int) -> [Payment] { payments.filter { $0.number == number } }

  /// What a process says names others by their number: a reader of the story knows them by what they are.
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
