import Ground
import Crypto
import DaemonRuntime
import Lightning
import LightningProvider
import LightningIO

/// lspd's command line.
struct ProviderOptions {
  static let declaration = CommandLineDeclaration(
    name: "lspd",
    summary:
      "The wallet's peer, a Lightning service provider: holds payments while the wallet is disconnected.",
    options: [
      OptionDeclaration(
        "--listen", value: .hostAndPort,
        help: "where wallets connect; by default the address of its last start, or any free port of 127.0.0.1"
      ),
      OptionDeclaration(
        "--push-form", value: .choice(PushForm.allCases.map(\.rawValue)), default: PushForm.phoenix.rawValue,
        help:
          "which pushes announce a payment: Phoenix's, in clear; or Bitkit's, a silent one in clear and an alert sealed to the wallet's key"
      ),
      OptionDeclaration(
        "--wallet", value: .text("NODEID"),
        help: "the wallet's node id; by default the first node whose init has a fence"),
      OptionDeclaration(
        "--wallet-file", value: .path("FILE"),
        help: "the file that the wallet writes its node id to; until it has, no node gets the channel"),
      OptionDeclaration(
        "--webhooks", value: .choice(WebhookReach.allCases.map(\.rawValue)),
        help:
          "which webhooks (LSPS5) wallets may register: http and https URLs of this machine (default, if wallets connect on 127.0.0.1 alone); public https ones; or none (else the default)"
      ),
      OptionDeclaration(
        "--webhook-authorities", value: .path("FILE"),
        help: "the certificates that webhooks are checked by, in place of the system's"),
    ] + SettingsTable.options(of: .lspd),
    examples: [("lspd --home .baton", "be the peer of the phone in that directory")])

  private let parsed: ParsedCommandLine
  var listen: HostAndPort? { parsed.hostAndPort("--listen") }
  var hold: TimeSpan {
    // Bitkit's plan has 10 to 25 s. Phoenix's LSP tells no time.
    .seconds(parsed.integer("--hold-seconds") ?? (pushStrategy == .bitkit ? 25 : 60))
  }
  var externalDelay: TimeSpan { parsed.time("--arrival-delay") }
  var splices: Bool { !parsed.isGiven("--no-splices") }
  var spliceDelay: TimeSpan { parsed.time("--splice-delay") }
  var storageDelay: TimeSpan { parsed.time("--storage-delay") }
  var isLegacy: Bool { parsed.isGiven("--legacy") }
  /// Nil: the ledger has it, or the first node whose `init` has a fence becomes it.
  let wallet: PublicKey?
  /// Read until it has the wallet's node id.
  var walletFile: String? { parsed.text("--wallet-file") }
  var pushStrategy: PushForm { parsed.word("--push-form", as: PushForm.self) }
  /// Bitkit's silent push is sealed.
  var sealsSilentPush: Bool { parsed.isGiven("--sealed-silent-push") }
  var sendsSilentPushes: Bool { parsed.isGiven("--silent-pushes") }
  let rules: ConnectionRules
  /// Directories of other phones.
  var phones: [String] { parsed.all("--phone") }
  private(set) var webhooks: WebhookRules
  var webhookAuthorities: String? { parsed.text("--webhook-authorities") }
  var pushesToOwnPhone: Bool { !parsed.isGiven("--only-webhooks") }
  var hintsNeedToken: Bool { parsed.isGiven("--hint-token") }

  init(_ parsed: ParsedCommandLine) {
    self.parsed = parsed
    rules = ConnectionRules(parsed)
    wallet = parsed.text("--wallet").map { text in
      guard let node = PublicKey(hex: text) else {
        exitWithSentence(
          .wrongUsage, "--wallet must be the 66 hexadecimal digits of a node id; copy the whole id again")
      }
      return node
    }
    webhooks = WebhookRules(reach: .off, cooldown: parsed.time("--webhook-cooldown"))
    for (option, form) in [("--silent-pushes", PushForm.phoenix), ("--sealed-silent-push", .bitkit)]
    where parsed.isGiven(option) && pushStrategy != form {
      exitWithSentence(
        .wrongUsage, "\(option) is an option of --push-form \(form.rawValue); leave one of the two out")
    }
    if !phones.isEmpty, isLegacy {
      exitWithSentence(
        .wrongUsage,
        "--legacy ignores the claims that tell several wallets apart; leave it or --phone out")
    }
    let place = listen ?? AddressFile(path: "\(home)/lsp/address").read()?.place
    let isLocal = place?.isLoopback ?? true
    let reach = parsed.text("--webhooks").flatMap { WebhookReach(rawValue: $0) }
    if reach == .loopback, !isLocal {
      exitWithSentence(
        .wrongUsage,
        "--webhooks loopback would let wallets of other machines call services of this one; use --webhooks public or off, or --listen 127.0.0.1:0"
      )
    }
    webhooks.reach = reach ?? (isLocal ? .loopback : .off)
  }

  var home: String { parsed.text("--home") ?? "./.baton" }
  var directory: String { "\(home)/lsp" }
  var ledger: String { "\(directory)/ledger.sqlite" }
  var socket: String { "\(directory)/lspd.sock" }
  var nodeKey: String { "\(directory)/node-key" }
  var address: String { "\(directory)/address" }
  /// The URL for senders.
  var http: String { "\(directory)/http" }
  /// The token of this run's senders.
  var httpToken: String { "\(directory)/http-token" }
  var accessLog: String { "\(directory)/access.jsonl" }
  var journal: String { "\(home)/journal" }
  /// The phone of the home counts as registered for its wallet, unless only webhooks do.
  var ownPhoneSocket: String? { pushesToOwnPhone ? "\(home)/os/iosd.sock" : nil }
}
