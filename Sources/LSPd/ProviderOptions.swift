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

  let home: String
  let listen: HostAndPort?
  let hold: TimeSpan
  let externalDelay: TimeSpan
  let splices: Bool
  let spliceDelay: TimeSpan
  let storageDelay: TimeSpan
  let isLegacy: Bool
  /// Nil: the ledger has it, or the first node whose `init` has a fence becomes it.
  let wallet: PublicKey?
  /// Read until it has the wallet's node id.
  let walletFile: String?
  let pushStrategy: PushForm
  /// Bitkit's silent push is sealed.
  let sealsSilentPush: Bool
  let sendsSilentPushes: Bool
  let rules: ConnectionRules
  /// Directories of other phones.
  let phones: [String]
  let webhooks: WebhookRules
  let webhookAuthorities: String?
  let pushesToOwnPhone: Bool
  let hintsNeedToken: Bool

  init(_ parsed: ParsedCommandLine) {
    let home = parsed.text("--home") ?? "./.baton"
    self.home = home
    listen = parsed.hostAndPort("--listen")
    pushStrategy = parsed.word("--push-form", as: PushForm.self)
    hold = .seconds(parsed.integer("--hold-seconds") ?? Self.holdSeconds(pushStrategy))
    sealsSilentPush = parsed.isGiven("--sealed-silent-push")
    sendsSilentPushes = parsed.isGiven("--silent-pushes")
    for (option, form) in [("--silent-pushes", PushForm.phoenix), ("--sealed-silent-push", .bitkit)]
    where parsed.isGiven(option) && pushStrategy != form {
      exitWithSentence(
        .wrongUsage, "\(option) is an option of --push-form \(form.rawValue); leave one of the two out")
    }
    externalDelay = parsed.time("--arrival-delay")
    splices = !parsed.isGiven("--no-splices")
    spliceDelay = parsed.time("--splice-delay")
    storageDelay = parsed.time("--storage-delay")
    isLegacy = parsed.isGiven("--legacy")
    phones = parsed.all("--phone")
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
    webhooks = WebhookRules(
      reach: reach ?? (isLocal ? .loopback : .off), cooldown: parsed.time("--webhook-cooldown"))
    webhookAuthorities = parsed.text("--webhook-authorities")
    pushesToOwnPhone = !parsed.isGiven("--only-webhooks")
    hintsNeedToken = parsed.isGiven("--hint-token")
    walletFile = parsed.text("--wallet-file")
    wallet = parsed.text("--wallet").map { text in
      guard let node = PublicKey(hex: text) else {
        exitWithSentence(
          .wrongUsage, "--wallet must be the 66 hexadecimal digits of a node id; copy the whole id again")
      }
      return node
    }
    rules = ConnectionRules(parsed)
  }

  /// Bitkit's plan has 10 to 25 s. Phoenix's LSP tells no time.
  private static func holdSeconds(_ form: PushForm) -> Int64 {
    switch form {
    case .phoenix: 60
    case .bitkit: 25
    }
  }

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
