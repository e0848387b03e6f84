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
    .library(name: "BatonC", type: .dynamic, targets: ["CoordinatorC"]),
    // Its modules.
    .library(name: "Heartbeat", targets: ["Heartbeat", "Ground"]),
    .library(name: "Guardrails", targets: ["Guardrails"]),
    .library(name: "SharedContainer", targets: ["SharedContainer", "Database", "Platform"]),
    .executable(name: "mainappd", targets: ["MainAppd"]),
    .executable(name: "notifyextd", targets: ["NotifyExtd"]),
    .executable(name: "notifyonlyd", targets: ["NotifyOnlyd"]),
    .executable(name: "iosd", targets: ["IOSd"]),
    .executable(name: "lspd", targets: ["LSPd"]),
    .executable(name: "baton", targets: ["BatonCommand"]),
    .executable(name: "baton-serve", targets: ["ServeD"]),
  ],
  targets: [
    // Pure cores: no clock, no randomness, no I/O.
    .target(name: "Ground"),
    .target(name: "JSON"),
    .target(name: "Heartbeat", dependencies: ["Ground"]),
    .target(name: "Guardrails", dependencies: ["Ground", "Heartbeat"]),
    .target(name: "WalletProfiles", dependencies: ["Ground", "JSON", "Guardrails"]),
    // The wallet's node and the LSP share only the wire protocol: neither imports the other.
    .target(name: "Bitcoin", dependencies: ["Ground", "Crypto"], path: "Sources/Lightning/Bitcoin"),
    .target(
      name: "LightningWire", dependencies: ["Ground", "Crypto", "Bitcoin"], path: "Sources/Lightning/Wire"),
    .target(
      name: "LightningChannel", dependencies: ["Ground", "Crypto", "Bitcoin", "LightningWire"],
      path: "Sources/Lightning/Channel"),
    .target(
      name: "LightningInvoices", dependencies: ["Ground", "Crypto", "Bitcoin", "LightningWire"],
      path: "Sources/Lightning/Invoices"),
    .target(
      name: "LightningNode",
      dependencies: ["Ground", "Crypto", "Bitcoin", "LightningWire", "LightningChannel", "Webhooks"],
      path: "Sources/Lightning/Node"),
    .target(
      name: "LightningProvider",
      dependencies: [
        "Ground", "Crypto", "Bitcoin", "LightningWire", "LightningChannel", "ForwardingHint", "Webhooks",
      ],
      path: "Sources/Lightning/Provider"),
    // LSPS0 and LSPS5: both ends of the wallet's requests, and the LSP's book of webhooks.
    .target(name: "Webhooks", dependencies: ["Ground", "JSON"], path: "Sources/Lightning/Webhooks"),
    // The LSP's advice for another attempt at a payment: lspd writes it, senders read it.
    .target(name: "ForwardingHint", dependencies: ["JSON"], path: "Sources/Lightning/Hint"),
    .target(name: "Sender", dependencies: ["Ground", "LightningWire", "ForwardingHint"]),
    .target(
      name: "Wallet",
      dependencies: [
        "Ground", "Heartbeat", "Guardrails", "Bitcoin", "LightningWire", "LightningChannel",
        "LightningInvoices", "LightningNode", "Webhooks", "WalletProfiles", "Crypto",
      ]),
    .target(name: "PhonePolicy", dependencies: ["Ground", "JSON"]),
    .target(name: "Reports", dependencies: ["JSON", "PhonePolicy"]),
    .target(
      name: "Simulation",
      dependencies: [
        "Ground", "Heartbeat", "Guardrails", "Bitcoin", "LightningWire", "LightningChannel", "LightningNode",
        "LightningProvider", "Sender", "Wallet", "WalletProfiles", "PhonePolicy", "Crypto",
      ]),
    // Other products' ways to keep two processes apart, in the simulated world.
    .target(
      name: "Museum",
      dependencies: [
        "Ground", "Heartbeat", "Guardrails", "LightningChannel", "LightningNode", "Wallet", "Simulation",
      ]),
    .target(name: "Scenario", dependencies: ["Ground", "WalletProfiles", "PhonePolicy"]),
    // A run as a picture. The page's script and styles are files of their own, and part of the program.
    .target(
      name: "Timeline", dependencies: ["Ground", "JSON", "Crypto"],
      resources: [
        .embedInCode("Resources/frame.css"), .embedInCode("Resources/timeline.css"),
        .embedInCode("Resources/timeline.js"), .embedInCode("Resources/timeline.body.html"),
        .embedInCode("Resources/live.css"), .embedInCode("Resources/live.js"),
        .embedInCode("Resources/live.body.html"),
      ]),

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
    .target(name: "Platform", dependencies: ["Ground"], path: "Sources/System/Platform"),
    // Ownership checks for every file and directory that is opened.
    .target(name: "OwnFiles", dependencies: ["Platform"], path: "Sources/System/OwnFiles"),

    // Modules with I/O.
    .target(name: "Crypto", dependencies: ["Ground", "CSodium", "CSecp256k1"]),
    // The sealed payload of a push.
    .target(name: "PushSeal", dependencies: ["Ground", "Crypto", "CNettle"]),
    .target(name: "Database", dependencies: ["CSQLite"]),
    // Announced payments, which the extension without a node leaves for the app.
    .target(name: "IncomingStore", dependencies: ["Ground", "Guardrails", "Database", "OwnFiles"]),
    .target(
      name: "SharedContainer",
      dependencies: ["Ground", "Heartbeat", "Guardrails", "Database", "Platform", "OwnFiles"]),
    // The library for other wallets: one coordinator per process, in Swift and in C.
    .target(
      name: "Coordinator",
      dependencies: ["Ground", "Heartbeat", "Guardrails", "SharedContainer", "Database", "Platform"],
      path: "Sources/Coordinator/Swift"),
    .systemLibrary(name: "CBaton", path: "Sources/Coordinator/CBaton"),
    .target(
      name: "CoordinatorC", dependencies: ["Coordinator", "Database", "CBaton"], path: "Sources/Coordinator/C"
    ),
    .target(
      name: "ChannelStore",
      dependencies: ["Ground", "Bitcoin", "LightningWire", "LightningChannel", "Database"],
      path: "Sources/Lightning/ChannelStore"),
    .target(
      name: "WalletStore",
      dependencies: [
        "Ground", "Heartbeat", "Guardrails", "SharedContainer", "Database", "LightningChannel",
        "LightningNode", "Crypto",
        "ChannelStore",
      ]),
    .target(name: "DaemonRuntime", dependencies: ["Ground", "JSON", "CLinux", "Platform", "OwnFiles"]),
    // For lspd and baton-serve alone: no process of a wallet serves HTTP.
    .target(name: "HTTPServer", dependencies: ["Ground", "JSON", "DaemonRuntime", "CMicroHTTPD"]),
    // Never in a wallet process.
    .target(
      name: "HTTPClient", dependencies: ["Ground", "DaemonRuntime", "CCurl"],
      path: "Sources/System/HTTPClient"),
    // What every wallet process says to iosd.
    .target(
      name: "PhoneLink",
      dependencies: ["Ground", "Crypto", "JSON", "Guardrails", "WalletProfiles", "DaemonRuntime"]),
    .target(
      name: "PeerTransport", dependencies: ["Ground", "DaemonRuntime", "Crypto", "LightningWire"],
      path: "Sources/Lightning/PeerTransport"),
    .target(
      name: "WalletProcess",
      dependencies: [
        "Webhooks",
        "Ground", "Heartbeat", "Guardrails", "SharedContainer", "Coordinator", "Database", "WalletStore",
        "Bitcoin", "LightningWire", "LightningChannel", "LightningInvoices", "LightningNode", "Wallet",
        "WalletProfiles", "PhoneLink", "Crypto", "PeerTransport", "DaemonRuntime", "OwnFiles", "JSON",
      ]),
    .target(
      name: "Judge", dependencies: ["Ground", "JSON", "Database", "CSodium", "CSecp256k1"]),

    // The programs.
    .executableTarget(
      name: "MainAppd",
      dependencies: [
        "Ground", "Guardrails", "Wallet", "WalletProfiles", "WalletProcess", "PushSeal", "IncomingStore",
        "Crypto",
        "DaemonRuntime",
      ],
      linkerSettings: walletProcess),
    .executableTarget(
      name: "NotifyExtd",
      dependencies: ["Ground", "Guardrails", "PhoneLink", "WalletProcess", "DaemonRuntime"],
      linkerSettings: walletProcess),
    // Links no Lightning: the wallet that only notifies has a node in its app alone.
    .executableTarget(
      name: "NotifyOnlyd",
      dependencies: [
        "Ground", "Guardrails", "WalletProfiles", "PhoneLink", "PushSeal", "IncomingStore", "DaemonRuntime",
        "Crypto",
      ],
      linkerSettings: walletProcess),
    .executableTarget(
      name: "IOSd",
      dependencies: [
        "Ground", "JSON", "WalletProfiles", "Reports", "Heartbeat", "PhonePolicy", "SharedContainer",
        "Crypto", "DaemonRuntime",
        "CLinux",
      ]),
    .executableTarget(
      name: "LSPd",
      dependencies: [
        "Ground", "JSON", "Reports", "Bitcoin", "LightningWire", "LightningChannel", "LightningInvoices",
        "LightningProvider", "ForwardingHint", "Webhooks", "Heartbeat", "Guardrails", "WalletProfiles",
        "Crypto", "PushSeal",
        "PeerTransport", "DaemonRuntime", "Database", "ChannelStore", "HTTPServer",
        "HTTPClient",
      ]),
    // The modules of `baton`.
    .target(
      name: "PhoneClient",
      dependencies: [
        "Ground", "JSON", "Reports", "Guardrails", "Crypto", "Bitcoin", "LightningWire", "LightningInvoices",
        "WalletProfiles", "PhonePolicy", "SharedContainer", "DaemonRuntime", "PeerTransport", "CLinux",
      ], path: "Sources/Baton/PhoneClient"),
    .target(
      name: "Terminal",
      dependencies: [
        "Ground", "Reports", "WalletProfiles", "PhonePolicy", "DaemonRuntime", "CLinux", "PhoneClient",
      ], path: "Sources/Baton/Terminal"),
    .target(
      name: "Diagnosis", dependencies: ["Ground", "Heartbeat", "Reports"], path: "Sources/Baton/Diagnosis"),
    .target(
      name: "Inspection",
      dependencies: [
        "Webhooks", "Diagnosis",
        "Ground", "JSON", "Reports", "Heartbeat", "Guardrails", "LightningWire", "LightningChannel",
        "LightningNode", "LightningProvider", "Wallet", "WalletProfiles", "IncomingStore", "PhonePolicy",
        "Platform", "Database", "SharedContainer",
        "WalletStore", "DaemonRuntime", "Judge", "PhoneClient", "Terminal", "Timeline",
      ], path: "Sources/Baton/Inspection"),
    .target(
      name: "Lab",
      dependencies: [
        "Ground", "Reports", "Guardrails", "Crypto", "PhonePolicy", "Simulation", "Museum",
        "DaemonRuntime", "PhoneClient", "WalletProfiles", "Terminal", "Inspection", "Timeline",
      ], path: "Sources/Baton/Lab"),
    .target(
      name: "Stages",
      dependencies: [
        "Ground", "Reports", "Guardrails", "Crypto", "LightningWire", "LightningInvoices",
        "LightningProvider", "Wallet",
        "WalletProfiles", "IncomingStore", "JSON", "Sender",
        "PhonePolicy", "Simulation", "Scenario", "SharedContainer", "DaemonRuntime", "Judge", "PhoneClient",
        "Terminal", "Inspection", "Lab",
      ], path: "Sources/Baton/Stages"),
    // A running phone, as `baton watch` draws it and `baton serve` sends it.
    .target(
      name: "Live",
      dependencies: [
        "Ground", "Reports", "Guardrails", "PhonePolicy", "Database", "SharedContainer", "DaemonRuntime",
        "PhoneClient", "Terminal", "Inspection",
      ], path: "Sources/Baton/Live"),
    .executableTarget(
      name: "BatonCommand",
      dependencies: [
        "Live", "CLinux",
        "Webhooks",
        "Ground", "JSON", "Reports", "Heartbeat", "Guardrails", "Bitcoin", "LightningWire",
        "LightningChannel", "LightningInvoices", "LightningNode", "ForwardingHint", "Sender", "HTTPClient",
        "Crypto", "PhonePolicy", "Wallet", "SharedContainer",
        "DaemonRuntime", "PeerTransport", "PhoneClient", "Terminal", "Inspection", "Lab", "Stages",
      ], path: "Sources/Baton/BatonCommand"),

    // What `baton serve` runs: a program of its own, as it has HTTP.
    .target(
      name: "Serve",
      dependencies: [
        "Ground", "JSON", "Reports", "Crypto", "DaemonRuntime", "HTTPServer", "PhoneClient", "Live",
        "Timeline",
      ]),
    .executableTarget(
      name: "ServeD", dependencies: ["Reports", "DaemonRuntime", "PhoneClient", "Terminal", "Serve"]),

    // Benchmarks of the release programs and the library against a floor in C; scripts/bench builds and runs both.
    .executableTarget(
      name: "Bench",
      dependencies: [
        "Ground", "JSON", "Heartbeat", "Guardrails", "SharedContainer", "Database", "LightningWire",
        "LightningInvoices", "Crypto",
        "DaemonRuntime", "PhoneClient", "ProcessSupport", "WalletProfiles", "PushSeal",
      ],
      path: "Benchmarks/Bench"),

    .testTarget(name: "GroundTests", dependencies: ["Ground"]),
    .testTarget(name: "JSONTests", dependencies: ["JSON"]),
    .testTarget(name: "HeartbeatTests", dependencies: ["Ground", "Heartbeat"]),
    .testTarget(
      name: "GuardrailsTests", dependencies: ["Ground", "Heartbeat", "Guardrails"]),
    .testTarget(
      name: "LightningTests",
      dependencies: [
        "Ground", "JSON", "Crypto", "Bitcoin", "LightningWire", "LightningChannel", "LightningInvoices",
        "LightningNode", "LightningProvider", "ForwardingHint", "Webhooks",
      ]),
    .testTarget(name: "SenderTests", dependencies: ["Ground", "LightningWire", "ForwardingHint", "Sender"]),
    // Reads and writes invoices for Tests/Interop/invoices.py.
    .executableTarget(
      name: "TestInvoices",
      dependencies: ["Ground", "Crypto", "Bitcoin", "LightningWire", "LightningInvoices"],
      path: "Tests/Support/TestInvoices"),
    .testTarget(
      name: "WalletTests",
      dependencies: [
        "Webhooks",
        "Ground", "Heartbeat", "Guardrails", "Bitcoin", "LightningWire", "LightningChannel",
        "LightningInvoices", "LightningNode", "Crypto", "WalletProfiles", "Wallet",
      ]),
    .testTarget(
      name: "WalletProfilesTests", dependencies: ["Ground", "JSON", "Guardrails", "WalletProfiles"]),
    .testTarget(
      name: "PushSealTests", dependencies: ["Ground", "Crypto", "Guardrails", "WalletProfiles", "PushSeal"]),
    .testTarget(
      name: "IncomingStoreTests", dependencies: ["Ground", "Guardrails", "Database", "IncomingStore"]),
    .testTarget(name: "TimelineTests", dependencies: ["Ground", "JSON", "Timeline"]),
    .testTarget(name: "PhonePolicyTests", dependencies: ["Ground", "PhonePolicy"]),
    // A simulated world without faults of its own.
    .target(
      name: "SimulationSupport",
      dependencies: ["Ground", "Heartbeat", "Guardrails", "PhonePolicy", "Simulation"],
      path: "Tests/Support/SimulationSupport"),
    .testTarget(
      name: "SimulationTests",
      dependencies: [
        "GeneratedPages", "Ground", "Heartbeat", "Guardrails", "Bitcoin", "LightningWire", "LightningChannel",
        "LightningNode",
        "LightningProvider", "Sender", "Wallet", "WalletProfiles", "PhonePolicy", "Crypto", "Simulation",
        "Museum", "SimulationSupport",
      ]),
    // Compares the simulated container with the real one.
    .testTarget(
      name: "ConformanceTests",
      dependencies: ["Ground", "Heartbeat", "Guardrails", "SharedContainer", "Simulation"]),
    .testTarget(name: "PlatformTests", dependencies: ["Ground", "Platform", "OwnFiles"]),
    .testTarget(name: "DatabaseTests", dependencies: ["Database"]),
    // A real process that claims, for tests that race, stop and kill it.
    .executableTarget(
      name: "TestClaimer",
      dependencies: ["Ground", "Heartbeat", "Guardrails", "Database", "SharedContainer"],
      path: "Tests/Support/TestClaimer"),
    .testTarget(
      name: "SharedContainerTests",
      dependencies: [
        "WaitingTests",
        "Ground", "Heartbeat", "Guardrails", "Database", "Platform", "SharedContainer", "TestClaimer",
      ]),
    .testTarget(
      name: "CoordinatorTests",
      dependencies: ["Ground", "Heartbeat", "Guardrails", "Database", "SharedContainer", "Coordinator"]),
    .testTarget(name: "CoordinatorCTests", dependencies: ["CBaton", "CoordinatorC"]),
    .testTarget(
      name: "DaemonRuntimeTests",
      dependencies: ["WaitingTests", "CLinux", "Ground", "JSON", "Heartbeat", "DaemonRuntime"]),
    // A wallet process that stops at a chosen place.
    .executableTarget(
      name: "TestBystander",
      dependencies: [
        "Ground", "Heartbeat", "Guardrails", "SharedContainer", "WalletStore", "DaemonRuntime",
      ],
      path: "Tests/Support/TestBystander"),
    // Runs one real process, with a test or a benchmark in place of the phone.
    // Pages and digests that tests make, with BATON_WRITE_PAGES=1.
    .target(name: "GeneratedPages", path: "Tests/Support/GeneratedPages"),
    // Threads for tests that wait for other processes.
    .target(name: "WaitingTests", path: "Tests/Support/WaitingTests"),
    .target(
      name: "ProcessSupport", dependencies: ["Ground", "DaemonRuntime"],
      path: "Tests/Support/ProcessSupport"),
    // Runs real wallet processes and a real peer, with the test in place of the phone.
    .target(
      name: "PairSupport",
      dependencies: [
        "WaitingTests",
        "Ground", "Heartbeat", "Guardrails", "SharedContainer", "DaemonRuntime", "PhoneClient",
        "ProcessSupport", "Crypto",
        "LightningInvoices",
        "Database",
      ],
      path: "Tests/Support/PairSupport"),
    // The pair as real processes.
    .testTarget(
      name: "PairTests",
      dependencies: [
        "GeneratedPages", "WaitingTests",
        "Ground", "Heartbeat", "Guardrails", "SharedContainer", "WalletStore", "DaemonRuntime", "Crypto",
        "LightningInvoices", "Wallet", "Database", "PairSupport", "PhoneClient", "PhoneLink",
        "ProcessSupport", "MainAppd",
        "NotifyExtd", "LSPd",
        "BatonCommand",
        "TestBystander", "BadWire", "PeerTransport",
      ]),
    // Tests of Phoenix's description of the guardrails, sentence by sentence.
    .testTarget(
      name: "SeedSentenceTests",
      dependencies: [
        "Ground", "Heartbeat", "Guardrails", "PhonePolicy", "LightningNode", "LightningProvider",
        "Simulation", "SimulationSupport", "SharedContainer", "PairSupport", "MainAppd", "NotifyExtd", "LSPd",
        "BatonCommand",
      ]),
    // A hostile client of the daemons, in its own process.
    .executableTarget(
      name: "TestForeignProcess", dependencies: ["CLinux", "DaemonRuntime"],
      path: "Tests/Support/TestForeignProcess"),
    // A wallet process that sends hostile messages to the phone.
    .executableTarget(
      name: "TestHostileWallet", dependencies: ["DaemonRuntime"], path: "Tests/Support/TestHostileWallet"),
    // Hostile input to the programs.
    .testTarget(
      name: "HostileTests",
      dependencies: [
        "WaitingTests",
        "Ground", "Reports", "Heartbeat", "Guardrails", "SharedContainer", "DaemonRuntime", "Crypto",
        "Bitcoin", "LightningWire", "LightningChannel",
        "Database", "PeerTransport", "PairSupport", "MainAppd", "NotifyExtd", "IOSd", "LSPd", "PhoneClient",
        "BatonCommand",
        "TestForeignProcess", "TestHostileWallet", "TestBystander",
      ]),
    .testTarget(
      name: "WalletProcessTests",
      dependencies: [
        "WaitingTests",
        "Ground", "Heartbeat", "Guardrails", "SharedContainer", "WalletStore", "DaemonRuntime", "Crypto",
        "Bitcoin", "LightningWire", "LightningChannel", "LightningInvoices", "LightningNode",
        "LightningProvider", "Wallet", "Database", "PeerTransport", "WalletProfiles", "PhoneLink",
        "WalletProcess",
        "ChannelStore",
      ]),
    // A proxy that acts as a bad network between a wallet and its peer.
    .target(
      name: "BadWire", dependencies: ["CLinux", "Ground", "DaemonRuntime"],
      path: "Tests/Support/BadWire"),
    .testTarget(
      name: "PeerTransportTests",
      dependencies: ["BadWire", "Ground", "Crypto", "DaemonRuntime", "LightningWire", "PeerTransport"]),
    .testTarget(
      name: "LSPdTests",
      dependencies: [
        "Webhooks", "HTTPClient",
        "WaitingTests",
        "Ground", "JSON", "Reports", "Crypto", "Bitcoin", "LightningWire", "LightningChannel",
        "LightningProvider", "ForwardingHint", "PeerTransport", "HTTPServer", "DaemonRuntime", "Database",
        "PairSupport", "PhoneClient", "PushSeal", "WalletProfiles", "Guardrails",
        "LSPd",
        "BatonCommand", "ChannelStore", "Judge",
      ]),
    // Another process that has a database open.
    .executableTarget(name: "TestReader", dependencies: ["Database"], path: "Tests/Support/TestReader"),
    // Writes homes like those that runs of any length leave.
    .executableTarget(
      name: "TestHomes", dependencies: ["CSQLite", "CSodium"], path: "Tests/Support/TestHomes"),
    .testTarget(
      name: "JudgeTests",
      dependencies: [
        "WaitingTests",
        "Ground", "WalletProfiles", "Judge", "CSQLite", "CSodium", "TestReader", "TestHomes",
      ]),
    .testTarget(name: "DiagnosisTests", dependencies: ["Diagnosis", "Ground", "Heartbeat", "Reports"]),
    .testTarget(
      name: "ServeTests",
      dependencies: [
        "WaitingTests", "Ground", "JSON", "Reports", "DaemonRuntime", "HTTPServer", "PhoneClient", "Live",
        "Serve",
        "ServeD",
      ]),
    .testTarget(name: "LiveTests", dependencies: ["Ground", "Reports", "Terminal", "Live"]),
    .testTarget(
      name: "BatonCommandTests",
      dependencies: [
        "GeneratedPages", "WaitingTests",
        "Ground", "JSON", "Reports", "Heartbeat", "Guardrails", "Crypto", "Bitcoin", "LightningWire",
        "LightningInvoices", "LightningNode", "LightningProvider", "Database", "SharedContainer",
        "IncomingStore", "WalletStore", "PhonePolicy", "DaemonRuntime", "Simulation", "PairSupport", "Judge",
        "Sender", "PeerTransport", "PhoneClient", "Terminal", "Diagnosis", "Inspection", "Lab", "Stages",
        "Live",
        "BatonCommand", "Timeline", "TestReader",
      ]),
    // Every story of Tests/Scenarios, simulated and on real processes.
    .testTarget(
      name: "ScenarioTests",
      dependencies: [
        "WaitingTests",
        "Ground", "Heartbeat", "Scenario", "Simulation", "DaemonRuntime", "PhoneClient", "Terminal", "Stages",
        "BatonCommand", "MainAppd",
        "NotifyExtd", "IOSd", "LSPd",
      ]),
    .executableTarget(
      name: "TestChild", dependencies: ["Ground", "DaemonRuntime", "CSQLite"], path: "Tests/Support/TestChild"
    ),
    .testTarget(
      name: "IOSdTests",
      dependencies: [
        "WaitingTests",
        "CLinux", "Ground", "Reports", "Crypto", "Guardrails", "Database", "WalletProfiles", "PushSeal",
        "IncomingStore", "NotifyOnlyd", "DaemonRuntime", "PhonePolicy", "PairSupport", "PhoneClient", "IOSd",
        "MainAppd", "LSPd",
        "NotifyExtd",
        "BatonCommand",
        "TestChild",
      ]),
    // In C, as it begins before any test: ends what a run of the tests leaves behind. Linked into the bundle of all tests.
    .target(name: "TestRunEnd", path: "Tests/Support/TestRunEnd"),
    .testTarget(
      name: "TestRunEndTests", dependencies: ["TestRunEnd", "WaitingTests", "DaemonRuntime", "PhoneClient"]),
    .testTarget(name: "TidyTests"),
  ],
  swiftLanguageModes: [.v6]
)

// The fuzzers need every parser, also those of programs: with BATON_FUZZ a program is a library without its `main`. Set
// by `scripts/fuzz`.
if Context.environment["BATON_FUZZ"] != nil {
  let programs = ["IOSd", "LSPd", "BatonCommand"]
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
  // The same parsers as a test, which feeds them their corpus.
  let parsers = package.targets.filter {
    $0.type == .regular && $0.path?.hasPrefix("Tests/") != true
      || ["IOSd", "LSPd", "BatonCommand"].contains($0.name)
  }
  package.targets.append(
    .testTarget(
      name: "FuzzTests", dependencies: parsers.map { .init(stringLiteral: $0.name) }, path: "Fuzz",
      exclude: ["Corpus"]))
}

let cores = [
  "Ground", "JSON", "Heartbeat", "Guardrails", "Wallet", "WalletProfiles", "PhonePolicy", "Scenario",
  "Bitcoin",
  "LightningWire",
  "LightningChannel", "LightningInvoices", "LightningNode", "LightningProvider", "ForwardingHint",
  "Webhooks", "Sender", "Timeline",
]

// With BATON_CORES the package has only the cores and their tests. Set by `scripts/test --fast`.
if Context.environment["BATON_CORES"] != nil {
  let tests = (cores + ["Lightning", "PushSeal", "Tidy"]).map { "\($0)Tests" }
  let needed = cores + ["Crypto", "PushSeal", "CSodium", "CSecp256k1", "CNettle"] + tests
  package.products = []
  package.targets = package.targets.filter { $0.name != "ScenarioTests" && needed.contains($0.name) }
} else if !Context.packageDirectory.contains("/checkouts/") {
  // Optimized also in a debug build: tests run years of the cores' time, and look at containers and `/proc` while they
  // wait. Not in the checkout of a package that depends on a version of this one: SwiftPM refuses such flags there.
  let looks = ["Crypto", "Platform", "Database", "SharedContainer"]
  for target in package.targets where (cores + ["Simulation", "Museum"] + looks).contains(target.name) {
    target.swiftSettings = [
      .unsafeFlags(
        ["-O", "-whole-module-optimization", "-disable-batch-mode", "-num-threads", "2"],
        .when(configuration: .debug))
    ]
  }
}
