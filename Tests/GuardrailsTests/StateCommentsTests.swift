import Ground
import Foundation
import Testing

@testable import Guardrails

/// Whoever reads a state reads in its comment what may follow it; these hold the comments to what is so.
@Suite struct StateCommentsTests {
  @Test func theCommentOfEachStateNamesWhatMayFollowIt() throws {
    try compare(Ownership.self, "State", in: "OwnershipState.swift")
    try compare(AppMachine.self, "Place", in: "AppMachine.swift")
    try compare(ExtensionMachine.self, "State", in: "ExtensionMachine.swift")
  }

  @Test func randomLivesTakeNoOtherWays() {
    #expect(strangeWays(of: AppMachine.self, stage: \.stage, ownership: \.ownershipStage) == [])
    #expect(strangeWays(of: ExtensionMachine.self, stage: \.stage, ownership: \.ownershipStage) == [])
  }

  // MARK: Comments

  private func compare<Subject: Staged>(_: Subject.Type, _ name: String, in file: String) throws {
    let comments = try arrows(ofEnum: name, in: file)
    for stage in Subject.Stage.allCases {
      let said = try #require(comments["\(stage)"], "\(file): \(stage) has no comment")
      let declared = Set(Subject.next(after: stage).map { "\($0)" })
      #expect(said == declared, "\(file): what follows \(stage)")
    }
  }

  /// What stands behind the arrow in the comment of each case: names, each perhaps with a remark in brackets.
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
        #expect(isTheEnd || !names.isEmpty, "\(file): \(state) does not say what follows")
        found[String(state)] = Set(names)
        comment = ""
      }
    }
    return found
  }

  // MARK: Ways

  private func strangeWays<Machine: GuardMachine & Staged>(
    of _: Machine.Type, stage: (Machine) -> Machine.Stage, ownership: (Machine) -> Ownership.Stage
  ) -> Set<String> {
    var strange: Set<String> = []
    for seed in 0..<3000 as Range<UInt64> {
      var run = RandomRun<Machine>(seed: seed)
      for _ in 0..<60 {
        let (from, owned) = (stage(run.machine), ownership(run.machine))
        run.step()
        let (to, owns) = (stage(run.machine), ownership(run.machine))
        if from != to, !Machine.next(after: from).contains(to) { strange.insert("\(from) → \(to)") }
        if owned != owns, !Ownership.next(after: owned).contains(owns) {
          strange.insert("ownership: \(owned) → \(owns)")
        }
      }
    }
    return strange
  }
}
