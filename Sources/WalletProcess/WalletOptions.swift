// WalletProcess: the common part of mainappd and notifyextd. It reads the world, passes events to the wallet, and
// carries out its orders in sequence. It decides nothing.

import Ground
import DaemonRuntime
import Guardrails
import Heartbeat
import Lightning
import Wallet
import LightningIO

/// The command line of both wallet processes.
public struct WalletOptions {
  public var wallet: WalletProfile
  public var container: String
  public var keychain: String
  /// The seed's access group in the phone's keychain; nil when the seed is a file.
  public var keychainGroup: String?
  public var seedProtection: String
  public var journal: String
  public var phoneClock: String?
  /// nil if no peer is configured.
  public var peer: PeerAddress?
  public var node: NodeMachine.Configuration
  public var guardConfiguration: GuardConfiguration
  var leavesReadOpen: Bool

  public static let declarations: [OptionDeclaration] =
    [
      OptionDeclaration(
        "--wallet", value: .choice(WalletProfile.all.map(\.name)), default: WalletProfile.phoenix.name,
        help: "which wallet this is: the form of its pushes and its texts"),
      OptionDeclaration(
        "--container", value: .path("DIR"), default: "AppGroup",
        help: "the App Group directory that both processes share"),
      OptionDeclaration(
        "--keychain", value: .path("DIR"), default: "Keychain",
        help: "where the file wallet-seed is; created if missing"),
      OptionDeclaration(
        "--keychain-group", value: .text("GROUP"),
        help: "started by iosd: the seed is in the phone's keychain, in this access group"),
      OptionDeclaration(
        "--seed-protection", value: .choice(["when-unlocked", "after-first-unlock"]),
        default: "after-first-unlock", help: "with --keychain-group: when a new seed can be read"),
      OptionDeclaration(
        "--journal", value: .path("DIR"), default: "journal", help: "where to write the journal"),
      OptionDeclaration(
        "--clock", value: .path("FILE"), help: "the phone's clock, as iosd writes it; default: the kernel's"),
      OptionDeclaration(
        "--peer", value: .nodeAddress, help: "the Lightning peer; lspd's is in the file lsp/address"),
      OptionDeclaration(
        "--peer-file", value: .path("FILE"),
        help:
          "a file with the peer's address, instead of --peer, which is visible in the list of processes"
      ),
      OptionDeclaration(
        "--tor",
        help: "the peer is reached over Tor: the time limits for dial and init are three times as long"),
      OptionDeclaration(
        "--takeover", value: .choice(Takeover.allCases.map(\.rawValue)), default: Takeover.lock.rawValue,
        help: "how a dead holder is detected: its lock, or the age of its last beat"),
      OptionDeclaration(
        "--beat-interval", value: .span, default: "2s", help: "how often the holder of the node beats"),
      OptionDeclaration(
        "--stale-after", value: .span, default: "5s",
        help: "after how long without a beat a holder counts as frozen"
      ),
      OptionDeclaration(
        "--multi-part-window", value: .span, default: "60s",
        help: "how long the wallet waits for missing parts of a payment"),
      OptionDeclaration(
        "--keep-parts", value: .choice(["container", "memory"]), default: "container",
        help:
          "which parts of a payment count: those in the container, or only those that came since this process connected"
      ),
      OptionDeclaration(
        "--start-delay", value: .span, default: "0s",
        help: "how long the node's start waits for something outside, such as a fee server, before it dials"),
      OptionDeclaration(
        "--fault-open-read",
        help: "fault injection: begin to read the database, and do not finish as long as the process lives"),
    ] + ConnectionOptions.declarations

  public init(_ parsed: ParsedCommandLine) {
    wallet = parsed.text("--wallet").flatMap { WalletProfile(named: $0) } ?? .phoenix
    container = parsed.text("--container") ?? "AppGroup"
    keychain = parsed.text("--keychain") ?? "Keychain"
    keychainGroup = parsed.text("--keychain-group")
    seedProtection = parsed.text("--seed-protection") ?? "after-first-unlock"
    journal = parsed.text("--journal") ?? "journal"
    phoneClock = parsed.text("--clock")
    leavesReadOpen = parsed.isGiven("--fault-open-read")
    peer = Self.peer(parsed)
    guard let interval = parsed.span("--beat-interval"),
      let rule = parsed.span("--stale-after"), let takeover = parsed.choice("--takeover", as: Takeover.self),
      let window = parsed.span("--multi-part-window"), let startDelay = parsed.span("--start-delay")
    else { exitWithSentence(.bugOfOurs, "an option's declaration does not match its use") }
    node = NodeMachine.Configuration(
      rules: ConnectionRules(parsed), overTor: parsed.isGiven("--tor"), multiPartWindow: window,
      keepsPartsInMemory: parsed.text("--keep-parts") == "memory", startDelay: startDelay)
    do throws(HeartbeatTimingError) {
      guardConfiguration = GuardConfiguration(
        takeover: takeover, timing: try HeartbeatTiming(interval: interval, staleAfter: rule),
        silentPushTask: wallet.silentPushTask)
    } catch { exitWithSentence(.wrongUsage, error.description) }
  }
}

extension WalletOptions {
  fileprivate static func peer(_ parsed: ParsedCommandLine) -> PeerAddress? {
    if let file = parsed.text("--peer-file") {
      guard let address = PeerAddress(file: file) else {
        exitWithSentence(
          .badConfiguration,
          "\(file) has no peer address; start lspd, which writes it, or use --peer")
      }
      return address
    }
    return parsed.text("--peer").map { text in
      guard let address = PeerAddress(text) else {
        exitWithSentence(
          .wrongUsage, "--peer has a node id that is not on the curve; copy the whole address again")
      }
      return address
    }
  }
}
