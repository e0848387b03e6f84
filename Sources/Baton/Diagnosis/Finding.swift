// Diagnosis: what is wrong with a container, a phone and a machine, decided from facts. Pure: another module gathers the
// facts and prints the findings, and `inspect --check`, `status` and `doctor` all show what is decided here.

import PhonePolicy

/// One thing that is wrong, what it means, and what to do.
package struct Finding: Hashable, Sendable {
  package let kind: FindingKind
  /// What is wrong: a sentence without its full stop, with the path or process.
  package let what: String
  /// What to do; empty if there is nothing to do.
  package let remedy: String
  /// What `doctor --fix` can do.
  package let fix: Fix?

  package init(_ kind: FindingKind, _ what: String, remedy: String = "", fix: Fix? = nil) {
    self.kind = kind
    self.what = what
    self.remedy = remedy
    self.fix = fix
  }

  package var gravity: Gravity { kind.gravity }
  package var sentence: String { remedy.isEmpty ? what : "\(what); \(remedy)" }

  package struct Document: Report {
    /// A code word.
    var kind: String
    /// `broken`, `wrong` or `note`.
    var gravity: String
    var what: String
    var means: String
    var remedy: String?
    /// What `doctor --fix` would do, or has done.
    var fix: String?
  }

  package var document: Document {
    Document(
      kind: kind.rawValue, gravity: gravity.rawValue, what: what, means: kind.meaning,
      remedy: remedy.isEmpty ? nil : remedy, fix: fix?.sentence)
  }
}

/// How grave a finding is.
package enum Gravity: String, Hashable, Sendable, Comparable, CaseIterable {
  /// Exclusive use of the node, money, a secret or the stored state is at stake.
  case broken
  /// Something does not work as it should, and nothing is lost by it.
  case wrong
  /// Nothing needs to be done.
  case note

  package static func < (one: Gravity, other: Gravity) -> Bool { one.rank < other.rank }

  private var rank: Int {
    switch self {
    case .broken: 0
    case .wrong: 1
    case .note: 2
    }
  }
}

/// A change that cannot lose anything.
package enum Fix: Hashable, Sendable {
  /// Takes rights away from other users.
  case narrow(path: String, mode: UInt32)
  /// Creates a lock file that no process has open.
  case createLock(path: String)

  package var sentence: String {
    switch self {
    case .narrow(let path, let mode): "chmod \(String(mode, radix: 8)) \(path)"
    case .createLock(let path): "create the empty lock file \(path)"
    }
  }
}

extension Sequence<Finding> {
  /// The gravest first; those of one gravity in the order in which they were found.
  package var worstFirst: [Finding] {
    Gravity.allCases.flatMap { gravity in filter { $0.gravity == gravity } }
  }

  /// All but notes: what `inspect` and `status` call problems.
  package var problems: [Finding] { filter { $0.gravity != .note } }
}
