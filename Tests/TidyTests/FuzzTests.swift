import TestKit

/// Every fuzz target is run and has a corpus.
@Suite struct FuzzTests {
  private let targets = Project.fuzzers.filter { $0.places(matching: #"^enum \w+: FuzzTarget \{"#) != [] }

  @Test func `Every fuzz target is listed and has a corpus`() throws {
    let list = try #require(Project.file("Fuzz/FuzzTargets.swift")?.text)
    #expect(targets.count > 20)
    for target in targets {
      let type = try #require(target.text.firstMatch(of: /enum (?<type>\w+): FuzzTarget/)?.type)
      let name = try #require(target.text.firstMatch(of: /static let name = "(?<name>[a-z-]+)"/)?.name)
      expect(target.path, is: "Fuzz/\(type).swift")
      #expect(list.contains("\(type).self"), "\(type) is not in FuzzTargets.all")
      #expect(
        Project.paths.contains { $0.hasPrefix("Fuzz/Corpus/\(name)/") }, "Fuzz/Corpus/\(name) is empty")
    }
  }
}
