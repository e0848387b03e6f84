import Ground
import PhonePolicy
import Lightning
import Wallet

/// User actions, payments and faults of one run with their instants, derived from the seed alone. A subset is an
/// agenda too, so that a failure can be shortened.
public struct Agenda: Hashable, Sendable {
  public enum Action: Hashable, Sendable {
    /// The user opens or leaves the app, or follows a link.
    case make(Move)
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
    /// Ends the background task that stands for `send` in other wallets' schemes.
    case sendIsDone
    /// The user takes the other device in hand and opens the wallet there.
    case takeOtherDevice
    /// The user asks to move the wallet to the device in hand, unless it is there.
    case askToMove
    /// On the device that is not in hand.
    case onOther(Move)
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

  public private(set) var entries: [Entry] = []
  /// The settings of the run, with what the seed decides.
  private(set) var world: WorldSettings

  private typealias Timed = (at: Instant, action: Action)

  public init(_ settings: RunSettings) {
    world = settings.world
    // An hour's budget would soon be spent.
    world.phone.silentPushes.budget = .max
    let base = world
    let isTelling = !world.wallet.extension.hasNode
    let end = Instant.zero + settings.length
    // Not the stream that chooses the next move, so that a subset of an agenda keeps its choices.
    var generator = SeededGenerator(seed: settings.seed ^ 0xA6E2_DA00_0000_0000)
    // Streams of their own, so that none changes the rest of a seed.
    func stream(_ number: UInt64) -> SeededGenerator { SeededGenerator(seed: settings.seed ^ number << 32) }

    let enabled = FaultKind.drawn.filter { _ in generator.chance(60) }
    // A wallet whose extension only notifies has a silent push with each visible one.
    world.sendsSilentPushes = generator.chance(50) && !isTelling
    world.spoilsPayloads = true
    world.phone.suspendAfter = generator.chance(50) ? .zero : .seconds(5)
    world.phone.backgroundTime = generator.chance(50) ? generator.span(0..<2000) : .seconds(180)
    var timed = Self.timed(&generator, from: 0, until: end, every: 300..<40_000) { generator in
      let choice = generator.below(10)
      return .make(choice < 5 ? .open : choice < 9 ? .home : .quit)
    }
    timed += Self.timed(&generator, from: 10, until: end, every: 100..<30_000) { _ in .pay }
    var at = Instant.zero + .seconds(11)
    while at < end {
      timed.append((at, .send))
      at = at + generator.span(50..<60_000)
      timed.append((at, .sendIsDone))
      at = at + generator.span(1000..<60_000)
    }
    if !enabled.isEmpty {
      timed += Self.timed(&generator, from: 12, until: end, every: 200..<25_000) {
        .fault(enabled[$0.below(enabled.count)], afterMoves: $0.below(40))
      }
    }
    var splicing = stream(0x5B11_CE00)
    let spliceDelay = splicing.chance(50) ? .zero : splicing.span(0..<12_000)
    if world.splices {
      world.spliceDelay = spliceDelay
      timed += Self.timed(&splicing, from: 13, until: end, every: 50..<40_050) { _ in .withdraw }
    }
    // Half of the seeds have no storage faults.
    var failing = stream(0x5704_A6E0)
    if failing.chance(50) {
      let kinds = StorageFault.all(ofTelling: isTelling)
      timed += Self.timed(&failing, from: 12, until: end, every: 100..<10_100) {
        $0.chance(10) ? .fullDisk($0.span(10..<20_010)) : .storage(kinds[$0.below(kinds.count)])
      }
    }
    // About as long as the extension waits for the end of its connection.
    var slowing = stream(0x5105_9EE2)
    if slowing.chance(33) {
      timed += Self.timed(&slowing, from: 12, until: end, every: 100..<20_100) {
        .slowPeer($0.span(20..<3020))
      }
    }
    var working = stream(0xBAC6_0000)
    world.background = working.chance(50) ? BackgroundWork.Habits() : nil
    if world.wallet.pollTask != nil { world.background?.pollsPaykit = true }
    // Four hours become half a minute, so that a run of minutes has many refreshes.
    if world.background != nil { world.phone.tasks.timeScale = 480 }
    world.phone.tasks.seed = working.next()
    world.phone.linkSchemes = world.wallet.urlScheme.map { [$0] }
    var ending = stream(0xAF7E_C0E7)
    let afterContent: AfterContent = ending.chance(60) ? .suspend : ending.chance(50) ? .kill : .run
    world.phone.afterContent = settings.afterContent ?? afterContent
    world.phone.reusesExtension = ending.chance(70)
    world.phone.sparesLockHolders = ending.chance(20)
    var storing = stream(0x5703_DE1A)
    world.storageDelay = storing.chance(33) ? storing.span(1..<20_001) : .zero
    var launching = stream(0x1A07_C4ED)
    world.extensionTakesToStart = launching.chance(33) ? launching.span(0..<3000) : .zero
    world.phone.extensionStartTime = launching.chance(50) ? .seconds(10) : launching.span(1..<3001)
    // In two runs of five senders try again.
    var retrying = stream(0x5E4D_E200)
    let triesAgain = retrying.chance(40)
    world.retries = !triesAgain ? .off : retrying.chance(50) ? .hint : .interim
    // Held longer than a sender waits, or not at all.
    if triesAgain { world.holdTime = .seconds([0, 0, 2, 20, 120][retrying.below(5)]) }
    var cancelling = stream(0xCA9C_E100)
    if cancelling.chance(33) {
      timed += Self.timed(&cancelling, from: 12, until: end, every: 100..<40_100) { _ in .cancel }
    }
    var moving = stream(0x3003_1E5E)
    if moving.chance(33) { timed += Self.twoDevices(&moving, until: end) }
    // Touches of the app's screen, and links.
    var touching = stream(0x705C_4E00)
    if isTelling, touching.chance(67) {
      timed += Self.timed(&touching, from: 12, until: end, every: 100..<8100) {
        $0.chance(80) ? .press : .make(.followLink)
      }
    }
    // Sorted by time, then by creation: `sorted` is not documented as stable.
    let order = timed.indices.sorted { (timed[$0].at, $0) < (timed[$1].at, $1) }
    for (number, place) in order.enumerated() {
      let action = timed[place].action
      let salt =
        switch action {
        case .cancel: cancelling.next()
        case .press, .make(.followLink): touching.next()
        case .takeOtherDevice, .askToMove, .onOther: moving.next()
        default: generator.next()
        }
      entries.append(Entry(number: number + 1, at: timed[place].at, action: action, salt: salt))
    }
    world.externalDelay = generator.chance(50) ? .zero : generator.span(0..<30_000)
    // Longer than an extension lives in some runs. A slower start outlasts the time of a request to move.
    var starting = stream(0x57A2_7000)
    world.startDelay =
      starting.chance(33) ? starting.span(1..<[1001, 8001, 40_001][starting.below(3)]) : .zero
    if hasTwoDevices, world.allowsMoves { world.startDelay = min(world.startDelay, .seconds(5)) }
    // Others do not handle all this.
    if base.exclusion != nil { world = base }
  }

  /// Each a drawn pause, in milliseconds, after the one before.
  private static func timed(
    _ generator: inout SeededGenerator, from seconds: Int64, until end: Instant, every pause: Range<Int>,
    _ draw: (inout SeededGenerator) -> Action
  ) -> [Timed] {
    var timed: [Timed] = []
    var at = Instant.zero + .seconds(seconds)
    while at < end {
      timed.append((at, draw(&generator)))
      at = at + generator.span(pause)
    }
    return timed
  }

  /// On the device that the wallet has left, the user opens the app, and its processes freeze and die.
  private static func twoDevices(_ generator: inout SeededGenerator, until end: Instant) -> [Timed] {
    var moves: [Timed] = []
    var at = Instant.zero + generator.span(12_000..<60_000)
    while at < end {
      moves.append((at, .takeOtherDevice))
      for _ in 0..<3 { moves.append((at + generator.span(100..<20_000), .askToMove)) }
      at = at + generator.span(2000..<180_000)
    }
    let onOther: [Move] = [
      .open, .open, .home, .quit, .kill(.app), .kill(.extension), .freeze(.app), .freeze(.extension),
    ]
    return moves
      + timed(&generator, from: 12, until: end, every: 100..<15_000) {
        .onOther(onOther[$0.below(onOther.count)])
      }
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

extension SeededGenerator {
  /// A time in milliseconds.
  fileprivate mutating func span(_ range: Range<Int>) -> TimeSpan {
    .milliseconds(Int64(range.lowerBound + below(range.count)))
  }
}
