import DaemonRuntime
import Ground
import Guardrails

/// `--wallet`, the same for all verbs: which wallet the phone has.
package enum WalletOption {
  package static let name = "--wallet"

  /// The default of `--wallet` in a command of `baton scratch --wallet NAME`.
  package static let variable = "BATON_WALLET"

  package static var declaration: OptionDeclaration {
    OptionDeclaration(
      name, value: names,
      help:
        "\(WalletProfile.all.map { "\($0.name): \($0.sentence)" }.joined(separator: "; ")) (default \(WalletProfile.phoenix.name))"
    )
  }

  /// The wallet of a simulated world.
  package static func profile(_ line: ParsedCommandLine) -> WalletProfile {
    named(line.text(name)) ?? .phoenix
  }

  /// The wallet of a phone of real processes: the named one, else the one that its home has.
  package static func profileOfPhone(_ line: ParsedCommandLine, _ phone: Phone? = nil) throws -> WalletProfile
  {
    if let given = named(line.text(name)) { return given }
    if let phone, let kept = try HomeWallet.read(of: phone) { return kept }
    return named(try TypedArguments.environment(variable, names)) ?? .phoenix
  }

  /// What to add for an option of wallets whose payments are announced.
  package static var announcing: String {
    "\(name) \(WalletProfile.all.filter(\.pushForm.announces).map(\.name).joined(separator: "|"))"
  }

  private static var names: OptionValue { .choice(WalletProfile.all.map(\.name)) }

  private static func named(_ word: String?) -> WalletProfile? { word.flatMap(WalletProfile.init(named:)) }
}
