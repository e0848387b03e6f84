import PhonePolicy

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
