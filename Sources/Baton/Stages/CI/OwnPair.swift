import Judge

/// A team's own programs in place of Baton's: those of a phone whose stories `baton ci` plays.
package struct OwnPair: Sendable {
  /// The levels of docs/protocols.md at which the stages can play a story; each needs those above it. A program of the
  /// first level, the phone alone, has no node, and no story is about it.
  package enum Level: String, CaseIterable, Comparable, Sendable {
    case container
    case peer
    case journal

    package static func < (one: Level, other: Level) -> Bool {
      (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
    }
  }

  /// Nil for Baton's program.
  package var app: String?
  package var ext: String?
  package var level: Level

  var iosdArguments: [String] { (app.map { ["--app", $0] } ?? []) + (ext.map { ["--ext", $0] } ?? []) }

  /// What the judge cannot demand of such programs.
  var evidenceMissing: Set<EvidencePart> { level < .journal ? [.journals] : [] }
}

extension Scenario {
  /// Why it cannot be played on a team's own programs, with the first line that forbids it; nil if it applies.
  func whyNot(on pair: OwnPair) -> String? {
    for step in steps {
      guard let need = step.need, need != .peer || pair.level < .peer else { continue }
      return "\(need.rawValue) (line \(step.line): \(step.text))"
    }
    return nil
  }
}
