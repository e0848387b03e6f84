import Crypto
import DaemonRuntime
import Ground
import HTTP
import LightningProvider
import Lightning

/// Posts signed notifications to the wallets' webhooks, in the event loop. A server that does not answer, and a name that
/// does not resolve, take one of the connections for ten seconds. A shell: it makes no decisions.
final class WebhookCaller {
  private struct Key: Hashable {
    var wallet: WalletNumber
    var call: UInt64
  }

  private static let answerWithin = TimeSpan.seconds(10)
  /// Beyond them calls wait, and their time runs: that takes 64 wallets at once with two silent servers each.
  private static let connectionsMax = 128

  private let loop: EventLoop
  private let key: PrivateKey
  private let reach: AddressReach
  private let authorities: String?
  /// Nil until the first call: most wallets have no webhooks.
  private var client: HTTPClient?
  private var underWay: [Key: UInt64] = [:]

  init(loop: EventLoop, key: PrivateKey, options: ProviderOptions) {
    self.loop = loop
    self.key = key
    reach = options.webhooks.reach == .anywhere ? .publicOnly : .loopback
    authorities = options.webhookAuthorities
  }

  /// `timestamp`: when the notification was made. Each attempt has the same, and so the same signature, by which a
  /// server knows one that it has had already.
  func call(
    _ call: WebhookCall, of wallet: WalletNumber, at timestamp: String,
    _ ended: @escaping (WebhookOutcome) -> Void
  ) {
    guard let client = client ?? (try? HTTPClient(loop: loop, connections: Self.connectionsMax)) else {
      return loop.post { ended(.unreachable) }
    }
    self.client = client
    let body = call.notification.body
    let signature = SignedMessage.sign(
      WebhookNotification.signedText(of: body, at: timestamp), with: key)
    let place = Key(wallet: wallet, call: call.number)
    underWay[place] = client.post(
      call.webhook.url,
      headers: [
        "Content-Type: application/json", "x-lsps5-timestamp: \(timestamp)",
        "x-lsps5-signature: \(signature)",
      ], body: body, to: reach, authorities: authorities, within: Self.answerWithin
    ) { [weak self] result in
      self?.underWay[place] = nil
      ended(WebhookOutcome(result))
    }
  }

  func cancel(_ call: UInt64, of wallet: WalletNumber) {
    if let number = underWay.removeValue(forKey: Key(wallet: wallet, call: call)) { client?.cancel(number) }
  }
}

extension WebhookOutcome {
  fileprivate init(_ result: Result<HTTPAnswer, HTTPFailure>) {
    switch result {
    case .success(let answer): self = .answered(status: answer.status)
    case .failure(.timedOut): self = .timedOut
    case .failure(.forbidden): self = .forbiddenAddress
    case .failure(.unreachable), .failure(.tooLarge): self = .unreachable
    }
  }
}
