import PhonePolicy

/// What there is to see of the phone itself.
public struct PhoneScene: Hashable, Sendable {
  public var device: DeviceState
  public var badge: Int
  /// The oldest first.
  public var silentPushes: [Scene.SilentPush]
  /// Of each identifier the newest run, or else what the app has asked for.
  public var tasks: [Scene.Task]
  /// What the app has asked for and does not run yet, whatever ran before.
  public var waiting: [Scene.Task]
  public var playsAudio: Bool
  public var isAppWarned: Bool

  public init(
    device: DeviceState = DeviceState(), badge: Int = 0, silentPushes: [Scene.SilentPush] = [],
    tasks: [Scene.Task] = [], waiting: [Scene.Task] = [], playsAudio: Bool = false, isAppWarned: Bool = false
  ) {
    self.device = device
    self.badge = badge
    self.silentPushes = silentPushes
    self.tasks = tasks
    self.waiting = waiting
    self.playsAudio = playsAudio
    self.isAppWarned = isAppWarned
  }

  func task(_ identifier: String) -> Scene.Task? { tasks.last { $0.identifier == identifier } }
}

extension Scene {
  public struct SilentPush: Hashable, Sendable {
    /// In the words of the phone.
    public var fate: String
    /// Nothing more comes of it.
    public var isOver: Bool

    public init(fate: String, isOver: Bool) {
      self.fate = fate
      self.isOver = isOver
    }

    /// The app had it, and is done with it.
    var isCompleted: Bool { fate.hasPrefix("completed with ") }

    /// Before the phone has said what becomes of it.
    public static let onItsWay = SilentPush(fate: "on its way", isOver: false)
  }

  /// A background task of the app.
  public struct Task: Hashable, Sendable {
    public var identifier: String
    public var words: String
    public var isOver: Bool
    /// It has begun, and was not told to end.
    public var runs: Bool

    public init(identifier: String, words: String, isOver: Bool, runs: Bool = false) {
      self.identifier = identifier
      self.words = words
      self.isOver = isOver
      self.runs = runs
    }
  }
}
