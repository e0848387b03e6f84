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

extension Phrase {
  /// The answer to a question of the language.
  static func answer(to question: String, _ scene: Scene, _ story: Scenario) -> [String] {
    guard let (phrase, found) = of(question), case .ask(let answer) = phrase.command(found) else { return [] }
    return answer(scene, story)
  }
}

extension Scene {
  /// Before the first claim, without payments.
  static func empty(app: Process = Process()) -> Scene {
    Scene(
      holder: nil, newestClaim: nil, epoch: 0, app: app, notifier: Process(), payments: [],
      receivedTimes: [], isChannelEven: true)
  }
}
