/// Which rooms a room may look into: ARCHITECTURE.md as a table. A module that is not here has no place yet.
enum Walls {
  static let mayImport: [(module: String, others: String)] = [
    ("Ground", ""),
    ("JSON", ""),
    ("Heartbeat", "Ground"),
    ("Guardrails", "Ground Heartbeat"),
    ("Lightning", "Ground Crypto"),
    ("Wallet", "Ground Heartbeat Guardrails Lightning Crypto"),
    ("PhonePolicy", "Ground"),
    ("Reports", "JSON PhonePolicy"),
    ("Simulation", "Ground Heartbeat Guardrails Lightning Wallet PhonePolicy Crypto"),
    ("Scenario", "Ground PhonePolicy"),
    ("Crypto", "Ground CSodium CSecp256k1 Glibc"),
    ("Platform", "Ground Glibc Darwin"),
    ("Database", "CSQLite Glibc Darwin"),
    ("OwnFiles", "Platform Glibc Darwin"),
    ("SharedContainer", "Ground Heartbeat Guardrails Database Platform OwnFiles Glibc Darwin"),
    ("Coordinator", "Ground Heartbeat Guardrails SharedContainer Database Platform Glibc Darwin"),
    ("CoordinatorC", "Coordinator Database CBaton"),
    ("ChannelStore", "Ground Lightning Database"),
    ("WalletStore", "Ground Heartbeat Guardrails SharedContainer Database Lightning Crypto ChannelStore"),
    ("DaemonRuntime", "Ground JSON CLinux Platform OwnFiles Glibc"),
    ("PeerTransport", "Ground DaemonRuntime Crypto Lightning CLinux Glibc"),
    (
      "WalletProcess",
      """
      Ground Heartbeat Guardrails Lightning Wallet Crypto Database SharedContainer Coordinator WalletStore DaemonRuntime \
      PeerTransport OwnFiles JSON CLinux Glibc
      """
    ),
    ("MainAppd", "Ground Heartbeat Guardrails Wallet WalletProcess DaemonRuntime Glibc"),
    ("NotifyExtd", "Ground Heartbeat Guardrails WalletProcess DaemonRuntime Glibc"),
    ("IOSd", "Ground JSON Reports Heartbeat PhonePolicy SharedContainer Crypto DaemonRuntime CLinux Glibc"),
    (
      "LSPd",
      "Ground JSON Reports Lightning Crypto PeerTransport DaemonRuntime Database ChannelStore CLinux Glibc"
    ),
    ("Judge", "Ground JSON Database CSodium CSecp256k1 Foundation Glibc"),
    (
      "BatonCommand",
      """
      Ground JSON Reports Heartbeat Guardrails Lightning Wallet PhonePolicy Simulation Scenario Crypto Database \
      SharedContainer WalletStore DaemonRuntime PeerTransport Judge CLinux Glibc Foundation
      """
    ),
  ]

  /// Every decision: no clock, no randomness, no I/O.
  static let cores = [
    "Ground", "JSON", "Heartbeat", "Guardrails", "Lightning", "Wallet", "PhonePolicy", "Simulation",
    "Scenario",
  ]

  static func allowed(for module: String) -> Set<String>? {
    guard let row = mayImport.first(where: { $0.module == module }) else { return nil }
    return Set(row.others.split(whereSeparator: \.isWhitespace).map(String.init))
  }
}
