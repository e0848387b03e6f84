import Ground

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
