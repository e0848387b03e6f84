// swift-tools-version: 6.0
//
// Each module is one room; ARCHITECTURE.md is the map and Tests/TidyTests holds the walls.
import PackageDescription

let package = Package(
  name: "Baton",
  products: [
    // The guardrail library: needs libsqlite3 alone.
    .library(name: "Heartbeat", targets: ["Heartbeat", "CoreShape"]),
    .library(name: "Guardrails", targets: ["Guardrails"]),
    .library(name: "SharedContainer", targets: ["SharedContainer"]),
    .executable(name: "mainappd", targets: ["MainAppd"]),
    .executable(name: "notifyextd", targets: ["NotifyExtd"]),
    .executable(name: "iosd", targets: ["IOSd"]),
    .executable(name: "lspd", targets: ["LSPd"]),
    .executable(name: "baton", targets: ["BatonCommand"]),
  ],
  targets: [
    // Pure cores: no clock, no randomness, no I/O.
    .target(name: "CoreShape"),
    .target(name: "Heartbeat", dependencies: ["CoreShape"]),
    .target(name: "Guardrails", dependencies: ["CoreShape", "Heartbeat"]),
    .target(name: "Lightning", dependencies: ["CoreShape", "Crypto"]),
    .target(name: "PhonePolicy", dependencies: ["CoreShape"]),

    // The C libraries, and the few system calls Swift cannot reach.
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    .target(name: "CLinux"),

    // What touches the world.
    .target(name: "Crypto", dependencies: ["CSodium"]),
    .target(name: "Database", dependencies: ["CSQLite"]),
    .target(
      name: "SharedContainer",
      dependencies: ["CoreShape", "Heartbeat", "Guardrails", "Database", "CLinux"]),
    .target(
      name: "WalletStore",
      dependencies: ["Guardrails", "SharedContainer", "Database", "Lightning", "Crypto"]),
    .target(name: "DaemonRuntime", dependencies: ["CoreShape", "Heartbeat", "CLinux"]),
    .target(
      name: "PeerTransport", dependencies: ["DaemonRuntime", "CLinux"]),
    .target(
      name: "WalletProcess",
      dependencies: [
        "CoreShape", "Heartbeat", "Guardrails", "SharedContainer", "WalletStore", "Lightning",
        "Crypto", "PeerTransport", "DaemonRuntime", "CLinux",
      ]),
    .target(name: "Judge", dependencies: ["CSQLite", "CSodium"]),

    // The processes.
    .executableTarget(
      name: "MainAppd",
      dependencies: ["CoreShape", "Guardrails", "WalletProcess", "DaemonRuntime"]),
    .executableTarget(
      name: "NotifyExtd",
      dependencies: ["CoreShape", "Guardrails", "WalletProcess", "DaemonRuntime"],
      // One static file without Foundation: it starts in a millisecond and stays far under 24 MB.
      linkerSettings: [
        .unsafeFlags(["-static-executable"], .when(configuration: .release)),
        .linkedLibrary("m"),
      ]),
    .executableTarget(
      name: "IOSd", dependencies: ["CoreShape", "PhonePolicy", "DaemonRuntime", "CLinux"]),
    .executableTarget(
      name: "LSPd",
      dependencies: [
        "CoreShape", "Lightning", "Crypto", "PeerTransport", "DaemonRuntime", "Database",
      ]),
    .executableTarget(
      name: "BatonCommand",
      dependencies: [
        "CoreShape", "Heartbeat", "Guardrails", "Lightning", "PhonePolicy", "SharedContainer",
        "WalletStore", "DaemonRuntime", "Judge",
      ]),

    .testTarget(name: "HeartbeatTests", dependencies: ["CoreShape", "Heartbeat"]),
    .testTarget(name: "GuardrailsTests", dependencies: ["CoreShape", "Heartbeat", "Guardrails"]),
    .testTarget(name: "LightningTests", dependencies: ["CoreShape", "Crypto", "Lightning"]),
    .testTarget(name: "PhonePolicyTests", dependencies: ["CoreShape", "PhonePolicy"]),
    .testTarget(
      name: "SharedContainerTests",
      dependencies: ["CoreShape", "Heartbeat", "Guardrails", "Database", "SharedContainer"]),
    .testTarget(
      name: "DaemonRuntimeTests", dependencies: ["CoreShape", "Heartbeat", "DaemonRuntime"]),
    .testTarget(name: "JudgeTests", dependencies: ["Judge", "CSQLite", "CSodium"]),
    .testTarget(name: "TidyTests"),
  ],
  swiftLanguageModes: [.v6]
)
