// WalletProcess: what mainappd and notifyextd have in common. It reads the world, gives what it finds to the two
// cores (the guard and the node) and carries out what they say, in their order. It decides nothing.

import Ground
import DaemonRuntime
import Guardrails
import Heartbeat
import LightningWire
import LightningNode
import PeerTransport

/// What both wallet processes are told when they are started.
public struct WalletOptions {
  public var container: String
  public var keychain: String
  /// Where in the phone's keychain the seed is; nil when it is a file.
  public var keychainGroup: String?
  public var seedProtection: String
  public var journal: String
  public var phoneClock: String?
  /// Nil for a wallet that knows no peer yet.
  public var peer: PeerAddress?
  public var node: NodeMachine.Configuration
  public var guardConfiguration: GuardConfiguration

  public static let declarations: [OptionDeclaration] =
    [
      OptionDeclaration(
        "--container", value: .path("DIR"), default: "AppGroup",
        help: "the App Group directory that both processes share"),
      OptionDeclaration(
        "--keychain", value: .path("DIR"), default: "Keychain",
        help: "where the file wallet-seed lies; made if it is missing"),
      OptionDeclaration(
        "--keychain-group", value: .text("GROUP"),
        help: "started by a phone: the seed is in its keychain, in this access group"),
      OptionDeclaration(
        "--seed-protection", value: .choice(["when-unlocked", "after-first-unlock"]),
        default: "after-first-unlock", help: "with that: when a new seed can be read"),
      OptionDeclaration(
        "--journal", value: .path("DIR"), default: "journal", help: "where to write down what happens"),
      OptionDeclaration(
        "--clock", value: .path("FILE"), help: "the phone's clock, as iosd keeps it; else the kernel's"),
      OptionDeclaration(
        "--peer", value: .nodeAddress, help: "the Lightning peer; lspd's is in the file lsp/address"),
      OptionDeclaration(
        "--peer-file", value: .path("FILE"),
        help:
          "where the address of the peer stands, instead of --peer, which anybody can read in a list of processes"
      ),
      OptionDeclaration(
        "--tor", help: "the peer is reached over Tor: it has three times as long for a dial and a init"),
      OptionDeclaration(
        "--takeover", value: .choice(Takeover.allCases.map(\.rawValue)), default: Takeover.lock.rawValue,
        help: "how a dead holder is recognised: its lock, or the age of its last beat"),
      OptionDeclaration(
        "--beat-interval", value: .span, default: "2s", help: "how often the holder of the node beats"),
      OptionDeclaration(
        "--stale-after", value: .span, default: "5s",
        help: "after how long without a beat a holder counts as frozen"
      ),
      OptionDeclaration(
        "--multi-part-window", value: .span, default: "60s",
        help: "how long the parts of a payment wait for the others"),
    ] + ConnectionOptions.declarations

  public init(_ parsed: ParsedCommandLine) {
    container = parsed.text("--container") ?? "AppGroup"
    keychain = parsed.text("--keychain") ?? "Keychain"
    keychainGroup = parsed.text("--keychain-group")
    seedProtection = parsed.text("--seed-protection") ?? "after-first-unlock"
    journal = parsed.text("--journal") ?? "journal"
    phoneClock = parsed.text("--clock")
    peer = Self.peer(parsed)
    guard let interval = parsed.span("--beat-interval"),
      let rule = parsed.span("--stale-after"), let takeover = parsed.choice("--takeover", as: Takeover.self),
      let window = parsed.span("--multi-part-window")
    else { exitWithSentence(.bugOfOurs, "an option is not declared as it is read") }
    node = NodeMachine.Configuration(
      rules: ConnectionRules(parsed), overTor: parsed.isGiven("--tor") ? true : nil, multiPartWindow: window)
    do throws(HeartbeatTimingError) {
      guardConfiguration = GuardConfiguration(
        takeover: takeover, timing: try HeartbeatTiming(interval: interval, staleAfter: rule))
    } catch { exitWithSentence(.wrongUsage, error.description) }
  }
}

extension WalletOptions {
  fileprivate static func peer(_ parsed: ParsedCommandLine) -> PeerAddress? {
    if let file = parsed.text("--peer-file") {
      guard let address = PeerAddress(file: file) else {
        exitWithSentence(
          .badConfiguration,
          "\(file) holds no address of a peer; let lspd write it, or give the address with --peer")
      }
      return address
    }
    return parsed.text("--peer").map { text in
      guard let address = PeerAddress(text) else {
        exitWithSentence(
          .wrongUsage, "--peer has an id that is no point of the curve; copy the address again, all of it")
      }
      return address
    }
  }
}
