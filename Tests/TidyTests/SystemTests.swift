import TestKit

/// The libraries run on Linux and Darwin: the differences are in one file for each.
@Suite struct SystemTests {
  private static let modules = [
    "Ground", "Heartbeat", "Guardrails", "Platform", "SharedContainer", "Coordinator",
  ]
  private static let linux = "Sources/Platform/System/Kernel+Linux.swift"
  private static let darwin = "Sources/Platform/System/Kernel+Darwin.swift"

  private var files: [Project.File] { Project.sources.filter { Self.modules.contains($0.module) } }
  private var common: [Project.File] { files.filter { ![Self.linux, Self.darwin].contains($0.path) } }

  /// The import of the C library that compiles on both systems.
  private static let libraryOfEither = [
    "#if canImport(Darwin)", "  import Darwin", "#else", "  import Glibc", "#endif",
  ]

  /// All modules that the library's products link are checked here.
  @Test func `The checks for Darwin cover all modules that the libraries link`() {
    let linked = Set(Manifest.linked(into: "Coordinator"))
    expect(linked.subtracting(Self.modules), is: ["CSQLite", "CBaton"])
    expect(Set(files.map(\.module)), is: Set(Self.modules))
  }

  @Test func `In the libraries' modules only the Kernel files have names that only Linux or only Darwin has`()
    throws
  {
    let words = try Regex(
      #"/proc\b|/dev/shm|/sys/|pidfd|memfd|epoll|\b(timer|signal|event|i?notify)fd\b|\bO_(PATH|TMPFILE|SYMLINK)\b|"#
        + #"\b(CLOCK_\w*(BOOT|UP)TIME\w*|CLOCK_MONOTONIC\w*|getentropy|arc4random\w*|sysctl\w*|F_FULLFSYNC|F_OFD_\w+)\b|"#
        + #"\bst_[mca]tim(espec)?\b|\b(prctl|mallinfo2?|syscall|statfs)\b|\bos\((Linux|macOS|iOS)\)"#)
    // By Unicode's word boundaries `status.st_mtim` would be one word.
    let simple = words.wordBoundaryKind(.simple)
    for file in common {
      let said = file.text.split(separator: "\n").filter { line in
        !line.drop { $0 == " " }.hasPrefix("//") && line.firstMatch(of: simple) != nil
      }
      expect(said, is: [], "\(file.path)")
    }
  }

  @Test
  func `A file of the libraries' modules that imports the C library imports it for Linux and for Darwin`() {
    let library = /\b(Glibc|Darwin|Musl)\b/.wordBoundaryKind(.simple)
    var count = 0
    for file in common {
      let named = file.code.indices.filter { file.code[$0].firstMatch(of: library) != nil }
      guard let first = named.first else { continue }
      count += 1
      let lines = Array(file.code[first...].prefix(5))
      expect(lines, is: Self.libraryOfEither, "\(file.path) names one system's C library")
      expect(named, is: [first, first + 1, first + 3], "\(file.path) names a C library again")
    }
    #expect(count > 0 && count <= 12, "\(count) files go to the C library by themselves")
  }

  /// Both files declare the same functions; the compiler sees only one at a time.
  @Test func `The Kernel files for Linux and Darwin declare the same functions`() throws {
    let linux = try #require(Project.file(Self.linux))
    let darwin = try #require(Project.file(Self.darwin))
    let asked = questions(linux)
    #expect(asked.count > 8)
    expect(questions(darwin), is: asked)
    #expect(linux.code.first == "#if os(Linux)" && linux.code.filter { $0.hasPrefix("#") }.count == 2)
    let guards = darwin.code.filter { $0.hasPrefix("#") }
    expect(guards, is: ["#if canImport(Darwin)", "#endif"])
  }

  private func questions(_ file: Project.File) -> [String] {
    file.code.compactMap { line in
      line.firstMatch(of: /^ +public static (func|var|let) [^{=]+/).map {
        String($0.output.0.replacing("static var", with: "static let")).trimmed
      }
    }.sorted()
  }
}

extension String {
  fileprivate var trimmed: String { split(separator: " ").joined(separator: " ") }
}
