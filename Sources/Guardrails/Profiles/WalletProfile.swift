// WalletProfiles: the wallets that Baton can stand for. Two wallets differ in their extension, in the form of their
// pushes, in their texts and names; each is a value in a file of its own, so a third is a file and not a fork. Pure,
// and without Lightning: the extension that has no node links it.

import Ground

/// One wallet, as iOS, its LSP and the user know it.
public struct WalletProfile: Hashable, Sendable {
  /// The wallet's notification service extension.
  public enum Extension: String, Hashable, Sendable, CaseIterable {
    /// Has a node, and receives.
    case receiving = "notifyextd"
    /// Has none: it tells the user, and the app receives.
    case telling = "notifyonlyd"

    public var program: String { rawValue }
    public var hasNode: Bool { self == .receiving }
    /// The core under which its journal has its guard.
    public var guardName: String {
      switch self {
      case .receiving: ExtensionMachine.name
      case .telling: TellingExtensionMachine.name
      }
    }
  }

  /// The value of `--wallet`.
  public let name: String
  /// What is special about it, for help texts.
  public let sentence: String
  public let `extension`: Extension
  public let pushForm: PushForm
  public let texts: NotificationTexts
  /// The name of the background task in which the app answers a silent push; nil for a wallet that names none.
  public let silentPushTask: String?
  /// Links that open the app; nil for a wallet that registers none.
  public let urlScheme: String?
  /// The app's own background task that needs the node; nil for a wallet without one.
  public let pollTask: String?

  /// The first is the default.
  public static let all: [WalletProfile] = [.phoenix, .bitkit]

  public init?(named name: String) {
    guard let profile = Self.all.first(where: { $0.name == name }) else { return nil }
    self = profile
  }

  init(
    name: String, sentence: String, extension: Extension, pushForm: PushForm, texts: NotificationTexts,
    silentPushTask: String?, urlScheme: String?, pollTask: String? = nil
  ) {
    self.name = name
    self.sentence = sentence
    self.extension = `extension`
    self.pushForm = pushForm
    self.texts = texts
    self.silentPushTask = silentPushTask
    self.urlScheme = urlScheme
    self.pollTask = pollTask
  }
}
