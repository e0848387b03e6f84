import DaemonRuntime
import Ground
import Guardrails

/// The command line of `notifyonlyd`.
struct NotifyOptions {
  var wallet: WalletProfile
  var container: String
  var keychain: String
  /// The access group of the key in the phone's keychain; nil when the key is a file.
  var keychainGroup: String?
  var journal: String
  var phoneClock: String?
  /// Injected faults: at most so long the keychain's answer and the opening of a payload are delayed, at random.
  var keychainDelay: TimeSpan
  var openDelay: TimeSpan
  /// So much longer each record takes to be stored, as on a slow disk.
  var storeDelay: TimeSpan
  var fault: ExtensionFault?

  private static let wallets = WalletProfile.all.filter { $0.extension == .telling }

  static let declarations: [OptionDeclaration] =
    [
      OptionDeclaration(
        "--wallet", value: .choice(wallets.map(\.name)), default: wallets.first?.name,
        help: "which wallet this is: the form of its pushes and its texts"),
      OptionDeclaration(
        "--container", value: .path("DIR"), default: "AppGroup",
        help: "the App Group directory, where announced payments are stored"),
      OptionDeclaration(
        "--keychain", value: .path("DIR"), default: "Keychain", help: "where the file push-key is"),
      OptionDeclaration(
        "--keychain-group", value: .text("GROUP"),
        help: "started by iosd: the key is in the phone's keychain, in this access group"),
      OptionDeclaration(
        "--journal", value: .path("DIR"), default: "journal", help: "where to write the journal"),
      OptionDeclaration(
        "--clock", value: .path("FILE"), help: "the phone's clock, as iosd writes it; default: the kernel's"),
      OptionDeclaration(
        "--push", value: .path("FILE"), mayRepeat: true,
        help: "started by hand: tell what this payload (.apns) announces, then end; several are told in order"
      ),
      OptionDeclaration(
        "--fault-keychain-delay", value: .span, default: "0s",
        help: "fault injection: delay each answer of the keychain by a random time up to this"),
      OptionDeclaration(
        "--fault-open-delay", value: .span, default: "0s",
        help: "fault injection: delay the opening of each payload by a random time up to this"),
      OptionDeclaration(
        "--fault-store-delay", value: .span, default: "0s",
        help: "fault injection: storing each announced payment takes so much longer, as on a slow disk"),
    ] + ExtensionFault.declarations

  init(_ parsed: ParsedCommandLine) {
    wallet = parsed.text("--wallet").flatMap { WalletProfile(named: $0) } ?? .bitkit
    container = parsed.text("--container") ?? "AppGroup"
    keychain = parsed.text("--keychain") ?? "Keychain"
    keychainGroup = parsed.text("--keychain-group")
    journal = parsed.text("--journal") ?? "journal"
    phoneClock = parsed.text("--clock")
    keychainDelay = parsed.span("--fault-keychain-delay") ?? .zero
    openDelay = parsed.span("--fault-open-delay") ?? .zero
    storeDelay = parsed.span("--fault-store-delay") ?? .zero
    fault = ExtensionFault(parsed)
  }
}
