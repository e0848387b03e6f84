import Ground

/// iosd's answer to `status`.
public struct PhoneFacts: Report, Hashable {
  public var app = WalletFacts()
  public var `extension` = WalletFacts()
  public var nowPlaying: NowPlaying?
  public var goingDown: Bool?
  public var home = ""
  public var peer: String?
  /// `debug` or `production`.
  public var build = ""
  public var limits = LimitFacts()
  /// Parts of a suspension that iosd cannot carry out on this machine.
  public var blindSpots: [String] = []
  public var device: DeviceState?
  public var badge = 0
  public var notifications = 0
  public var wallNs: Int64 = 0
  public var journal = ""
  public var heapBytes: UInt64 = 0
  public var timers = 0

  public init() {}
}

/// One of the wallet's two processes, as iosd sees it.
public struct WalletFacts: Report, Hashable {
  public var state = ""
  public var pid: Int32?
  /// Of a process that has sent no message since its start: for how long, and the file of its output.
  public var silentMs: Int64?
  public var output: String?
  public var footprintBytes: UInt64?
  public var residentBytes: UInt64?
  /// App only: it got a memory warning.
  public var memoryWarned: Bool?
  /// The fields of its last `status` message.
  public var status: SaidFields?
  /// App only: the fields of its last `screen` message.
  public var screen: SaidFields?
  /// App only: the background tasks that keep it awake.
  public var ownTasks: [String]?
  /// Extension only: the push that it serves, for how long, and the number of waiting pushes.
  public var push: UInt64?
  public var pushMs: Int64?
  public var waitingPushes: Int?

  public init() {}
}

public struct NowPlaying: Report, Hashable {
  public var by = "app"
  public var sinceAtNs: Int64
  /// From 0 to 1.
  public var volume: String
  public var mixes: Bool
  public var loops: Int64
  public var rateHz: Int64
  public var channels: Int64
  public var frames: Int64
}

extension NowPlaying {
  public init(_ session: AudioSession, since: Instant, volume: String) {
    self.init(
      sinceAtNs: since.nanoseconds, volume: volume, mixes: session.mixes, loops: session.loops,
      rateHz: session.rateHertz, channels: session.channels, frames: session.frames)
  }
}

/// The fields of a control message as received: one text per name.
public struct SaidFields: Report, Hashable {
  private struct Name: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  private let texts: [String: String]

  public init(_ said: [(name: String, value: String)]) {
    texts = Dictionary(said.map { ($0.name, $0.value) }) { first, _ in first }
  }

  public subscript(name: String) -> String? { texts[name] }

  public init(from decoder: any Decoder) throws { texts = try [String: String](from: decoder) }

  /// In the order of their names.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Name.self)
    for text in texts.sorted(by: <) { try container.encode(text.value, forKey: Name(text.key)) }
  }
}

/// The extension's limits, the mechanism that enforces them, and its exactness.
public struct LimitFacts: Report, Hashable {
  public var enforced = false
  public var memoryBytes: UInt64 = 0
  public var memoryMechanism = ""
  public var memoryExactness = ""
  public var memoryGroup: String?
  public var noGroupBecause: String?
  public var timeMs: Int64 = 0
  public var timeMechanism = "timer"

  public init() {}
}
