// Guardrails/Profiles: the wallets that Baton can stand for. Two wallets differ in their extension, in the form of their
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

extension WalletProfile {
  /// Bitkit: the extension decrypts the push and tells the user, who opens the app, which receives.
  public static let bitkit = WalletProfile(
    name: "bitkit", sentence: "the extension only notifies, and has no node; the app receives",
    extension: .telling, pushForm: .bitkit,
    texts: NotificationTexts(
      // What the real wallet shows for a push that it cannot decrypt.
      unreadable: .urgent("Bitkit", "Open Bitkit to check for new activity"),
      announced: AnnouncedTexts(
        heldPayment: .urgent("Payment Incoming", "Open now to receive - funds are being held"),
        // Without a hold nothing is being held, so the text promises what the server's own text does.
        payment: .urgent("Payment Incoming", "Open Bitkit to receive"),
        paymentOpeningChannel: .urgent("Payment Incoming", "Open now to receive via new channel"),
        paidOrder: .urgent("Channel Ready", "Open Bitkit to complete setup"),
        mutualClose: .urgent("Channel Closed", "Funds moved to savings"))),
    silentPushTask: "ProcessIncomingHTLC", urlScheme: "bitkit", pollTask: paykitPoll)

  public static let paykitPoll = "to.bitkit.paykit.poll"
}

extension WalletProfile {
  /// Phoenix: the extension receives the payment while the app is closed.
  public static let phoenix = WalletProfile(
    name: "phoenix", sentence: "the extension has a node and receives", extension: .receiving,
    pushForm: .phoenix,
    texts: NotificationTexts(
      unreadable: NotificationContent.note("Wallet", "Open the wallet to check for new activity.")),
    silentPushTask: nil, urlScheme: nil)
}

/// The texts in which wallets differ; all others are the same in each.
public struct NotificationTexts: Hashable, Sendable {
  /// For a push that cannot be read, or is for another wallet.
  let unreadable: NotificationContent
  /// nil for a wallet whose pushes announce nothing.
  let announced: AnnouncedTexts?

  init(unreadable: NotificationContent, announced: AnnouncedTexts? = nil) {
    self.unreadable = unreadable
    self.announced = announced
  }
}

/// One text for each kind of announcement.
struct AnnouncedTexts: Hashable, Sendable {
  let heldPayment: NotificationContent
  let payment: NotificationContent
  let paymentOpeningChannel: NotificationContent
  let paidOrder: NotificationContent
  let mutualClose: NotificationContent

  func text(of announcement: Announcement) -> NotificationContent {
    switch announcement.kind {
    case .incomingHtlc: announcement.isHeld ? heldPayment : payment
    case .cjitPaymentArrived: paymentOpeningChannel
    case .orderPaymentConfirmed: paidOrder
    case .mutualClose: mutualClose
    }
  }
}
