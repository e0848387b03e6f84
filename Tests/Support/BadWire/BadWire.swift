import Ground

/// One connection over a bad network, as a value: pieces of bytes from either end are delivered late, twice, out of
/// order, or not at all, in the same way for the same seed.
///
/// A close is always passed on at once, behind the bytes sent before it: a test must not mistake a lost close for a
/// lost message.
package struct BadWire {
  package enum End: Hashable, Sendable {
    case dialler
    case listener

    package var other: End { self == .dialler ? .listener : .dialler }
  }

  package struct Habits: Sendable {
    /// The delay of a piece, from and to.
    package var delay: ClosedRange<Int64> = 0...0
    /// Per thousand pieces.
    package var lost = 0
    package var repeated = 0
    package var overtaken = 0
    /// The connection is cut after this many bytes of both directions, in the middle of a piece.
    package var cutAfter: Int?

    package init() {}
  }

  package enum Event: Sendable {
    case came(from: End, [UInt8])
    case closed(End)
    case deadlineReached
  }

  package enum Directive: Hashable, Sendable {
    case pass(to: End, [UInt8])
    /// One end has closed; closes the other.
    case close(to: End)
    /// Closes both ends at once.
    case cut
  }

  private struct Piece {
    let to: End
    let bytes: [UInt8]
    let due: Instant
  }

  private let habits: Habits
  private var generator: SeededGenerator
  private var pieces: [Piece] = []
  /// The due instant of the last piece in each direction: later pieces come after it unless overtaken.
  private var lastDue: [End: Instant] = [:]
  private var carried = 0
  private var isCut = false

  package init(_ habits: Habits, seed: UInt64) {
    self.habits = habits
    generator = SeededGenerator(seed: seed)
  }

  package var deadline: Instant? { isCut ? nil : pieces.map(\.due).min() }

  package mutating func handle(_ event: Event, at now: Instant) -> [Directive] {
    guard !isCut else { return [] }
    switch event {
    case .came(let end, let bytes):
      take(bytes, for: end.other, at: now)
      return passOn { $0.due <= now }
    case .closed(let end): return passOn { $0.to == end.other } + [.close(to: end.other)]
    case .deadlineReached: return passOn { $0.due <= now }
    }
  }

  private mutating func take(_ bytes: [UInt8], for end: End, at now: Instant) {
    if happens(habits.lost) { return }
    let copies = happens(habits.repeated) ? 2 : 1
    for _ in 0..<copies {
      let own = now + TimeSpan(nanoseconds: Int64.random(in: habits.delay, using: &generator))
      let inOrder = max(own, lastDue[end] ?? own)
      if happens(habits.overtaken) {
        pieces.append(
          Piece(to: end, bytes: bytes, due: inOrder + TimeSpan(nanoseconds: habits.delay.upperBound + 1)))
      } else {
        lastDue[end] = inOrder
        pieces.append(Piece(to: end, bytes: bytes, due: inOrder))
      }
    }
  }

  private mutating func happens(_ ofAThousand: Int) -> Bool {
    ofAThousand > 0 && Int.random(in: 0..<1000, using: &generator) < ofAThousand
  }

  private mutating func passOn(_ isDue: (Piece) -> Bool) -> [Directive] {
    // In order of their due instants, then of their arrival.
    let due = pieces.filter(isDue).enumerated()
      .sorted { ($0.element.due, $0.offset) < ($1.element.due, $1.offset) }.map(\.element)
    pieces.removeAll(where: isDue)
    var directives: [Directive] = []
    for piece in due {
      guard let limit = habits.cutAfter, carried + piece.bytes.count > limit else {
        carried += piece.bytes.count
        directives.append(.pass(to: piece.to, piece.bytes))
        continue
      }
      isCut = true
      return directives + [.pass(to: piece.to, Array(piece.bytes.prefix(limit - carried))), .cut]
    }
    return directives
  }
}
