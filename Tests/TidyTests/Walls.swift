/// Which rooms a room may look into: ARCHITECTURE.md as a table. A module that is not here has no place yet.
enum Walls {
  static let mayImport: [(module: String, others: String)] = [
    ("Ground", ""),
    ("Heartbeat", "Ground"),
    ("Guardrails", "Ground Heartbeat"),
    ("Bitcoin", "Ground Crypto"),
    ("LightningWire", "Ground Crypto Bitcoin"),
    ("LightningChannel", "Ground Crypto Bitcoin LightningWire"),
    ("LightningInvoices", "Ground Crypto Bitcoin LightningWire"),
    ("LightningNode", "Ground Crypto Bitcoin LightningWire LightningChannel"),
    ("LightningProvider", "Ground Crypto Bitcoin LightningWire LightningChannel"),
    (
      "Wallet",
      """
      Ground Heartbeat Guardrails Crypto Bitcoin LightningWire LightningChannel LightningInvoices LightningNode
      """
    ),
    ("PhonePolicy", "Ground"),
    (
      "Simulation",
      """
      Ground Heartbeat Guardrails Crypto Bitcoin LightningWire LightningChannel LightningNode LightningProvider Wallet \
      PhonePolicy
      """
    ),
    ("Scenario", "Ground PhonePolicy"),
    ("Crypto", "Ground CSodium CSecp256k1 Glibc"),
    ("Platform", "Ground Glibc Darwin"),
    ("Database", "CSQLite Glibc Darwin"),
    ("OwnFiles", "Platform Glibc Darwin"),
    ("SharedContainer", "Ground Heartbeat Guardrails Database Platform OwnFiles Glibc Darwin"),
    ("Coordinator", "Ground Heartbeat Guardrails SharedContainer Database Platform Glibc Darwin"),
    ("CoordinatorC", "Coordinator Database CBaton"),
    ("ChannelStore", "Ground Bitcoin LightningWire LightningChannel Database"),
    (
      "WalletStore",
      """
      Ground Heartbeat Guardrails SharedContainer Database LightningChannel LightningNode Crypto ChannelStore
      """
    ),
    ("DaemonRuntime", "Ground CLinux Platform OwnFiles Glibc"),
    ("PeerTransport", "Ground DaemonRuntime Crypto LightningWire CLinux Glibc"),
    (
      "WalletProcess",
      """
      Ground Heartbeat Guardrails Bitcoin LightningWire LightningChannel LightningInvoices LightningNode Wallet Crypto \
      Database SharedContainer Coordinator WalletStore DaemonRuntime PeerTransport OwnFiles CLinux Glibc
      """
    ),
    ("MainAppd", "Ground Heartbeat Guardrails Wallet WalletProcess DaemonRuntime Glibc"),
    ("NotifyExtd", "Ground Heartbeat Guardrails WalletProcess DaemonRuntime Glibc"),
    ("IOSd", "Ground Heartbeat PhonePolicy SharedContainer Crypto DaemonRuntime CLinux Glibc Foundation"),
    (
      "LSPd",
      """
      Ground Bitcoin LightningWire LightningChannel LightningInvoices LightningProvider Crypto PeerTransport DaemonRuntime \
      Database ChannelStore CLinux Glibc Foundation
      """
    ),
    ("Judge", "Ground Database CSodium CSecp256k1 Foundation Glibc"),
    (
      "PhoneClient",
      """
      Ground Guardrails Bitcoin LightningWire LightningInvoices PhonePolicy Crypto SharedContainer DaemonRuntime PeerTransport CLinux Glibc Foundation
      """
    ),
    ("Terminal", "Ground PhonePolicy DaemonRuntime PhoneClient CLinux Glibc Foundation"),
    (
      "Inspection",
      """
      Ground Heartbeat Guardrails LightningWire LightningChannel LightningNode LightningProvider Wallet PhonePolicy Database SharedContainer WalletStore DaemonRuntime Judge \
      PhoneClient Terminal Glibc Foundation
      """
    ),
    (
      "Lab",
      """
      Ground Guardrails Simulation Crypto DaemonRuntime PhoneClient Terminal Inspection Glibc Foundation
      """
    ),
    (
      "Stages",
      """
      Ground Guardrails LightningInvoices LightningProvider Wallet PhonePolicy Simulation Scenario Crypto SharedContainer DaemonRuntime Judge \
      PhoneClient Terminal Inspection Lab Glibc Foundation
      """
    ),
    (
      "BatonCommand",
      """
      Ground Heartbeat Guardrails Bitcoin LightningWire LightningChannel LightningInvoices LightningNode PhonePolicy SharedContainer \
      DaemonRuntime PeerTransport PhoneClient Terminal \
      Inspection Lab Stages Glibc Foundation
      """
    ),
  ]

  /// Every decision: no clock, no randomness, no I/O.
  static let cores = [
    "Ground", "Heartbeat", "Guardrails", "Bitcoin", "LightningWire", "LightningChannel", "LightningInvoices",
    "LightningNode", "LightningProvider", "Wallet", "PhonePolicy", "Simulation", "Scenario",
  ]

  static func allowed(for module: String) -> Set<String>? {
    guard let row = mayImport.first(where: { $0.module == module }) else { return nil }
    return Set(row.others.split(whereSeparator: \.isWhitespace).map(String.init))
  }
}
