import Foundation

@testable import Guardrails

/// The comment of each state names its successors; these tests compare it with the declared transitions.
@Suite struct StateCommentsTests {
  @Test func `The comment of each state names the states that may follow it`() throws {
    try compare(Ownership.self, "State", in: "Ownership/OwnershipState.swift")
    try compare(AppMachine.self, "Place", in: "AppMachine.swift")
    try compare(ExtensionMachine.self, "State", in: "ExtensionMachine.swift")
  }

  @Test func `Random runs take only declared transitions`() {
    expect(undeclaredTransitions(of: AppMachine.self, stage: \.stage, ownership: \.ownership.stage), is: [])
    expect(
      undeclaredTransitions(of: ExtensionMachine.self, stage: \.stage, ownership: \.ownership.stage), is: [])
  }

  // MARK: Comments

  private func compare<Subject: Staged>(_: Subject.Type, _ name: String, in file: String) throws {
    let comments = try arrows(ofEnum: name, in: file)
    for stage in Subject.Stage.allCases {
      let said = try #require(comments["\(stage)"], "\(file): \(stage) has no comment")
      let declared = Set(Subject.next(after: stage).map { "\($0)" })
      expect(said, is: declared, "\(file): successors of \(stage)")
    }
  }

  /// The names behind the arrow in the comment of each case, without remarks in brackets.
  private func arrows(ofEnum name: String, in file: String) throws -> [String: Set<String>] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: "Sources/Guardrails/\(file)"), encoding: .utf8)
    let body = try #require(text.components(separatedBy: "enum \(name):").dropFirst().first)
    var found: [String: Set<String>] = [:]
    var comment = ""
    for line in body.components(separatedBy: "\n").dropFirst().map({ $0.trimmingCharacters(in: .whitespaces) }
    ) {
      if line == "}" { break }
      if line.hasPrefix("///") {
        comment += line.dropFirst(3)
      } else if let state = line.firstMatch(of: #/^case (?<name>\w+)/#)?.name {
        let behind = comment.components(separatedBy: "→").dropFirst().joined()
        let names = behind.replacing(#/\([^)]*\)/#, with: "").split { ",;".contains($0) }.map {
          $0.trimmingCharacters(in: .whitespaces)
        }
        let isTheEnd = comment.contains("Nothing follows")
        #expect(isTheEnd || !names.isEmpty, "\(file): the comment of \(state) names no successor")
        found[String(state)] = Set(names)
        comment = ""
      }
    }
    return found
  }

  // MARK: Transitions

  private func undeclaredTransitions<Machine: GuardMachine & Staged>(
    of _: Machine.Type, stage: (Machine) -> Machine.Stage, ownership: (Machine) -> Ownership.Stage
  ) -> Set<String> {
    var undeclared: Set<String> = []
    for seed in 0..<3000 as Range<UInt64> {
      var run = RandomRun<Machine>(seed: seed)
      for _ in 0..<60 {
        let (from, owned) = (stage(run.machine), ownership(run.machine))
        run.step()
        let (to, owns) = (stage(run.machine), ownership(run.machine))
        if from != to, !Machine.next(after: from).contains(to) { undeclared.insert("\(from) → \(to)") }
        if owned != owns, !Ownership.next(after: owned).contains(owns) {
          undeclared.insert("ownership: \(owned) → \(owns)")
        }
      }
    }
    return undeclared
  }
}
