import Ground
import PhonePolicy
import Lightning
import Wallet

/// User actions, payments and faults of one run with their instants, derived from the seed alone. A subset is an
/// agenda too, so that a failure can be shortened.
public struct Agenda: Hashable, Sendable {
  public enum Action: Hashable, Sendable {
    case open
    case home
    case quit
    /// A sender pays one of the open invoices, or the app makes some.
    case pay
    /// The user pays an external invoice.
    case send
    /// The user cancels an invoice of the wallet.
    case cancel
    /// The user withdraws on chain by a splice.
    case withdraw
    /// The user presses a button of the app's screen.
    case press
    /// The user follows a link of the wallet.
    case followLink
    /// Ends the background task that stands for `send` in other wallets' schemes.
    case sendIsDone
    /// The user takes the other device in hand and opens the wallet there.
    case takeOtherDevice
    /// The user asks to move the wallet to the device in hand, unless it is there.
    case askToMove
    /// On the device that is not in hand.
    indirect case onOther(Action)
    /// Injected after this many moves, so that it hits any step.
    case fault(FaultKind, afterMoves: Int)
    /// Fails the next such operation of a process.
    case storage(StorageFault)
    /// The disk is full for this long.
    case fullDisk(TimeSpan)
    /// For this long the peer reads nothing: a disconnect is not completed either.
    case slowPeer(TimeSpan)
  }

  public struct Entry: Hashable, Sendable {
    public var number: Int
    public var at: Instant
    public var action: Action
    /// Seed of its random choices.
    var salt: UInt64
  }

  public private(set) var entries: [Entry]
  /// The peer sends silent pushes beside the visible ones.
  let hasSilentPushes: Bool
  /// How soon the phone suspends the app, and how long it lets background tasks run.
  let suspendAfter: TimeSpan
  let backgroundTime: TimeSpan
  /// How long an outgoing payment takes to its recipient.
  let externalDelay: TimeSpan
  /// How long the peer takes to sign a splice.
  let spliceDelay: TimeSpan
  /// The peer stores the wallet's backup at most once in this time: at once in two runs of three.
  let storageDelay: TimeSpan
  /// How long the start of a node waits before it dials: not at all in two runs of three.
  let startDelay: TimeSpan
  /// How long the extension takes to start, and how long the phone waits for it.
  let extensionTakesToStart: TimeSpan
  let extensionStartTime: TimeSpan
  /// Background tasks that do not involve the node: none in half of the runs.
  let background: BackgroundWork.Habits?
  let taskSeed: UInt64
  /// What the phone does with an extension that has delivered its content, and whether it resumes a suspended one.
  let afterContent: AfterContent
  let reusesExtension: Bool
  let sparesLockHolders: Bool
  /// How senders react to a failed attempt, and how long the peer holds a payment. In two runs of five they try again.
  let retries: RetryPolicy
  let holdTime: TimeSpan

  /// `isTelling`: for a wallet whose extension only notifies.
  public init(seed: UInt64, length: TimeSpan, splices: Bool = false, isTelling: Bool = false) {
    // Not the stream that chooses the next move, so that a subset of an agenda keeps its choices.
    var generator = SeededGenerator(seed: seed ^ 0xA6E2_DA00_0000_0000)
    let enabled = FaultKind.drawn.filter { _ in generator.chance(60) }
    hasSilentPushes = generator.chance(50)
    suspendAfter = generator.chance(50) ? .zero : .seconds(5)
    backgroundTime = generator.chance(50) ? .milliseconds(Int64(generator.below(2000))) : .seconds(180)
    var timed: [(at: Instant, action: Action)] = []
    let end = Instant.zero + length
    func wait(_ from: Int, _ to: Int) -> TimeSpan { .milliseconds(Int64(from + generator.below(to - from))) }

    var at = Instant.zero
    while at < end {
      let choice = generator.below(10)
      timed.append((at, choice < 5 ? .open : choice < 9 ? .home : .quit))
      at = at + wait(300, 40_000)
    }
    at = .zero + .seconds(10)
    while at < end {
      timed.append((at, .pay))
      at = at + wait(100, 30_000)
    }
    at = .zero + .seconds(11)
    while at < end {
      timed.append((at, .send))
      at = at + wait(50, 60_000)
      timed.append((at, .sendIsDone))
      at = at + wait(1000, 60_000)
    }
    at = .zero + .seconds(12)
    while at < end, !enabled.isEmpty {
      timed.append((at, .fault(enabled[generator.below(enabled.count)], afterMoves: generator.below(40))))
      at = at + wait(200, 25_000)
    }
    // A stream of its own, so that splices do not change the rest of a seed.
    var splicing = SeededGenerator(seed: seed ^ 0x5B11_CE00_0000_0000)
    spliceDelay = splicing.chance(50) ? .zero : .milliseconds(Int64(splicing.below(12_000)))
    at = .zero + .seconds(13)
    while splices, at < end {
      timed.append((at, .withdraw))
      at = at + .milliseconds(Int64(50 + splicing.below(40_000)))
    }
    timed += Self.storageFaults(seed: seed, until: end, isTelling: isTelling)
    timed += Self.slowPeers(seed: seed, until: end)
    // Another stream of its own.
    var working = SeededGenerator(seed: seed ^ 0xBAC6_0000_0000_0000)
    background = working.chance(50) ? BackgroundWork.Habits() : nil
    taskSeed = working.next()
    var ending = SeededGenerator(seed: seed ^ 0xAF7E_C0E7_0000_0000)
    afterContent = ending.chance(60) ? .suspend : ending.chance(50) ? .kill : .run
    reusesExtension = ending.chance(70)
    sparesLockHolders = ending.chance(20)
    var storing = SeededGenerator(seed: seed ^ 0x5703_DE1A_0000_0000)
    storageDelay = storing.chance(33) ? .milliseconds(Int64(1 + storing.below(20_000))) : .zero
    startDelay = Self.startDelay(seed: seed)
    var launching = SeededGenerator(seed: seed ^ 0x1A07_C4ED_0000_0000)
    extensionTakesToStart = launching.chance(33) ? .milliseconds(Int64(launching.below(3000))) : .zero
    extensionStartTime = launching.chance(50) ? .seconds(10) : .milliseconds(Int64(1 + launching.below(3000)))
    var retrying = SeededGenerator(seed: seed ^ 0x5E4D_E200_0000_0000)
    let triesAgain = retrying.chance(40)
    retries = !triesAgain ? .off : retrying.chance(50) ? .hint : .interim
    // Held longer than a sender waits, or not at all.
    holdTime = triesAgain ? .seconds([0, 0, 2, 20, 120][retrying.below(5)]) : .seconds(120)
    var cancelling = SeededGenerator(seed: seed ^ 0xCA9C_E100_0000_0000)
    timed += Self.cancels(&cancelling, until: end)
    var moving = SeededGenerator(seed: seed ^ 0x3003_1E5E_0000_0000)
    timed += Self.twoDevices(&moving, until: end)
    var touching = SeededGenerator(seed: seed ^ 0x705C_4E00_0000_0000)
    if isTelling { timed += Self.touches(&touching, until: end) }
    // Sorted by time, then by creation: `sorted` is not documented as stable.
    let order = timed.indices.sorted { (timed[$0].at, $0) < (timed[$1].at, $1) }
    entries = []
    for (number, place) in order.enumerated() {
      let action = timed[place].action
      let salt =
        switch action {
        case .cancel: cancelling.next()
        case .press, .followLink: touching.next()
        case .takeOtherDevice, .askToMove, .onOther: moving.next()
        default: generator.next()
        }
      entries.append(Entry(number: number + 1, at: timed[place].at, action: action, salt: salt))
    }
    externalDelay = generator.chance(50) ? .zero : .milliseconds(Int64(generator.below(30_000)))
  }

  /// Longer than an extension lives in some runs.
  private static func startDelay(seed: UInt64) -> TimeSpan {
    var generator = SeededGenerator(seed: seed ^ 0x57A2_7000_0000_0000)
    guard generator.chance(33) else { return .zero }
    let most = [1000, 8000, 40_000][generator.below(3)]
    return .milliseconds(Int64(1 + generator.below(most)))
  }

  /// In one run of three.
  private static func cancels(
    _ generator: inout SeededGenerator, until end: Instant
  ) -> [(at: Instant, action: Action)] {
    guard generator.chance(33) else { return [] }
    var cancels: [(at: Instant, action: Action)] = []
    var at = Instant.zero + .seconds(12)
    while at < end {
      cancels.append((at, .cancel))
      at = at + .milliseconds(Int64(100 + generator.below(40_000)))
    }
    return cancels
  }

  /// Touches of the app's screen, and links, in two runs of three.
  private static func touches(
    _ generator: inout SeededGenerator, until end: Instant
  ) -> [(at: Instant, action: Action)] {
    guard generator.chance(67) else { return [] }
    var touches: [(at: Instant, action: Action)] = []
    var at = Instant.zero + .seconds(12)
    while at < end {
      touches.append((at, generator.chance(80) ? .press : .followLink))
      at = at + .milliseconds(Int64(100 + generator.below(8000)))
    }
    return touches
  }

  /// In one run of three the user has two devices. On the one that the wallet has left, the user opens the app, and its
  /// processes freeze and die.
  private static func twoDevices(
    _ generator: inout SeededGenerator, until end: Instant
  ) -> [(at: Instant, action: Action)] {
    guard generator.chance(33) else { return [] }
    func wait(_ from: Int, _ to: Int) -> TimeSpan { .milliseconds(Int64(from + generator.below(to - from))) }
    var timed: [(at: Instant, action: Action)] = []
    var at = Instant.zero + wait(12_000, 60_000)
    while at < end {
      timed.append((at, .takeOtherDevice))
      for _ in 0..<3 { timed.append((at + wait(100, 20_000), .askToMove)) }
      at = at + wait(2000, 180_000)
    }
    at = .zero + .seconds(12)
    let onOther: [Action] = [
      .open, .open, .home, .quit, .fault(.killApp, afterMoves: 0), .fault(.killExtension, afterMoves: 0),
      .fault(.freezeApp, afterMoves: 0), .fault(.freezeExtension, afterMoves: 0),
    ]
    while at < end {
      timed.append((at, .onOther(onOther[generator.below(onOther.count)])))
      at = at + wait(100, 15_000)
    }
    return timed
  }

  /// A stream of its own, as for splices. Half of the seeds have none.
  private static func storageFaults(
    seed: UInt64, until end: Instant, isTelling: Bool
  ) -> [(at: Instant, action: Action)] {
    var generator = SeededGenerator(seed: seed ^ 0x5704_A6E0_0000_0000)
    guard generator.chance(50) else { return [] }
    let kinds = StorageFault.all(ofTelling: isTelling)
    var faults: [(at: Instant, action: Action)] = []
    var at = Instant.zero + .seconds(12)
    while at < end {
      let isFull = generator.chance(10)
      faults.append(
        (
          at,
          isFull
            ? .fullDisk(.milliseconds(Int64(10 + generator.below(20_000))))
            : .storage(kinds[generator.below(kinds.count)])
        ))
      at = at + .milliseconds(Int64(100 + generator.below(10_000)))
    }
    return faults
  }

  /// A stream of its own, in one run of three: about as long as the extension waits for the end of its connection.
  private static func slowPeers(seed: UInt64, until end: Instant) -> [(at: Instant, action: Action)] {
    var generator = SeededGenerator(seed: seed ^ 0x5105_9EE2_0000_0000)
    guard generator.chance(33) else { return [] }
    var slow: [(at: Instant, action: Action)] = []
    var at = Instant.zero + .seconds(12)
    while at < end {
      slow.append((at, .slowPeer(.milliseconds(Int64(20 + generator.below(3000))))))
      at = at + .milliseconds(Int64(100 + generator.below(20_000)))
    }
    return slow
  }

  var hasTwoDevices: Bool { entries.contains { $0.action.isOfTwoDevices } }

  public func only(_ numbers: [Int]) -> Agenda {
    var part = self
    part.entries = entries.filter { numbers.contains($0.number) }
    return part
  }
}

extension Agenda.Action {
  var isOfTwoDevices: Bool {
    switch self {
    case .takeOtherDevice, .askToMove, .onOther: true
    default: false
    }
  }
}
