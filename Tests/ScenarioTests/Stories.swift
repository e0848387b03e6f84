import Foundation

@testable import Baton

/// The files of Tests/Scenarios.
enum Stories {
  static let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  static let folder = root.appending(path: "Tests/Scenarios")

  static let names: [String] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(".txt") }.sorted()
  }()

  static func text(_ name: String) throws -> String {
    try String(contentsOf: folder.appending(path: name), encoding: .utf8)
  }

  static func story(_ name: String) throws -> Scenario { try ScenarioParser.parse(try text(name)) }

  static func isRealOnly(_ name: String) -> Bool {
    if case .real? = try? story(name).place { true } else { false }
  }

  static func isPlayedEverywhere(_ name: String) -> Bool { (try? story(name).place) == .everywhere }
}
