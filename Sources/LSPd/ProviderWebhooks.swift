import DaemonRuntime
import Ground
import LightningProvider
import Lightning

// The wallets' webhooks: calls and the control socket's orders.
extension Provider {
  func carryOut(_ order: WebhookOrder, of wallet: ServedWallet) {
    switch order {
    case .cancel(let call): webhookCaller.cancel(call, of: wallet.number)
    case .call(let call):
      do {
        let timestamp = try WebhookTables.timestamp(of: call.number, wallet.number, ledger.database)
        webhookCaller.call(call, of: wallet.number, at: timestamp) { [weak wallet] outcome in
          wallet?.runner.handle(.webhookCalled(call: call.number, outcome))
        }
      } catch { fail(error) }
    }
  }

  /// A user's order. `lsps5.payment_incoming` comes with a payment alone.
  func orderNotification(_ message: ControlMessage, of asked: ServedWallet, for client: UnixConnection) throws
  {
    let orderable: [WebhookNotification.Method] = [
      .expirySoon, .liquidityManagementRequest, .onionMessageIncoming,
    ]
    guard let method = orderable.first(where: { $0.rawValue == message["method"] }) else {
      throw ControlMessageError.badValue(
        name: "method", expected: orderable.map(\.rawValue).joined(separator: ", "))
    }
    let timeout = try message.integerIfPresent("timeout", in: UInt32(0)...UInt32.max)
    guard let notification = WebhookNotification(method, timeout: timeout) else {
      throw ControlMessageError.badValue(
        name: "timeout",
        expected: "a block height with \(WebhookNotification.Method.expirySoon.rawValue) alone")
    }
    let wallet = try wallet(namedIn: message, for: asked)
    guard wallet.runner.core.mayNotify() else {
      client.send(
        .error(
          wallet.runner.core.hasWebhooks
            ? "the wallet is connected, and hears by itself what waits for it; quit the app first"
            : "the wallet has no webhook; register one with `baton webhook set`"))
      return
    }
    let before = wallet.runner.core.state.webhooks?.calls.count ?? 0
    wallet.runner.handle(.notificationOrdered(notification))
    let calls = (wallet.runner.core.state.webhooks?.calls.count ?? 0) - before
    client.send(ControlMessage("ok", ["method": method.rawValue, "calls": "\(calls)"]))
  }
}
