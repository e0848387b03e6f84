// Scenario: stories of the pair in plain words, with what must come of them. The language, what can be asked, and in which
// words it is answered; who plays a story is a stage's affair. Pure: it starts nothing and waits for nothing by itself.

import Ground

/// One story: what happens, line by line, and what is expected to be so.
public struct Scenario: Hashable, Sendable {
  /// The first comment: the fault that is told.
  public var title: String
  public var steps: [Step]
  /// The money that comes in it, in the order of the numbers from 1 on.
  public var payments: [PlannedPayment]
  /// And that goes.
  public var invoices: [PlannedInvoice] = []
  public var place: Place
  /// How its phone and its peer are, if not as ever.
  public var settings: [Setting] {
    steps.compactMap { if case .given(let it) = $0.command { it } else { nil } }
  }
  /// As it was read, so that it can be written again with its comments.
  var lines: [String]

  /// One line that says what to do, with the lines of output that are expected below it.
  public struct Step: Hashable, Sendable {
    /// From 1 on.
    public var line: Int
    public var text: String
    public var command: Command
    public var expected: [String]
  }

  /// Where a story can be played.
  public enum Place: Hashable, Sendable {
    case everywhere
    case simulated(because: String)
    case real(because: String)
  }
}

/// An invoice that the wallet makes before the story begins.
public struct PlannedPayment: Hashable, Sendable {
  public var number: Int
  public var amountSat: UInt64

  public var amountMsat: UInt64 { amountSat * 1000 }
  /// What its invoice says it is for.
  public var text: String { Self.text(number) }

  static func text(_ number: Int) -> String { "payment \(number)" }
}
