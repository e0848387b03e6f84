import Foundation
import TestKit

/// Style rules.
@Suite struct StyleTests {
  private let swift = Project.sources + Project.tests + Project.fuzzers

  @Test func `A Swift file has at most 600 lines`() {
    for file in swift where file.code.count > 601 {
      Issue.record("\(file.path): \(file.code.count - 1) lines")
    }
  }

  @Test func `No file has a to-do mark`() {
    let words = ["TO" + "DO", "FIX" + "ME", "XX" + "X:"]
    for file in Project.files {
      for word in words where file.text.contains(word) { Issue.record("\(file.path) has a \(word)") }
    }
  }

  @Test func `No Swift file calls a sleep function`() {
    for file in swift where !file.path.hasPrefix("Tests/TidyTests/") {
      expect(file.places(matching: #"\b(sleep|usleep|nanosleep|Thread\.sleep|Task\.sleep)\s*\("#), is: [])
    }
  }

  @Test func `A test's name is in backticks`() {
    for file in Project.tests where !file.path.hasPrefix("Tests/TidyTests/StyleTests") {
      for match in file.text.matches(of: #/@Test\(\s*"|@Test(\([^`]*?\))?\s+func\s+\w+/#) {
        Issue.record("\(file.path): write @Test func `A sentence`(): \(match.0)")
      }
    }
  }

  @Test func `A file that begins with #! is executable`() {
    for file in Project.files where file.text.hasPrefix("#!") {
      let full = Project.root.appending(path: file.path).path
      #expect(FileManager.default.isExecutableFile(atPath: full), "\(file.path) is not executable")
    }
  }

  /// A path of one machine means nothing on another.
  @Test func `No file names a directory of a developer's machine`() {
    let places = ["/wo" + "rk/", "/ro" + "ot/", "/tmp/" + "w/", "/home/" + "user/"]
    for file in Project.files {
      for place in places where file.text.contains(place) { Issue.record("\(file.path) names \(place)") }
    }
  }

  @Test func `A Swift file ends with exactly one newline`() {
    for file in swift where !file.text.hasSuffix("\n") || file.text.hasSuffix("\n\n") {
      Issue.record("\(file.path) does not end with one line end")
    }
  }
}
