// swift-tools-version: 6.0
//
// ARCHITECTURE.md describes the modules; Tests/TidyTests checks their imports.
import PackageDescription

// Static and without Foundation: it starts in a millisecond, and the extension stays far below 24 MB.
let walletProcess: [LinkerSetting] = [
  .unsafeFlags(
    [
      "-static-executable",
      // Functions that one payment runs are placed together, for less resident memory: scripts/bench link-order.
      "-use-ld=lld", "-Xlinker",
      "--symbol-ordering-file=\(Context.packageDirectory)/Generated/notifyextd-link.order", "-Xlinker",
      "--no-warn-symbol-ordering", "-Xlinker", "-T", "-Xlinker",
      "\(Context.packageDirectory)/Sources/System/nameless-functions.ld",
    ], .when(configuration: .release)),
  .linkedLibrary("m"),
]

let package = Package(
  name: "Baton",
  products: [
    // The library for other wallets, in Swift, and in C with Sources/Coordinator/CBaton/baton.h. Needs only libsqlite3.
    .library(name: "Coordinator", targets: ["Coordinator"]),
    .library(name: "BatonC", type: .dynamic, targets: ["Coordinator"]),
    // Its modules.
    .library(name: "Heartbeat", targets: ["Heartbeat", "Ground"]),
    .library(name: "Guardrails", targets: ["Guardrails"]),
    .library(name: "SharedContainer", targets: ["SharedContainer", "Platform"]),
    .executable(name: "mainappd", targets: ["MainAppd"]),
    .executable(name: "notifyextd", targets: ["NotifyExtd"]),
    .executable(name: "notifyonlyd", targets: ["NotifyOnlyd"]),
    .executable(name: "iosd", targets: ["IOSd"]),
    .executable(name: "lspd", targets: ["LSPd"]),
    .executable(name: "baton", targets: ["Baton"]),
  ],
  targets: [

    // Pure cores: no clock, no randomness, no I/O.
    .target(name: "Ground"),
    .target(name: "Heartbeat", dependencies: ["Ground"]),
    .target(name: "Guardrails", dependencies: ["Ground", "Heartbeat"]),

    // The wallet's node and the LSP share only the wire protocol: neither imports the other.
    .target(name: "Lightning", dependencies: ["Ground", "Crypto"]),
    .target(name: "Wallet", dependencies: ["Ground", "Crypto", "Lightning", "Heartbeat", "Guardrails"]),
    .target(name: "LightningProvider", dependencies: ["Ground", "Crypto", "Lightning"]),
    .target(name: "PhonePolicy", dependencies: ["Ground"]),
    .target(
      name: "Simulation",
      dependencies: [
        "Ground", "Heartbeat", "Guardrails", "Lightning", "Wallet", "LightningProvider", "PhonePolicy",
        "Crypto",
      ]),

    // Other products' ways to keep two processes apart, in the simulated world.
    .target(
      name: "Museum",
      dependencies: ["Ground", "Heartbeat", "Guardrails", "Lightning", "Wallet", "Simulation"]),

    // The C libraries, and the few system calls Swift cannot reach.
    .systemLibrary(
      name: "CSQLite", path: "Sources/System/CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "CSodium", path: "Sources/System/CSodium", pkgConfig: "libsodium",
      providers: [.apt(["libsodium-dev"])]),
    .systemLibrary(
      name: "CSecp256k1", path: "Sources/System/CSecp256k1", pkgConfig: "libsecp256k1",
      providers: [.apt(["libsecp256k1-dev"])]),
    .systemLibrary(
      name: "CNettle", path: "Sources/System/CNettle", pkgConfig: "nettle",
      providers: [.apt(["nettle-dev"])]),
    .systemLibrary(
      name: "CMicroHTTPD", path: "Sources/System/CMicroHTTPD", pkgConfig: "libmicrohttpd",
      providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(
      name: "CCurl", path: "Sources/System/CCurl", pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev"])]),
    .target(name: "CLinux", path: "Sources/System/CLinux"),

    // System calls that differ between Linux and Darwin.
    .target(name: "Platform", dependencies: ["Ground", "CSQLite"]),

    // Modules with I/O.
    .target(name: "Crypto", dependencies: ["Ground", "CSodium", "CSecp256k1", "CNettle"]),

    .target(name: "DaemonRuntime", dependencies: ["Ground", "Guardrails", "Platform", "Crypto", "CLinux"]),
    .target(name: "SharedContainer", dependencies: ["Ground", "Heartbeat", "Guardrails", "Platform"]),

    // The library for other wallets: one coordinator per process, in Swift and in C.
    .target(
      name: "Coordinator",
      dependencies: ["Ground", "Heartbeat", "Guardrails", "SharedContainer", "Platform", "CBaton"],
      exclude: ["CBaton"]),
    .systemLibrary(name: "CBaton", path: "Sources/Coordinator/CBaton"),
    .target(
      name: "LightningIO", dependencies: ["Ground", "Lightning", "Platform", "DaemonRuntime", "Crypto"]),
    .target(
      name: "WalletProcess",
      dependencies: [
        "Ground", "Heartbeat", "Guardrails", "SharedContainer", "Platform", "Lightning", "Wallet", "Crypto",
        "LightningIO", "Coordinator", "DaemonRuntime",
      ]),

    // For lspd and baton alone: no process of a wallet speaks HTTP.
    .target(name: "HTTP", dependencies: ["Ground", "DaemonRuntime", "CMicroHTTPD", "CCurl"]),
    .target(name: "Judge", dependencies: ["Ground", "Platform", "CSodium", "CSecp256k1"]),

    // The programs.
    .executableTarget(
      name: "MainAppd",
      dependencies: ["Ground", "Guardrails", "Wallet", "WalletProcess", "Crypto", "DaemonRuntime"],
      linkerSettings: walletProcess),
    .executableTarget(
      name: "NotifyExtd", dependencies: ["Guardrails", "DaemonRuntime", "WalletProcess"],
      linkerSettings: walletProcess),

    // Links no Lightning: the wallet that only notifies has a node in its app alone.
    .executableTarget(
      name: "NotifyOnlyd", dependencies: ["Ground", "Guardrails", "DaemonRuntime", "Crypto"],
      linkerSettings: walletProcess),
    .executableTarget(
      name: "IOSd",
      dependencies: [
        "Ground", "Guardrails", "PhonePolicy", "Heartbeat", "SharedContainer", "Crypto", "DaemonRuntime",
      ]),
    .executableTarget(
      name: "LSPd",
      dependencies: [
        "Ground", "PhonePolicy", "Lightning", "LightningProvider", "Guardrails", "Crypto",
        "LightningIO", "DaemonRuntime", "Platform", "HTTP",
      ]),
    .executableTarget(
      name: "Baton",
      dependencies: [
        "Ground", "Guardrails", "PhonePolicy", "Crypto", "Lightning", "SharedContainer", "DaemonRuntime",
        "LightningIO", "CLinux", "Heartbeat", "Wallet", "LightningProvider", "Platform", "WalletProcess",
        "Judge", "Simulation", "Museum", "HTTP",
      ],
      resources: [
        .embedInCode("Timeline/Resources/frame.css"), .embedInCode("Timeline/Resources/timeline.css"),
        .embedInCode("Timeline/Resources/timeline.js"), .embedInCode("Timeline/Resources/timeline.body.html"),
        .embedInCode("Timeline/Resources/live.css"), .embedInCode("Timeline/Resources/live.js"),
        .embedInCode("Timeline/Resources/live.body.html"),
      ]),

    // Benchmarks of the release programs and the library against a floor in C; scripts/bench builds and runs both.
    .executableTarget(
      name: "Bench",
      dependencies: [
        "Ground", "Heartbeat", "Guardrails", "SharedContainer", "Platform", "Lightning", "Crypto",
        "DaemonRuntime", "ProcessSupport",
      ], path: "Benchmarks/Bench"),
    .testTarget(name: "GroundTests", dependencies: ["TestKit", "Ground"]),
    .testTarget(name: "JSONTests", dependencies: ["TestKit", "Ground"]),
    .testTarget(name: "HeartbeatTests", dependencies: ["TestKit", "Ground", "Heartbeat"]),
    .testTarget(name: "GuardrailsTests", dependencies: ["TestKit", "Ground", "Heartbeat", "Guardrails"]),
    .testTarget(
      name: "LightningTests",
      dependencies: ["TestKit", "Ground", "Guardrails", "Crypto", "Lightning", "Wallet", "LightningProvider"]),
    .testTarget(name: "SenderTests", dependencies: ["TestKit", "Ground", "Lightning"]),

    // Reads and writes invoices for Tests/Interop/invoices.py.
    .executableTarget(
      name: "TestInvoices", dependencies: ["Ground", "Crypto", "Lightning"],
      path: "Tests/Support/TestInvoices"),
    .testTarget(
      name: "WalletTests",
      dependencies: ["TestKit", "Lightning", "Ground", "Heartbeat", "Guardrails", "Wallet", "Crypto"]),
    .testTarget(name: "WalletProfilesTests", dependencies: ["TestKit", "Ground", "Guardrails"]),
    .testTarget(name: "PushSealTests", dependencies: ["TestKit", "Ground", "Crypto", "Guardrails"]),
    .testTarget(
      name: "IncomingStoreTests",
      dependencies: ["TestKit", "Ground", "Guardrails", "Platform", "DaemonRuntime"]),
    .testTarget(
      name: "TimelineTests",
      dependencies: [
        "TestKit", "Ground", "Guardrails", "Heartbeat", "Lightning", "LightningProvider", "PhonePolicy",
        "Wallet",
        "Simulation",
        "Baton",
      ]),
    .testTarget(name: "PhonePolicyTests", dependencies: ["TestKit", "Ground", "PhonePolicy"]),

    // A simulated world without faults of its own.
    .target(
      name: "SimulationSupport",
      dependencies: ["Ground", "Heartbeat", "Guardrails", "PhonePolicy", "Simulation"],
      path: "Tests/Support/SimulationSupport"),
    .testTarget(
      name: "SimulationTests",
      dependencies: [
        "TestKit", "GeneratedPages", "Ground", "Heartbeat", "Guardrails", "Lightning", "Wallet",
        "LightningProvider",
        "PhonePolicy", "Crypto", "Simulation", "Museum", "SimulationSupport",
      ]),

    // Compares the simulated container with the real one.
    .testTarget(
      name: "ConformanceTests",
      dependencies: ["TestKit", "Ground", "Heartbeat", "Guardrails", "SharedContainer", "Simulation"]),
    .testTarget(name: "PlatformTests", dependencies: ["TestKit", "Ground", "Platform"]),
    .testTarget(name: "DatabaseTests", dependencies: ["TestKit", "Platform"]),

    // A real process that claims, for tests that race, stop and kill it.
    .executableTarget(
      name: "TestClaimer",
      dependencies: ["Ground", "Heartbeat", "Guardrails", "Platform", "SharedContainer"],
      path: "Tests/Support/TestClaimer"),
    .testTarget(
      name: "SharedContainerTests",
      dependencies: [
        "TestKit", "Ground", "Heartbeat", "Guardrails", "Platform", "SharedContainer", "ProcessSupport",
        "TestClaimer",
      ]),
    .testTarget(
      name: "CoordinatorTests",
      dependencies: [
        "TestKit", "Ground", "Heartbeat", "Guardrails", "Platform", "SharedContainer", "Coordinator",
      ]),
    .testTarget(name: "CoordinatorCTests", dependencies: ["TestKit", "CBaton", "Coordinator"]),
    .testTarget(
      name: "DaemonRuntimeTests",
      dependencies: ["TestKit", "CLinux", "Ground", "Heartbeat", "DaemonRuntime", "Platform"]),

    // A wallet process that stops at a chosen place.
    .executableTarget(
      name: "TestBystander",
      dependencies: [
        "Ground", "Heartbeat", "Guardrails", "SharedContainer", "WalletProcess", "DaemonRuntime",
      ], path: "Tests/Support/TestBystander"),

    // Pages and digests that tests make, with BATON_WRITE_PAGES=1.
    .target(name: "GeneratedPages", dependencies: ["TestKit"], path: "Tests/Support/GeneratedPages"),

    // For all tests: ids of Tests/coverage.tsv, and threads for tests that wait for other processes.
    .target(name: "TestKit", path: "Tests/Support/TestKit"),

    // Runs one real process, with a test or a benchmark in place of the phone.
    .target(
      name: "ProcessSupport", dependencies: ["Ground", "DaemonRuntime"], path: "Tests/Support/ProcessSupport"),

    // Runs real wallet processes and a real peer, with the test in place of the phone.
    .target(
      name: "PairSupport",
      dependencies: [
        "TestKit", "Ground", "Heartbeat", "Guardrails", "SharedContainer", "DaemonRuntime", "Baton",
        "ProcessSupport", "Crypto", "Lightning", "Platform",
      ], path: "Tests/Support/PairSupport"),

    // The pair as real processes.
    .testTarget(
      name: "PairTests",
      dependencies: [
        "GeneratedPages", "TestKit", "Ground", "Heartbeat", "Guardrails", "SharedContainer",
        "DaemonRuntime", "Crypto", "Lightning", "Wallet", "Platform", "PairSupport", "Baton",
        "ProcessSupport", "LSPd", "TestBystander", "BadWire", "LightningIO",
      ]),

    // A hostile client of the daemons, in its own process.
    .executableTarget(
      name: "TestForeignProcess", dependencies: ["CLinux", "DaemonRuntime", "Platform"],
      path: "Tests/Support/TestForeignProcess"),

    // A wallet process that sends hostile messages to the phone.
    .executableTarget(
      name: "TestHostileWallet", dependencies: ["DaemonRuntime"], path: "Tests/Support/TestHostileWallet"),

    // Hostile input to the programs.
    .testTarget(
      name: "HostileTests",
      dependencies: [
        "TestKit", "Ground", "PhonePolicy", "Heartbeat", "Guardrails",
        "DaemonRuntime", "Crypto", "Lightning", "Platform", "LightningIO", "PairSupport",
        "IOSd", "LSPd", "Baton", "ProcessSupport", "TestForeignProcess", "TestHostileWallet", "TestBystander",
      ]),
    .testTarget(
      name: "WalletProcessTests",
      dependencies: [
        "TestKit", "Ground", "Heartbeat", "Guardrails", "SharedContainer", "WalletProcess",
        "DaemonRuntime", "Crypto", "Lightning", "Wallet", "LightningProvider", "Platform", "LightningIO",
      ]),

    // A proxy that acts as a bad network between a wallet and its peer.
    .target(
      name: "BadWire", dependencies: ["CLinux", "Ground", "DaemonRuntime"], path: "Tests/Support/BadWire"),
    .testTarget(
      name: "PeerTransportTests",
      dependencies: ["TestKit", "BadWire", "Ground", "Crypto", "DaemonRuntime", "Lightning", "LightningIO"]),
    .testTarget(
      name: "LSPdTests",
      dependencies: [
        "Lightning", "HTTP", "TestKit", "Ground", "PhonePolicy", "Crypto", "LightningProvider",
        "LightningIO", "DaemonRuntime", "Platform", "PairSupport", "ProcessSupport", "Baton", "Guardrails",
        "LSPd", "Judge",
      ]),

    // Another process that has a database open.
    .executableTarget(name: "TestReader", dependencies: ["Platform"], path: "Tests/Support/TestReader"),

    // Writes homes like those that runs of any length leave.
    .executableTarget(
      name: "TestHomes", dependencies: ["CSQLite", "CSodium"], path: "Tests/Support/TestHomes"),
    .testTarget(
      name: "JudgeTests",
      dependencies: [
        "TestKit", "Ground", "Guardrails", "Judge", "CSQLite", "CSodium", "ProcessSupport", "TestReader",
        "TestHomes",
      ]),
    .testTarget(
      name: "DiagnosisTests",
      dependencies: [
        "TestKit", "Baton", "Ground", "Guardrails", "Heartbeat", "PhonePolicy", "SharedContainer",
      ]),
    .testTarget(
      name: "ServeTests",
      dependencies: ["TestKit", "Ground", "PhonePolicy", "DaemonRuntime", "HTTP", "Baton", "ProcessSupport"]),
    .testTarget(name: "LiveTests", dependencies: ["TestKit", "Ground", "PhonePolicy", "Baton"]),
    .testTarget(
      name: "BatonCommandTests",
      dependencies: [
        "GeneratedPages", "TestKit", "Ground", "PhonePolicy", "Heartbeat", "Guardrails", "Crypto",
        "Lightning", "Wallet", "Platform", "SharedContainer", "DaemonRuntime",
        "WalletProcess", "Simulation", "PairSupport", "ProcessSupport", "Judge", "LightningIO", "Baton",
        "TestReader",
      ]),

    // Every story of Tests/Scenarios, simulated and on real processes.
    .testTarget(
      name: "ScenarioTests",
      dependencies: [
        "TestKit", "Ground", "Heartbeat", "PhonePolicy", "Lightning", "Baton", "Simulation", "DaemonRuntime",
        "IOSd", "LSPd", "PairSupport", "ProcessSupport",
      ]),
    .executableTarget(
      name: "TestChild", dependencies: ["Ground", "DaemonRuntime", "CSQLite"], path: "Tests/Support/TestChild"
    ),
    .testTarget(
      name: "IOSdTests",
      dependencies: [
        "TestKit", "CLinux", "Ground", "PhonePolicy", "Crypto", "Guardrails", "Platform",
        "DaemonRuntime", "PairSupport", "ProcessSupport", "Baton", "IOSd", "LSPd",
        "TestChild",
      ]),

    // In C, as it begins before any test: ends what a run of the tests leaves behind. Linked into the bundle of all tests.
    .target(name: "TestRunEnd", path: "Tests/Support/TestRunEnd"),
    .testTarget(
      name: "TestRunEndTests", dependencies: ["TestRunEnd", "TestKit", "DaemonRuntime", "Baton"]),
    .testTarget(name: "TidyTests", dependencies: ["TestKit"]),
  ],
  swiftLanguageModes: [.v6]
)

// The fuzzers need every parser, also those of programs: with BATON_FUZZ a program is a library without its `main`. Set
// by `scripts/fuzz`.
if Context.environment["BATON_FUZZ"] != nil {
  let programs = ["IOSd", "LSPd", "Baton"]
  let libraries = package.targets.filter { $0.type == .regular || $0.type == .system }
  package.products = []
  package.targets =
    libraries
    + package.targets.filter { programs.contains($0.name) }.map {
      .target(name: $0.name, dependencies: $0.dependencies, path: $0.path, exclude: ["main.swift"])
    } + [
      .executableTarget(
        name: "Fuzz",
        dependencies: (libraries.map(\.name) + programs).map { .init(stringLiteral: $0) },
        path: "Fuzz", exclude: ["Corpus", "CorpusTests.swift"])
    ]
} else if Context.environment["BATON_CORES"] == nil {
  // A build of `baton` builds the programs that it starts, too.
  package.targets.first { $0.name == "Baton" }?.dependencies += [
    "IOSd", "LSPd", "MainAppd", "NotifyExtd", "NotifyOnlyd",
  ]
  // The same parsers as a test, which feeds them their corpus.
  let parsers = package.targets.filter {
    $0.type == .regular && $0.path?.hasPrefix("Tests/") != true
      || ["IOSd", "LSPd", "Baton"].contains($0.name)
  }
  package.targets.append(
    .testTarget(
      name: "FuzzTests", dependencies: ["TestKit"] + parsers.map { .init(stringLiteral: $0.name) },
      path: "Fuzz",
      exclude: ["Corpus"]))
}

let cores = ["Ground", "Heartbeat", "Guardrails", "Wallet", "PhonePolicy", "Lightning", "LightningProvider"]

// With BATON_CORES the package has only the cores and their tests, or one core's tests, and what they need. Set by
// `scripts/test --fast`.
let chosen = Context.environment["BATON_CORES"]
if let chosen {
  let tests = chosen == "all" ? cores + ["WalletProfiles", "Sender", "JSON", "PushSeal", "Tidy"] : [chosen]
  var needed: Set<String> = []
  func need(_ name: String) {
    guard needed.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else {
      return
    }
    for case .byNameItem(let name, _) in target.dependencies { need(name) }
  }
  for name in tests { need("\(name)Tests") }
  package.products = []
  package.targets = package.targets.filter { needed.contains($0.name) }
}

if !Context.packageDirectory.contains("/checkouts/"), Context.environment["BATON_UNOPTIMIZED"] == nil {
  // Optimized also in a debug build: tests run years of the cores' time, and look at containers and `/proc` while they
  // wait. Tests never: their optimization would take longer than their run. A test target is compiled as a whole module
  // in one job, as each further job would expand the macros of all its tests again, and in a release build without debug
  // information, a quarter of that job. Not in the checkout of a package that depends on a version of this one: SwiftPM
  // refuses such flags there.
  let optimized =
    chosen == nil ? cores + ["Simulation", "Museum", "Crypto", "Platform", "SharedContainer"] : []
  let whole = ["-whole-module-optimization", "-disable-batch-mode", "-num-threads", "2"]
  for target in package.targets {
    if target.type == .test {
      target.swiftSettings = [
        .unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"] + whole),
        .unsafeFlags(["-gnone"], .when(configuration: .release)),
      ]
    } else if target.name == "Baton" {
      // A quarter of the lines, compiled when no other module is left: as a whole module in one job for two minutes of
      // five.
      target.swiftSettings = [
        .unsafeFlags(["-no-whole-module-optimization", "-enable-batch-mode"], .when(configuration: .release))
      ]
    } else if optimized.contains(target.name) {
      target.swiftSettings = [.unsafeFlags(["-O"] + whole, .when(configuration: .debug))]
    }
  }
}
