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
    node = NodeMachine.Configuration(
      rules: ConnectionRules(parsed), overTor: parsed.isGiven("--tor"),
      multiPartWindow: parsed.time("--multi-part-window"),
      keepsPartsInMemory: parsed.text("--keep-parts") == "memory", startDelay: parsed.time("--start-delay"))
    do throws(HeartbeatTimingError) {
      guardConfiguration = GuardConfiguration(
        takeover: parsed.word("--takeover", as: Takeover.self),
        timing: try HeartbeatTiming(
          interval: parsed.time("--beat-interval"), staleAfter: parsed.time("--stale-after")),
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
