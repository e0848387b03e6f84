// Scenario: stories of the pair in plain words, with expected answers. It has the language, the questions and the
// wording of the answers; a stage plays a story. Pure: no I/O and no waiting of its own.

import Ground

/// One story: events and questions, line by line, with the expected answers.
public struct Scenario: Hashable, Sendable {
  /// The first comment: the fault that the story is about.
  public var title: String
  public var steps: [Step]
  /// Its incoming payments, numbered from 1.
  public var payments: [PlannedPayment]
  /// Its external invoices, numbered from 1.
  public var invoices: [PlannedInvoice] = []
  public var place: Place
  /// The settings of its phone and its peer that differ from the defaults.
  public var settings: [Setting] {
    steps.compactMap { if case .given(let it) = $0.command { it } else { nil } }
  }
  /// The original lines, so that the story can be written again with its comments.
  var lines: [String]

  /// The comment directly above a step, on one line; nil for the story's title and what follows the title.
  func comment(above step: Step) -> String? {
    let above = lines[..<(step.line - 1)]
    let start = above.lastIndex { !$0.hasPrefix("#") }
    guard let start, start + 1 < above.endIndex else { return nil }
    let texts = above[(start + 1)...].map { $0.drop { $0 == "#" || $0 == " " } }
    return texts.joined(separator: " ")
  }

  /// One event or question, with the expected answer lines below it.
  public struct Step: Hashable, Sendable {
    /// Counted from 1.
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
  /// The invoice is to expire before the sender pays it.
  public var isPaidTooLate = false

  public var amountMsat: UInt64 { amountSat * 1000 }
  public var expiresAfter: TimeSpan { isPaidTooLate ? .seconds(1) : .seconds(86_400) }
  /// The invoice's description.
  public var text: String { Self.text(number) }

  static func text(_ number: Int) -> String { "payment \(number)" }
}
