import Ground

/// Visits every interleaving of a bounded world, breadth first, so that the path to each finding is shortest.
///
/// A layer is the states one move further than all seen before. Threads can share the work on a layer (`expand` is
/// pure); `take` adds the results in one order, so that the outcome does not depend on the number of threads.
public struct Explorer: Sendable {
  public let settings: ExploreSettings
  public private(set) var states = 0
  public private(set) var transitions = 0
  public private(set) var depth = 0
  /// The states of the current layer, not expanded yet.
  private(set) var frontier: [Place] = []
  /// States with a violation or without progress: the first of each kind, in order of discovery, so that the path to
  /// each is shortest.
  public private(set) var findings: [Finding] = []
  public private(set) var ways = Ways()
  /// Quiet states from which the wallet recovers when faults stop.
  public private(set) var healed = 0
  /// Quiet states in which the peer has lost the newest backup of a wallet that needs it: nothing recovers them.
  public private(set) var lost = 0

  private var seen = SeenStates()
  private var healing = SeenStates()
  private var firstOfFrontier = 0
  private var nextFrontier: [Place] = []
  /// For each state the one it was first reached from, and the index of the move there.
  private var parents: [UInt32] = []
  private var choices: [UInt16] = []

  public init(_ settings: ExploreSettings) {
    self.settings = settings
    let start = settings.start
    _ = seen.insert(start.digest)
    parents = [0]
    choices = [0]
    states = 1
    frontier = [start]
  }

  public struct Finding: Hashable, Sendable {
    public var state: Int
    public var violation: Violation
  }

  public var isDone: Bool { frontier.isEmpty || hasFound }

  private var hasFound: Bool {
    guard let seeks = settings.seeks else { return !findings.isEmpty && !settings.findsAll }
    return findings.contains { $0.violation.invariant == seeks }
  }

  /// Number of states in this layer.
  public var waiting: Int { frontier.count }

  /// One successor of a state.
  public struct Successor: Sendable {
    var place: Place
    var digest: UInt64
    var choice: UInt16
  }

  public struct Expansion: Sendable {
    var parent: Int
    var successors: [Successor] = []
    var transitions = 0
    var ways = Ways()
    /// Digests of the recovery run from a quiet state; nil if the state is not quiet, empty with `stuck` if it
    /// failed.
    var healed: [UInt64]?
    /// The violation of a failed recovery run.
    var stuck: Violation?
    /// The recovery run failed, but its end is a state that the peer has lost.
    var isLost = false
  }

  /// The unseen successors of some states of the layer. Pure, so that threads can run it concurrently.
  public func expand(_ range: Range<Int>) -> [Expansion] {
    var moves: [Move] = []
    var expansions: [Expansion] = []
    expansions.reserveCapacity(range.count)
    var known: Set<UInt64> = []
    for index in range {
      let place = frontier[index]
      var expansion = Expansion(parent: firstOfFrontier + index)
      guard place.world.violation == nil else {
        // No successors after a violation.
        expansions.append(expansion)
        continue
      }
      let isQuiet = place.moves(into: &moves)
      expansion.transitions = moves.count
      if isQuiet {
        var healing = Healing(place.world, userStaysAway: settings.userStaysAway)
        expansion.healed = healing.run { known.contains($0) || self.healing.contains($0) } ?? []
        expansion.stuck = healing.world.violation
        expansion.isLost = healing.hasFailed && expansion.stuck == nil
        known.formUnion(expansion.healed ?? [])
      }
      for (choice, move) in moves.enumerated() {
        let next = place.after(move)
        expansion.ways.add(next.world.ways)
        let digest = next.digest
        guard !seen.contains(digest) else { continue }
        expansion.successors.append(Successor(place: next, digest: digest, choice: UInt16(choice)))
      }
      expansions.append(expansion)
    }
    return expansions
  }

  /// Call it with the expansions of a layer in their order.
  public mutating func take(_ expansions: [Expansion]) {
    for expansion in expansions {
      transitions += expansion.transitions
      ways.add(expansion.ways)
      if let digests = expansion.healed {
        for digest in digests { _ = healing.insert(digest) }
        if expansion.isLost { lost += 1 } else if expansion.stuck == nil { healed += 1 }
      }
      if let stuck = expansion.stuck { found(stuck, in: expansion.parent) }
      for successor in expansion.successors where seen.insert(successor.digest) {
        parents.append(UInt32(expansion.parent))
        choices.append(successor.choice)
        if let violation = successor.place.world.violation { found(violation, in: states) }
        states += 1
        nextFrontier.append(successor.place)
      }
    }
  }

  private mutating func found(_ violation: Violation, in state: Int) {
    guard !findings.contains(where: { $0.violation.kind == violation.kind }) else { return }
    findings.append(Finding(state: state, violation: violation))
  }

  public mutating func finishLayer() {
    firstOfFrontier += frontier.count
    frontier = nextFrontier
    nextFrontier = []
    depth += 1
  }

  /// The moves from the start to a state.
  func path(to state: Int) -> [Move] {
    var choicesBack: [UInt16] = []
    var at = state
    while at != 0 {
      choicesBack.append(choices[at])
      at = Int(parents[at])
    }
    var path: [Move] = []
    var place = settings.start
    var moves: [Move] = []
    for choice in choicesBack.reversed() {
      place.moves(into: &moves)
      path.append(moves[Int(choice)])
      place = place.after(moves[Int(choice)])
    }
    return path
  }
}

extension Explorer {
  /// Replays the shortest path to a state, then its failed recovery run, if any. `listen` gets the world after each
  /// move, and the time that passed before its clock was last reset.
  public func tell(_ state: Int, listen: (inout World, TimeSpan) -> Void) {
    var place = Place(world: settings.startWorld(isRecorded: true), left: settings.bounds)
    var passed = TimeSpan.zero
    for move in path(to: state) {
      place = place.after(move) { world in listen(&world, passed) }
      passed = passed + place.passed.value
    }
    guard place.world.violation == nil else { return }
    var healing = Healing(place.world, userStaysAway: settings.userStaysAway)
    _ = healing.run(isKnown: { _ in false }) { listen(&$0, passed + $1) }
  }
}

extension Place {
  var digest: UInt64 { Digest.of(self) }
}

/// A set of state digests: a hash table with open addressing, eight bytes for each.
struct SeenStates: Sendable {
  private var table = [UInt64](repeating: 0, count: 1 << 16)
  private(set) var count = 0

  func contains(_ digest: UInt64) -> Bool {
    let wanted = digest == 0 ? 1 : digest
    var slot = Int(truncatingIfNeeded: wanted) & (table.count - 1)
    while table[slot] != 0 {
      if table[slot] == wanted { return true }
      slot = (slot + 1) & (table.count - 1)
    }
    return false
  }

  /// False if it was there already.
  mutating func insert(_ digest: UInt64) -> Bool {
    if count * 4 > table.count * 3 { grow() }
    guard !contains(digest) else { return false }
    put(digest == 0 ? 1 : digest)
    count += 1
    return true
  }

  private mutating func put(_ digest: UInt64) {
    var slot = Int(truncatingIfNeeded: digest) & (table.count - 1)
    while table[slot] != 0 { slot = (slot + 1) & (table.count - 1) }
    table[slot] = digest
  }

  private mutating func grow() {
    let old = table
    table = [UInt64](repeating: 0, count: old.count * 2)
    for digest in old where digest != 0 { put(digest) }
  }
}
