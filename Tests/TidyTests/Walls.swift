/// Which rooms a room may look into: ARCHITECTURE.md as a table. A module that is not here has no place yet.
enum Walls {
  static let mayImport: [(module: String, others: String)] = [
    ("CoreShape", ""),
    ("Heartbeat", "CoreShape"),
    ("Guardrails", "CoreShape Heartbeat"),
    ("Lightning", "CoreShape Crypto"),
    ("PhonePolicy", "CoreShape"),
    ("Simulation", "CoreShape Heartbeat Guardrails Lightning PhonePolicy Crypto"),
    ("Scenario", "CoreShape Heartbeat PhonePolicy"),
    ("Crypto", "CSodium CSecp256k1 Glibc"),
    ("Database", "CSQLite Glibc"),
    ("OwnFiles", "CLinux Glibc"),
    ("SharedContainer", "CoreShape Heartbeat Guardrails Database CLinux OwnFiles Glibc"),
    ("WalletStore", "CoreShape Heartbeat Guardrails SharedContainer Database Lightning Crypto"),
    ("DaemonRuntime", "CoreShape Heartbeat CLinux OwnFiles Glibc"),
    ("PeerTransport", "CoreShape DaemonRuntime Crypto Lightning CLinux Glibc"),
    (
      "WalletProcess",
      """
      CoreShape Heartbeat Guardrails Lightning Crypto Database SharedContainer WalletStore DaemonRuntime \
      PeerTransport OwnFiles CLinux Glibc
      """
    ),
    ("MainAppd", "CoreShape Heartbeat Guardrails WalletProcess DaemonRuntime Glibc"),
    ("NotifyExtd", "CoreShape Heartbeat Guardrails WalletProcess DaemonRuntime Glibc"),
    ("IOSd", "CoreShape Heartbeat PhonePolicy SharedContainer Crypto DaemonRuntime CLinux Glibc Foundation"),
    ("LSPd", "CoreShape Lightning Crypto PeerTransport DaemonRuntime Database CLinux Glibc Foundation"),
    ("Judge", "CSQLite CSodium CSecp256k1 Foundation Glibc"),
    (
      "BatonCommand",
      """
      CoreShape Heartbeat Guardrails Lightning PhonePolicy Simulation Scenario Crypto Database SharedContainer \
      WalletStore DaemonRuntime PeerTransport Judge CLinux Glibc Foundation Synchronization
      """
    ),
  ]

  /// Every decision: no clock, no randomness, no I/O.
  static let cores = [
    "CoreShape", "Heartbeat", "Guardrails", "Lightning", "PhonePolicy", "Simulation", "Scenario",
  ]

  static func allowed(for module: String) -> Set<String>? {
    guard let row = mayImport.first(where: { $0.module == module }) else { return nil }
    return Set(row.others.split(whereSeparator: \.isWhitespace).map(String.init))
  }
}
