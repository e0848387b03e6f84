import TestKit

/// A pure module has no time, randomness or I/O, and does the same every time.
@Suite struct CoreTests {
  /// Folders; each `handle`, `World` or page of them gives the same result for the same input.
  private static let folders = [
    "Ground", "Heartbeat", "Guardrails", "Lightning", "LightningProvider", "Wallet", "PhonePolicy",
    "Simulation", "Museum", "Baton/Scenario", "Baton/Timeline", "Baton/Diagnosis",
  ].map { "Sources/\($0)/" }

  private var cores: [Project.File] {
    Project.sources.filter { file in Self.folders.contains(where: file.path.hasPrefix) }
  }

  @Test func `A pure module names no clock, no randomness and no I/O`() {
    let words: [String] = [
      #"\bDate\("#, #"\bTask\s*[{.(]"#, #"\b(Continuous|Suspending|Dispatch)\w*Clock\b"#, #"\.random\("#,
      #"\b(SystemRandomNumberGenerator|shuffled|randomElement)\b"#,
      #"\b(Foundation|Glibc|Dispatch|Darwin)\b"#, #"\bsleep\b"#, #"\bclock_gettime\b"#,
      #"\b(print|readLine|fopen|getenv)\("#, #"\b(async|await|actor)\b\s"#,
      #"\b(hashValue|ObjectIdentifier|CommandLine)\b"#,
    ]
    let anyWord = words.joined(separator: "|")
    for file in cores { expect(file.places(matching: anyWord), is: []) }
  }

  /// The order of a set or dictionary differs from run to run: a journal could not be replayed.
  @Test func `A pure module iterates no set or dictionary unless sorted`() {
    for folder in Self.folders {
      let files = cores.filter { $0.path.hasPrefix(folder) }
      #expect(!files.isEmpty, "\(folder)")
      let code = files.flatMap(\.code).joined(separator: "\n")
      let declaration =
        /\b(?:var|let)\s+(?<name>\w+)\s*(?::\s*(?:Set<|Dictionary<|\[[^\[\]\n(]+:\s)|=\s*(?:Set|Dictionary)\b)/
      for name in Set(code.matches(of: declaration).map { String($0.name) }) {
        let loop = #"\bin\s+(\w+[.?!]+)*"# + name + #"(\.(keys|values|enumerated\(\)))?\s*(\{|where|$)"#
        let walk =
          #"\b"# + name + #"[?!]?\.(keys|values|map|forEach|flatMap|compactMap|first\b|reduce|popFirst)"#
        for file in files {
          expect(file.places(matching: loop), is: [])
          expect(file.places(matching: walk).filter { !$0.contains("sorted") }, is: [])
        }
      }
    }
  }

  @Test func `A pure module has no fatalError, try! or as!`() {
    for file in cores { expect(file.places(matching: #"\b(fatalError|try!|as!)"#), is: []) }
  }
}
