import Foundation
import Testing

/// Feeds every parser its corpus, in a process of its own: a broken promise ends it. `scripts/fuzz` makes new inputs.
@Suite struct CorpusTests {
  @Test func `Every parser keeps its promises for each input of its corpus`() async throws {
    let end = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let corpus = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")
      for target in FuzzTargets.all {
        let inputs = try FileManager.default.contentsOfDirectory(
          at: corpus.appending(path: target.name), includingPropertiesForKeys: nil)
        for input in inputs {
          FileHandle.standardError.write(Data("\(target.name) \(input.lastPathComponent)\n".utf8))
          target.feed([UInt8](try Data(contentsOf: input)))
        }
      }
    }
    _ = end
  }
}
