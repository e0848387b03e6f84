import Testing

/// The walls between the modules hold.
@Suite struct WallTests {
  @Test func thereIsSomethingToLookAt() {
    #expect(Project.sources.count > 50)
    #expect(Manifest.targets.count > 20)
    #expect(Project.sources.contains { $0.imports == ["Ground", "Heartbeat"] })
  }

  @Test func everyModuleHasItsPlaceInTheTable() {
    for module in Set(Project.sources.map(\.module)) {
      #expect(Walls.allowed(for: module) != nil, "\(module) is not in Tests/TidyTests/Walls.swift")
    }
  }

  @Test func noFileLooksOverAWall() {
    for file in Project.sources {
      let foreign = Set(file.imports).subtracting(Walls.allowed(for: file.module) ?? []).sorted()
      #expect(foreign.isEmpty, "\(file.path) imports \(foreign)")
    }
  }

  @Test func noTargetDeclaresADependencyBeyondItsWalls() {
    for target in Manifest.targets {
      guard let allowed = Walls.allowed(for: target.name) else { continue }
      let foreign = Set(target.dependencies).subtracting(allowed).sorted()
      #expect(foreign.isEmpty, "\(target.name) depends on \(foreign)")
    }
  }

  /// SwiftPM finds a module that was built for somebody else: such an import works by luck alone.
  @Test func everyImportOfOursIsDeclared() {
    let ours = Set(Manifest.targets.map(\.name))
    for file in Project.sources {
      guard let target = Manifest.targets.first(where: { $0.name == file.module }) else { continue }
      let undeclared = Set(file.imports).intersection(ours).subtracting(Manifest.linked(into: target.name))
        .sorted()
      #expect(undeclared.isEmpty, "\(file.path) imports \(undeclared), which its target does not link")
    }
  }

  @Test(arguments: ["NotifyExtd", "CoordinatorC"])
  func whatAnExtensionLinksKnowsNoFoundationAndNoConcurrency(program: String) {
    let linked = Manifest.linked(into: program)
    #expect(linked.contains("Heartbeat") && linked.contains("SharedContainer"))
    for file in Project.sources where linked.contains(file.module) {
      let heavy = file.imports.filter { $0.hasPrefix("Foundation") || $0 == "Dispatch" || $0.hasPrefix("_") }
      #expect(heavy.isEmpty, "\(file.path) imports \(heavy)")
      #expect(file.places(matching: #"\b(async|await|actor)\b\s"#) == [])
    }
  }

  /// A wallet that uses the library sees nothing that only the simulation asks of a machine.
  @Test func noHookOfTheSimulationIsPublic() {
    let library = Manifest.linked(into: "CoordinatorC")
    let hooks =
      #"\bpublic\b.*\b(Shiftable|Staged|Stage|SeededGenerator|func (shift|renumber\w*|ignorePause|beatCounter))\b"#
    for file in Project.sources where library.contains(file.module) {
      #expect(file.places(matching: hooks) == [])
    }
  }

  /// What one knows of the other has come over the wire.
  @Test func theWalletAndTheProviderLinkNothingOfEachOther() {
    for wallet in ["LightningNode", "Wallet", "WalletStore", "MainAppd", "NotifyExtd"] {
      #expect(!Manifest.linked(into: wallet).contains("LightningProvider"), "\(wallet)")
    }
    for provider in ["LightningProvider", "LSPd"] {
      let linked = Manifest.linked(into: provider)
      #expect(!linked.contains("LightningNode") && !linked.contains("Wallet"), "\(provider)")
    }
  }

  /// It reads hexadecimal and SQLite as others do, and decides by itself.
  @Test func theJudgeSharesNoRuleWithTheAccused() {
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

  /// The command knows rows of a snapshot as values; it opens no database by itself.
  @Test func theCommandOpensNoDatabase() {
    for file in Project.sources where file.path.hasPrefix("Sources/Baton/") {
      #expect(!file.imports.contains("CSQLite"), "\(file.path)")
      #expect(file.places(matching: #"\b(Connection|Database)\s*\(|sqlite3_"#) == [])
    }
  }

  /// Who owns the node is decided in a core, or in the container's transaction: what stands between them hands the row on.
  @Test func noShellComparesAClaimWithARow() {
    let shells = [
      "Sources/WalletProcess/", "Sources/WalletStore/", "Sources/Coordinator/",
      "Sources/MainAppd/", "Sources/NotifyExtd/", "Sources/DaemonRuntime/", "Sources/Simulation/Ports/",
      "Sources/Simulation/Run/", "Sources/Simulation/Explore/",
    ]
    // `isOwned` is the simulated container's: what the world checks of a run is no step of a process.
    for shell in shells { #expect(Project.sources.contains { $0.path.hasPrefix(shell) }, "\(shell)") }
    for file in Project.sources where shells.contains(where: file.path.hasPrefix) {
      #expect(file.places(matching: #"\b(owns|isOwned)\("#) == [])
    }
    #expect(
      Project.sources.contains { $0.module == "LightningNode" && $0.places(matching: #"\bowns\("#) != [] })
  }

  /// What the guard and the node order is interpreted by the wallet alone, in the processes and in the simulation; and by the
  /// library, which has a wallet of somebody else's in the node's place. Others look on.
  @Test func theWalletAloneInterpretsItsMachines() {
    let words: [(pattern: String, allowed: [String])] = [
      (
        #"\.(startNode|stopNode|acceptNoNewPayment|endLongPause)\b"#,
        [
          "Sources/Guardrails/", "Sources/Wallet/", "Sources/Coordinator/", "Sources/Simulation/Others/",
          "Sources/Simulation/World/WorldGuard.swift", "Sources/Simulation/World/WorldObserver.swift",
          "Sources/Baton/Inspection/Journals/", "Sources/Baton/Inspection/Pushes/SilentPushTimes.swift",
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

  /// Whoever takes one directive of theirs carries it out or puts it in words. In tests that is a machine against anything that
  /// may come, and a node without a container.
  @Test func whoTakesADirectiveOfThemIsKnown() {
    let files = Project.sources + Project.tests + Project.fuzzers
    let takers = files.filter { $0.places(matching: #"\b_ \w+: (Guard|Node)Directive\b"#) != [] }
    #expect(
      takers.map(\.path).filter {
        !$0.hasPrefix("Sources/Wallet/") && !$0.hasPrefix("Sources/Coordinator/")
          && !$0.hasPrefix("Sources/Baton/Inspection/Journals/")
      }
      .sorted() == [
        "Fuzz/Conversation.swift",
        // Hands them to the library.
        "Sources/WalletProcess/WalletContainer.swift",
        "Tests/CoordinatorTests/GuardContainerTests.swift", "Tests/GuardrailsTests/Promises.swift",
        "Tests/GuardrailsTests/RandomRun.swift",
        "Tests/LightningTests/NodeWorld.swift",
      ])
  }

  /// By the names of the types, so that no pattern over their cases is needed.
  @Test func whoNamesTheirDirectivesIsKnown() {
    let known = [
      "Sources/Guardrails/", "Sources/Lightning/Node/", "Sources/Wallet/", "Sources/Coordinator/",
      "Sources/WalletProcess/WalletContainer.swift", "Sources/WalletProcess/WalletJournal.swift",
      // Coordinations of others, rules taken away, and who looks on.
      "Sources/Simulation/Others/", "Sources/Simulation/World/WorldGuard.swift",
      "Sources/Simulation/World/WorldObserver.swift", "Sources/Simulation/World/Said.swift",
      "Sources/Baton/Inspection/Journals/", "Sources/Baton/Stages/Demo/MomentReader.swift",
      "Sources/Baton/Inspection/Pushes/SilentPushTimes.swift",
    ]
    let named = Project.sources.filter { $0.places(matching: #"\b(Guard|Node)Directive\b"#) != [] }.map(
      \.path)
    #expect(named.filter { path in !known.contains(where: path.hasPrefix) } == [])
    for place in known { #expect(named.contains { $0.hasPrefix(place) }, "\(place) needs no leave any more") }
  }

  @Test func theSimulationCarriesOutOrdersAtItsPorts() {
    let carryOut = #"func \w+\(\w+ order: (Container|Wire|Phone)Order\b"#
    let folders = Project.sources.filter { $0.module == "Simulation" && $0.places(matching: carryOut) != [] }
      .map { $0.path.split(separator: "/")[2] }
    #expect(Set(folders) == ["Ports", "Others"])
  }

  @Test func noTestOfACoreRunsInTheSimulation() {
    let folders = (Walls.cores + ["Lightning"]).map { "Tests/\($0)Tests/" }
      .filter { $0 != "Tests/SimulationTests/" }
    #expect(Project.tests.count { file in folders.contains { file.path.hasPrefix($0) } } > 50)
    for file in Project.tests
    where folders.contains(where: file.path.hasPrefix) && !file.path.hasPrefix("Tests/ScenarioTests/") {
      #expect(!file.imports.contains { $0.hasPrefix("Simulation") }, "\(file.path)")
    }
  }
}
