/// ARCHITECTURE.md's permitted imports as a table. Every module must be in it.
enum Walls {
  static let mayImport: [(module: String, others: String)] = [
    ("Ground", ""),
    ("JSON", ""),
    ("Heartbeat", "Ground"),
    ("Guardrails", "Ground Heartbeat"),
    ("WalletProfiles", "Ground JSON Guardrails"),
    ("Bitcoin", "Ground Crypto"),
    ("LightningWire", "Ground Crypto Bitcoin"),
    ("LightningChannel", "Ground Crypto Bitcoin LightningWire"),
    ("LightningInvoices", "Ground Crypto Bitcoin LightningWire"),
    ("LightningNode", "Ground Crypto Bitcoin LightningWire LightningChannel Webhooks"),
    ("LightningProvider", "Ground Crypto Bitcoin LightningWire LightningChannel ForwardingHint Webhooks"),
    ("Webhooks", "Ground JSON"),
    ("ForwardingHint", "JSON"),
    ("Sender", "Ground LightningWire ForwardingHint"),
    (
      "Wallet",
      """
      Ground Heartbeat Guardrails Crypto Bitcoin LightningWire LightningChannel LightningInvoices LightningNode \
      Webhooks WalletProfiles
      """
    ),
    ("PhonePolicy", "Ground JSON"),
    ("Reports", "JSON PhonePolicy"),
    (
      "Simulation",
      """
      Ground Heartbeat Guardrails Crypto Bitcoin LightningWire LightningChannel LightningNode LightningProvider Sender \
      Wallet WalletProfiles PhonePolicy
      """
    ),
    ("Museum", "Ground Heartbeat Guardrails LightningChannel LightningNode Wallet Simulation"),
    ("Scenario", "Ground WalletProfiles PhonePolicy"),
    ("Timeline", "Ground JSON Crypto"),
    ("Crypto", "Ground CSodium CSecp256k1 Glibc"),
    ("PushSeal", "Ground Crypto CNettle"),
    ("Platform", "Ground Glibc Darwin"),
    ("Database", "CSQLite Glibc Darwin"),
    ("OwnFiles", "Platform Glibc Darwin"),
    ("IncomingStore", "Ground Guardrails Database OwnFiles Glibc Darwin"),
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
    ("DaemonRuntime", "Ground JSON CLinux Platform OwnFiles Glibc"),
    ("HTTPServer", "Ground JSON DaemonRuntime CMicroHTTPD Glibc"),
    ("HTTPClient", "Ground DaemonRuntime CCurl Glibc"),
    ("PhoneLink", "Ground Crypto JSON Guardrails WalletProfiles DaemonRuntime Glibc"),
    ("PeerTransport", "Ground DaemonRuntime Crypto LightningWire Glibc"),
    (
      "WalletProcess",
      """
      Ground Heartbeat Guardrails Bitcoin LightningWire LightningChannel LightningInvoices LightningNode Webhooks Wallet \
      WalletProfiles PhoneLink Crypto Database SharedContainer Coordinator WalletStore DaemonRuntime PeerTransport OwnFiles JSON CLinux Glibc
      """
    ),
    (
      "MainAppd",
      """
      Ground Heartbeat Guardrails Wallet WalletProfiles WalletProcess PushSeal IncomingStore Crypto DaemonRuntime Glibc
      """
    ),
    ("NotifyExtd", "Ground Heartbeat Guardrails PhoneLink WalletProcess DaemonRuntime Glibc"),
    (
      "NotifyOnlyd",
      "Ground Guardrails WalletProfiles PhoneLink PushSeal IncomingStore DaemonRuntime Crypto Glibc"
    ),
    (
      "IOSd",
      "Ground JSON WalletProfiles Reports Heartbeat PhonePolicy SharedContainer Crypto DaemonRuntime CLinux Glibc"
    ),
    (
      "LSPd",
      """
      Ground JSON Reports Bitcoin LightningWire LightningChannel LightningInvoices LightningProvider ForwardingHint Webhooks \
      Heartbeat Guardrails WalletProfiles Crypto PushSeal PeerTransport DaemonRuntime Database ChannelStore HTTPServer HTTPClient CLinux Glibc
      """
    ),
    ("Judge", "Ground JSON Database CSodium CSecp256k1 Glibc"),
    (
      "PhoneClient",
      """
      Ground JSON Reports Guardrails Bitcoin LightningWire LightningInvoices WalletProfiles PhonePolicy Crypto SharedContainer \
      DaemonRuntime PeerTransport CLinux Glibc
      """
    ),
    (
      "Terminal",
      "Ground Reports WalletProfiles PhonePolicy DaemonRuntime PhoneClient CLinux Glibc Foundation"
    ),
    ("Diagnosis", "Ground Heartbeat Reports"),
    (
      "Inspection",
      """
      Diagnosis Ground JSON Reports Heartbeat Guardrails LightningWire LightningChannel LightningNode LightningProvider \
      Webhooks Wallet WalletProfiles IncomingStore PhonePolicy Platform Database SharedContainer WalletStore DaemonRuntime \
      Judge PhoneClient Terminal Timeline Glibc Foundation
      """
    ),
    (
      "Lab",
      """
      Ground Reports Guardrails WalletProfiles PhonePolicy Simulation Museum Crypto DaemonRuntime PhoneClient Terminal Inspection Timeline \
      Glibc Foundation
      """
    ),
    (
      "Stages",
      """
      Ground JSON Reports Guardrails LightningWire LightningInvoices LightningProvider Wallet WalletProfiles IncomingStore \
      PhonePolicy Sender Simulation Scenario Crypto \
      SharedContainer DaemonRuntime Judge PhoneClient Terminal Inspection Lab Glibc Foundation
      """
    ),
    ("Serve", "Ground JSON Reports Crypto DaemonRuntime HTTPServer PhoneClient Live Timeline"),
    ("ServeD", "Reports DaemonRuntime PhoneClient Terminal Serve Glibc"),
    (
      "Live",
      """
      Ground Reports Guardrails PhonePolicy Database SharedContainer DaemonRuntime PhoneClient Terminal Inspection
      """
    ),
    (
      "BatonCommand",
      """
      Live CLinux Ground JSON Reports Heartbeat Guardrails Bitcoin LightningWire LightningChannel LightningInvoices LightningNode \
      ForwardingHint Webhooks Sender HTTPClient Crypto PhonePolicy Wallet SharedContainer DaemonRuntime PeerTransport PhoneClient \
      Terminal Inspection Lab Stages Glibc
      """
    ),
  ]

  /// Modules of pure decisions: no clock, no randomness, no I/O.
  static let cores = [
    "Ground", "JSON", "Heartbeat", "Guardrails", "Bitcoin", "LightningWire", "LightningChannel",
    "LightningInvoices", "LightningNode", "LightningProvider", "ForwardingHint", "Webhooks", "Sender",
    "Wallet",
    "WalletProfiles", "PhonePolicy", "Diagnosis",
    "Simulation", "Museum",
    "Scenario", "Timeline",
  ]

  static func allowed(for module: String) -> Set<String>? {
    guard let row = mayImport.first(where: { $0.module == module }) else { return nil }
    return Set(row.others.split(whereSeparator: \.isWhitespace).map(String.init))
  }
}
