import Foundation
import TestKit

/// Feeds every parser its corpus, in a process of its own: a broken promise ends it. `scripts/fuzz` makes new inputs.
@Suite struct CorpusTests {
  @Test func `Every parser keeps its promises for each input of its corpus`() async throws {
    let last = FileManager.default.temporaryDirectory.appending(path: "baton-corpus-\(UUID().uuidString)")
      .path
    defer { try? FileManager.default.removeItem(atPath: last) }
    let end = await #expect(processExitsWith: .success) { [last = last as String] in
      let corpus = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")
      for target in FuzzTargets.all {
        let inputs = try FileManager.default.contentsOfDirectory(
          at: corpus.appending(path: target.name), includingPropertiesForKeys: nil)
        for input in inputs {
          try Data("\(target.name)/\(input.lastPathComponent)".utf8).write(to: URL(filePath: last))
          target.feed([UInt8](try Data(contentsOf: input)))
        }
      }
    }
    if end == nil {
      let input = (try? String(contentsOfFile: last, encoding: .utf8)) ?? "none"
      Issue.record("the last input was Fuzz/Corpus/\(input); `scripts/fuzz` repeats it")
    }
  }
}
