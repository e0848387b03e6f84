import Testing

/// Modules import only what Walls.swift permits.
@Suite struct WallTests {
  @Test func `The project's sources and targets are found`() {
    #expect(Project.sources.count > 50)
    #expect(Manifest.targets.count > 20)
    #expect(Project.sources.contains { $0.imports == ["Ground", "Heartbeat"] })
  }

  @Test func `Every module is in the table of permitted imports`() {
    for module in Set(Project.sources.map(\.module)) {
      #expect(Walls.allowed(for: module) != nil, "\(module) is not in Tests/TidyTests/Walls.swift")
    }
  }

  @Test func `No file imports a module that is not permitted`() {
    for file in Project.sources {
      let foreign = Set(file.imports).subtracting(Walls.allowed(for: file.module) ?? []).sorted()
      #expect(foreign.isEmpty, "\(file.path) imports \(foreign)")
    }
  }

  @Test func `L-1.3 No target declares a dependency that is not permitted`() {
    for target in Manifest.targets {
      guard let allowed = Walls.allowed(for: target.name) else { continue }
      let foreign = Set(target.dependencies).subtracting(allowed).sorted()
      #expect(foreign.isEmpty, "\(target.name) depends on \(foreign)")
    }
  }

  /// SwiftPM also finds a module that was built for another target: such an import works by chance.
  @Test func `Every import of a module of the project is declared`() {
    let ours = Set(Manifest.targets.map(\.name))
    for file in Project.sources {
      guard let target = Manifest.targets.first(where: { $0.name == file.module }) else { continue }
      let undeclared = Set(file.imports).intersection(ours).subtracting(Manifest.linked(into: target.name))
        .sorted()
      #expect(undeclared.isEmpty, "\(file.path) imports \(undeclared), which its target does not link")
    }
  }

  @Test(arguments: ["NotifyExtd", "NotifyOnlyd", "CoordinatorC"])
  func `No module that an extension or CoordinatorC links imports Foundation or uses Swift concurrency`(
    program: String
  ) {
    let linked = Manifest.linked(into: program)
    #expect(linked.contains("Heartbeat") && linked.contains("Database"))
    for file in Project.sources where linked.contains(file.module) {
      let heavy = file.imports.filter { $0.hasPrefix("Foundation") || $0 == "Dispatch" || $0.hasPrefix("_") }
      #expect(heavy.isEmpty, "\(file.path) imports \(heavy)")
      #expect(file.places(matching: #"\b(async|await|actor)\b\s"#) == [])
    }
  }

  /// The wallet of the extension that only notifies has its node in the app alone.
  @Test
  func
    `B-1.1.1, B-1.1.2, B-1.1.3 NotifyOnlyd links no Lightning, no transport, no store of the wallet and no container`()
  {
    let linked = Manifest.linked(into: "NotifyOnlyd")
    #expect(linked.contains("IncomingStore") && linked.contains("PushSeal"))
    let forbidden = [
      "Bitcoin", "LightningWire", "LightningChannel", "LightningInvoices", "LightningNode", "ChannelStore",
      "PeerTransport", "WalletStore", "Wallet", "WalletProcess", "SharedContainer", "Coordinator",
    ]
    #expect(Set(linked).intersection(forbidden) == [])
  }

  /// HTTP is the provider's, and that of the program that shows a phone to a browser. A wallet's processes, the phone and
  /// `baton` itself have no server and no parser of it.
  @Test func `Only lspd and baton-serve link the HTTP server and libmicrohttpd`() {
    let programs = ["MainAppd", "NotifyExtd", "NotifyOnlyd", "IOSd", "BatonCommand", "CoordinatorC", "Bench"]
    for program in programs {
      let linked = Manifest.linked(into: program)
      #expect(
        !linked.isEmpty && !linked.contains("HTTPServer") && !linked.contains("CMicroHTTPD"), "\(program)")
    }
    for program in ["LSPd", "ServeD"] {
      #expect(Manifest.linked(into: program).contains("CMicroHTTPD"), "\(program)")
    }
  }

  /// Hooks of the simulation are invisible to users of the library.
  @Test func `No simulation hook in the library's modules is public`() {
    let library = Manifest.linked(into: "CoordinatorC")
    let hooks =
      #"\bpublic\b.*\b(Shiftable|Staged|Stage|SeededGenerator|func (shift|renumber\w*|ignorePause|beatCounter))\b"#
    for file in Project.sources where library.contains(file.module) {
      #expect(file.places(matching: hooks) == [])
    }
  }

  /// Wallet and provider share no node code; each knows of the other only by messages.
  @Test
  func `The wallet does not link LightningProvider, and the LSP links neither LightningNode nor Wallet`() {
    for wallet in ["LightningNode", "Wallet", "WalletStore", "MainAppd", "NotifyExtd"] {
      #expect(!Manifest.linked(into: wallet).contains("LightningProvider"), "\(wallet)")
    }
    for provider in ["LightningProvider", "LSPd"] {
      let linked = Manifest.linked(into: provider)
      #expect(!linked.contains("LightningNode") && !linked.contains("Wallet"), "\(provider)")
    }
  }

  /// The judge reads SQLite and hexadecimal with the shared modules, but decides by its own rules.
  @Test func `The judge links no module whose rules it judges`() {
    let own = Manifest.linked(into: "Judge")
    for accused in [
      "Guardrails", "Bitcoin", "LightningWire", "SharedContainer", "WalletStore", "WalletProcess",
    ] {
      #expect(!own.contains(accused))
    }
    for file in Project.sources where file.module == "Judge" {
      #expect(file.places(matching: #"\b(ClaimRow|Claim|ReplacedClaim|ContainerID)\b"#) == [])
    }
  }

  /// The command reads databases through snapshots.
  @Test func `Sources/Baton opens no database itself`() {
    for file in Project.sources where file.path.hasPrefix("Sources/Baton/") {
      #expect(!file.imports.contains("CSQLite"), "\(file.path)")
      #expect(file.places(matching: #"\b(Connection|Database)\s*\(|sqlite3_"#) == [])
    }
  }

  /// Ownership is decided in a core or in the container's transaction; the code between them passes the row on.
  @Test func `No code between core and container decides whether a claim row holds the node`() {
    let shells = [
      "Sources/WalletProcess/", "Sources/WalletStore/", "Sources/Coordinator/",
      "Sources/MainAppd/", "Sources/NotifyExtd/", "Sources/NotifyOnlyd/", "Sources/DaemonRuntime/",
      "Sources/Simulation/Ports/",
      "Sources/Simulation/Run/", "Sources/Simulation/Explore/",
    ]
    // `isOwned` is for the simulation's checks, not for a process.
    for shell in shells { #expect(Project.sources.contains { $0.path.hasPrefix(shell) }, "\(shell)") }
    for file in Project.sources where shells.contains(where: file.path.hasPrefix) {
      #expect(file.places(matching: #"\b(owns|isOwned)\("#) == [])
    }
    #expect(
      Project.sources.contains { $0.module == "LightningNode" && $0.places(matching: #"\bowns\("#) != [] })
  }

  /// Directives of guard and node are interpreted by `Wallet`, in the processes and in the simulation, and by the
  /// library, which has an external wallet's node. Other modules only read them.
  @Test func `Only listed files and folders handle certain directives of guard and node`() {
    let words: [(pattern: String, allowed: [String])] = [
      (
        #"\.(startNode|stopNode|acceptNoNewPayment|endLongPause)\b"#,
        [
          "Sources/Guardrails/", "Sources/Wallet/", "Sources/Coordinator/", "Sources/Museum/",
          "Sources/Simulation/World/WorldGuard.swift", "Sources/Simulation/World/WorldObserver.swift",
          "Sources/Baton/Inspection/Journals/", "Sources/Baton/Inspection/Pushes/PushTimes.swift",
        ]
      ),
      (
        #"\.(spliceBegun|spliceEnded|spliceRefused|paymentEnded|paymentRefused|invoiceStored|invoiceRefused|invoiceCancelled|cancelRefused)\b"#,
        ["Sources/Lightning/Node/", "Sources/Wallet/", "Sources/Baton/Inspection/Journals/"]
      ),
    ]
    for (pattern, allowed) in words {
      let users = Project.sources.filter { $0.places(matching: pattern) != [] }.map(\.path)
      #expect(users.filter { user in !allowed.contains { user.hasPrefix($0) } } == [])
      for place in allowed { #expect(users.contains { $0.hasPrefix(place) }, "\(place)") }
    }
  }

  /// A function with a directive as parameter carries it out or describes it. Tests have one for a machine under
  /// random events, and for a node without a container.
  @Test func `Only listed files have functions with a directive of guard or node as parameter`() {
    let files = Project.sources + Project.tests + Project.fuzzers
    let takers = files.filter { $0.places(matching: #"\b_ \w+: (Guard|Node)Directive\b"#) != [] }
    #expect(
      takers.map(\.path).filter {
        !$0.hasPrefix("Sources/Wallet/") && !$0.hasPrefix("Sources/Coordinator/")
          && !$0.hasPrefix("Sources/Baton/Inspection/Journals/")
      }
      .sorted() == [
        "Fuzz/Conversation.swift",
        // Its guard has no node, so there is no wallet between the guard and the ports.
        "Sources/NotifyOnlyd/NotifyProcess.swift",
        // Hands them to the library.
        "Sources/WalletProcess/WalletContainer.swift",
        "Tests/CoordinatorTests/GuardContainerTests.swift", "Tests/GuardrailsTests/Promises.swift",
        "Tests/GuardrailsTests/RandomRun.swift",
        "Tests/LightningTests/NodeWorld.swift",
      ])
  }

  /// By the type's names, so that no pattern over their cases is needed.
  @Test func `Only listed files and folders name the directive types of guard and node`() {
    let known = [
      "Sources/Guardrails/", "Sources/Lightning/Node/", "Sources/Wallet/", "Sources/Coordinator/",
      "Sources/WalletProcess/WalletContainer.swift", "Sources/WalletProcess/WalletJournal.swift",
      "Sources/NotifyOnlyd/",
      // Other products' coordination, removed rules, and observers.
      "Sources/Museum/", "Sources/Simulation/Ports/Exclusion.swift",
      "Sources/Simulation/World/WorldGuard.swift",
      "Sources/Simulation/World/WorldObserver.swift", "Sources/Simulation/World/Said.swift",
      "Sources/Baton/Inspection/Journals/", "Sources/Baton/Inspection/Pushes/PushTimes.swift",
    ]
    let named = Project.sources.filter { $0.places(matching: #"\b(Guard|Node)Directive\b"#) != [] }.map(
      \.path)
    #expect(named.filter { path in !known.contains(where: path.hasPrefix) } == [])
    for place in known {
      #expect(named.contains { $0.hasPrefix(place) }, "\(place) names no directive any more")
    }
  }

  @Test func `In the simulation only Ports carry out container, wire and phone orders`() {
    let carryOut = #"func \w+\(\w+ order: (Container|Wire|Phone)Order\b"#
    let folders = Project.sources.filter { $0.module == "Simulation" && $0.places(matching: carryOut) != [] }
      .map { $0.path.split(separator: "/")[2] }
    #expect(Set(folders) == ["Ports"])
  }

  @Test func `No test of a pure module imports the simulation, except those of Simulation and Scenario`() {
    let folders = (Walls.cores + ["Lightning"]).map { "Tests/\($0)Tests/" }
      .filter { $0 != "Tests/SimulationTests/" }
    #expect(Project.tests.count { file in folders.contains { file.path.hasPrefix($0) } } > 50)
    for file in Project.tests
    where folders.contains(where: file.path.hasPrefix) && !file.path.hasPrefix("Tests/ScenarioTests/") {
      #expect(!file.imports.contains { $0.hasPrefix("Simulation") }, "\(file.path)")
    }
  }
}
