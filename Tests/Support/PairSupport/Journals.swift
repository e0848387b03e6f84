import Foundation
import ProcessSupport
import TestKit

/// The journals that real processes leave behind.
package enum Journals {
  /// All journals of a program, the oldest first.
  package static func text(of home: String, _ program: String) -> String {
    let directory = "\(home)/journal"
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    return names.filter { $0.contains("-\(program)-") }
      .compactMap { try? String(contentsOfFile: "\(directory)/\($0)", encoding: .utf8) }.joined()
  }

  /// Replays each journal: the cores must give the recorded directives byte for byte.
  package static func replay(of home: String) {
    let directory = "\(home)/journal"
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    // A program that refused to start has no journal.
    if names.isEmpty { return }
    do {
      let ran = try Started.run("baton", ["replay"] + names.map { "\(directory)/\($0)" })
      expect(ran.code, is: 0, "\(ran.output)\(ran.errors)")
    } catch { Issue.record("baton replay cannot be run: \(error)") }
  }
}
