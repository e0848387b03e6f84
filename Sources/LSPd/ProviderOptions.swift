import Ground
import Crypto
import DaemonRuntime
import LightningWire
import PeerTransport

/// What lspd is told on its command line.
struct ProviderOptions {
  static let declaration = CommandLineDeclaration(
    name: "lspd",
    summary: "The Lightning peer and service provider: holds payments for a wallet that is away.",
    options: [
      OptionDeclaration("--home", value: .path("DIR"), default: "./.baton", help: "the phone's directory"),
      OptionDeclaration(
        "--listen", value: .hostAndPort,
        help: "where wallets connect; by default the address of the last run, or any free port of 127.0.0.1"),
      OptionDeclaration(
        "--hold-seconds", value: .integer(0...86_400), default: "60",
        help: "how long a payment waits for a wallet that is away"),
      OptionDeclaration(
        "--silent-pushes", help: "after each visible push send a silent one, which may wake the app"),
      OptionDeclaration(
        "--arrival-delay", value: .span, default: "0s",
        help: "how long a payment of the wallet's takes through the network to its recipient"),
      OptionDeclaration(
        "--no-splices", help: "go along with no splice: the wallet's money stays in the channel"),
      OptionDeclaration(
        "--splice-delay", value: .span, default: "0s",
        help: "how long it takes to sign for a splice; the wallet waits 30 s for any word"),
      OptionDeclaration(
        "--wallet", value: .text("NODEID"),
        help: "the node that the channel is with; else it is the first that comes with a claim"),
      OptionDeclaration(
        "--wallet-file", value: .path("FILE"),
        help: "where that node's id will stand when the wallet has one; until then no node has the channel"),
      OptionDeclaration("--legacy", help: "know no epochs: the newest connection wins"),
    ] + ConnectionOptions.declarations,
    examples: [("lspd --home .baton", "serve the phone of that directory")])

  let home: String
  let listen: HostAndPort?
  let hold: TimeSpan
  let externalDelay: TimeSpan
  let splices: Bool
  let spliceDelay: TimeSpan
  let isLegacy: Bool
  /// Nil: the ledger says it, or the first that comes with a claim.
  let wallet: PublicKey?
  /// Read until it says which.
  let walletFile: String?
  let sendsSilentPushes: Bool
  let rules: ConnectionRules

  init(_ parsed: ParsedCommandLine) {
    home = parsed.text("--home") ?? "./.baton"
    listen = parsed.hostAndPort("--listen")
    hold = .seconds(parsed.integer("--hold-seconds") ?? 60)
    sendsSilentPushes = parsed.isGiven("--silent-pushes")
    externalDelay = parsed.span("--arrival-delay") ?? .zero
    splices = !parsed.isGiven("--no-splices")
    spliceDelay = parsed.span("--splice-delay") ?? .zero
    isLegacy = parsed.isGiven("--legacy")
    walletFile = parsed.text("--wallet-file")
    wallet = parsed.text("--wallet").map { text in
      guard let node = PublicKey(hex: text) else {
        exitWithSentence(
          .wrongUsage, "--wallet must be the 66 hexadecimal digits of a node's id; copy it again, all of it")
      }
      return node
    }
    rules = ConnectionRules(parsed)
  }

  var directory: String { "\(home)/lsp" }
  var ledger: String { "\(directory)/ledger.sqlite" }
  var socket: String { "\(directory)/lspd.sock" }
  var nodeKey: String { "\(directory)/node-key" }
  var address: String { "\(directory)/address" }
  var journal: String { "\(home)/journal" }
  var phoneSocket: String { "\(home)/os/iosd.sock" }
}
