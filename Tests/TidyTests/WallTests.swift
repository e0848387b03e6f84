import TestKit

/// Package.swift declares what each module imports. Here is what it must not declare, and why.
@Suite struct WallTests {
  private var modules: [Manifest.Target] { Manifest.targets.filter { $0.folder.hasPrefix("Sources/") } }

  /// SwiftPM also finds a module that was built for another target: such an import works by chance, and a build from
  /// nothing fails by chance.
  @Test func `A file imports the modules that its target declares, and a module declares no other`() {
    let ours = Set(Manifest.targets.map(\.name))
    #expect(modules.count > 20 && Project.sources.count > 50 && Project.tests.count > 50)
    let swift = Project.sources + Project.tests + Project.benchmarks
    for target in Manifest.targets where target.folder != "Fuzz/" {
      for file in swift where file.module == target.name {
        let undeclared = Set(file.imports).intersection(ours).subtracting(target.dependencies)
        #expect(undeclared.isEmpty, "\(file.path) imports \(undeclared)")
      }
    }
    for module in modules {
      let files = Project.sources.filter { $0.module == module.name }
      let unused = Set(module.dependencies).subtracting(files.flatMap(\.imports))
      #expect(unused.isEmpty, "\(module.name) declares \(unused), and imports it nowhere")
    }
  }

  /// Foundation would cost the extension its start in a millisecond and most of its 24 MB.
  @Test
  func `No module that an extension or the library links imports Foundation or uses Swift concurrency`() {
    for program in ["NotifyExtd", "NotifyOnlyd", "Coordinator"] {
      for file in Project.sources where Manifest.linked(into: program).contains(file.module) {
        let heavy = file.imports.filter {
          $0.hasPrefix("Foundation") || $0 == "Dispatch" || $0.hasPrefix("_")
        }
        #expect(heavy.isEmpty, "\(file.path) imports \(heavy)")
        expect(file.places(matching: #"\b(async|await|actor)\b\s"#), is: [])
      }
    }
  }

  @Test(
    .shows("B-1.1.1", "B-1.1.2", "B-1.1.3", "L-1.3"),
    arguments: [
      // The wallet of the extension that only notifies has its node in the app alone.
      (
        "NotifyOnlyd",
        ["Lightning", "LightningIO", "Wallet", "WalletProcess", "SharedContainer", "Coordinator"]
      ),
      // Wallet and LSP share no node code; each knows of the other only by messages.
      ("MainAppd", ["LightningProvider", "HTTP", "PhonePolicy", "Simulation", "Judge"]),
      ("NotifyExtd", ["LightningProvider", "HTTP", "PhonePolicy", "Simulation", "Judge"]),
      ("Wallet", ["LightningProvider"]), ("LightningProvider", ["Wallet"]),
      ("LSPd", ["Wallet", "SharedContainer"]), ("IOSd", ["Lightning", "HTTP"]),
      // The judge reads SQLite and hexadecimal with the shared modules, but decides by its own rules.
      ("Judge", ["Guardrails", "Lightning", "SharedContainer", "WalletProcess"]),
      // A user of the library needs libsqlite3 alone.
      ("Coordinator", ["Crypto", "DaemonRuntime", "Lightning", "CLinux"]),
      // Other products' coordination reaches the simulated world through one port.
      ("Simulation", ["Museum"]),
    ])
  func `A program or module does not link what it must not know`(
    name: String, forbidden: [String]
  ) {
    #expect(
      Manifest.targets.contains { $0.name == name }
        && forbidden.allSatisfy { other in
          Manifest.targets.contains { $0.name == other }
        })
    expect(Set(Manifest.linked(into: name)).intersection(forbidden), is: [])
  }

  @Test func `The judge names no type of the judged claim, and baton opens no database itself`() {
    for file in Project.sources where file.module == "Judge" {
      expect(file.places(matching: #"\b(ClaimRow|Claim|ReplacedClaim|ContainerID)\b"#), is: [])
    }
    for file in Project.sources where file.module == "Baton" {
      expect(file.places(matching: #"\b(Connection|Database)\s*\(|sqlite3_"#), is: [])
    }
  }

  /// Hooks of the simulation are invisible to users of the library.
  @Test func `No simulation hook in the library's modules is public`() {
    let library = Manifest.linked(into: "Coordinator")
    let hooks =
      #"\bpublic\b.*\b(Shiftable|Staged|Stage|SeededGenerator|func (shift|renumber\w*|ignorePause|beatCounter))\b"#
    for file in Project.sources where library.contains(file.module) {
      expect(file.places(matching: hooks), is: [])
    }
  }

  /// Ownership is decided in a core or in the container's transaction; the code between them passes the row on.
  @Test func `No code between core and container decides whether a claim row holds the node`() {
    let shells = [
      "Sources/WalletProcess/", "Sources/Coordinator/", "Sources/MainAppd/", "Sources/NotifyExtd/",
      "Sources/NotifyOnlyd/", "Sources/DaemonRuntime/", "Sources/Simulation/Ports/",
      "Sources/Simulation/Run/", "Sources/Simulation/Explore/",
    ]
    for shell in shells { #expect(Project.sources.contains { $0.path.hasPrefix(shell) }, "\(shell)") }
    // `isOwned` is for the simulation's checks, not for a process.
    for file in Project.sources where shells.contains(where: file.path.hasPrefix) {
      expect(file.places(matching: #"\b(owns|isOwned)\("#), is: [])
    }
    let deciders = Project.sources.filter { $0.places(matching: #"\bowns\("#) != [] }
    #expect(deciders.contains { $0.path.hasPrefix("Sources/Wallet/Node/") })
  }

  @Test func `In the simulation only Ports carry out container, wire and phone orders`() {
    let carryOut = #"func \w+\(\w+ order: (Container|Wire|Phone)Order\b"#
    let folders = Project.sources.filter { $0.module == "Simulation" && $0.places(matching: carryOut) != [] }
      .map { $0.path.split(separator: "/")[2] }
    expect(Set(folders), is: ["Ports"])
  }

  @Test func `ARCHITECTURE.md has a row for each module`() throws {
    let page = try #require(Project.file("ARCHITECTURE.md")?.text)
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }.joined()
    for module in modules where Project.sources.contains(where: { $0.module == module.name }) {
      #expect(rows.contains("`\(module.name)`"), "\(module.name)")
    }
  }
}
