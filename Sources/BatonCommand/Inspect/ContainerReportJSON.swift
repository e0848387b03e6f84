import JSON
import DaemonRuntime
import Guardrails
import SharedContainer

/// The report for programs.
extension ContainerReport {
  var json: JSONObject {
    var object = JSONObject()
    object.set("directory", snapshot.directory)
    object.set("in_use", snapshot.isLive)
    object.set("container", ifPresent: snapshot.container.map(Self.hex))
    object.set("schema", snapshot.schemaVersion)
    object.set("holder", raw: holderJSON.text)
    object.set("app_wants_node", snapshot.appWantsNode)
    object.set("writer", ifPresent: snapshot.writer?.pid)
    object.set("writes", snapshot.writes.count)
    object.set("older_claims", snapshot.hasOlderClaims)
    object.set("claims", raw: list(snapshot.claims.map(claimJSON)))
    object.set("locks", raw: locksJSON.text)
    object.set("heartbeat", raw: beatsJSON.text)
    object.set("channels", raw: list(wallet.channels.map(channelJSON)))
    object.set("invoices", raw: list(wallet.invoices.map(invoiceJSON)))
    let count = wallet.count(of: "received_payments")
    object.set("payments_count", count.number)
    object.set("payments_count_is_exact", count.isExact)
    object.set("payments", raw: list(wallet.payments.map(paymentJSON)))
    object.set("sent", raw: list(wallet.sent.map(sentJSON)))
    object.set("splices", raw: list(wallet.splices.map(spliceJSON)))
    object.set("every_page_checked", snapshot.hasCheckedPages)
    object.set("problems", problems)
    return object
  }

  var holderJSON: JSONObject {
    var object = JSONObject()
    object.set("verdict", verdict.word)
    object.set("sentence", holderSentence)
    guard let claim = snapshot.claims.last else { return object }
    object.set("epoch", claim.row.epoch)
    object.set("role", claim.row.role.rawValue)
    object.set("pid", claim.row.process.pid)
    object.set("reason", ClaimReason(stored: claim.reason)?.rawValue ?? claim.reason)
    object.set("because", words(claim))
    object.set("claimed_wall_ns", claim.wallClockNanoseconds)
    object.set("claimed_ms_ago", ifPresent: heldFor?.wholeMilliseconds)
    object.set("lock_held", !snapshot.lock(of: claim.row.role).holders.isEmpty)
    if let beat = ownerBeat {
      object.set("phase", beat.phase.word)
      object.set("beat_counter", beat.counter)
    }
    return object
  }

  private func list(_ objects: [JSONObject]) -> String { "[\(objects.map(\.text).joined(separator: ","))]" }

  private func spliceJSON(_ splice: WalletView.SpliceFacts) -> JSONObject {
    var object = JSONObject()
    object.set("txid", splice.transaction)
    object.set("state", splice.state)
    object.set("amount_sat", splice.amountSat)
    object.set("fee_sat", splice.feeSat)
    return object
  }

  private func sentJSON(_ payment: WalletView.SentFacts) -> JSONObject {
    var object = JSONObject()
    object.set("id", payment.id)
    object.set("payment_hash", payment.paymentHash)
    object.set("amount_msat", payment.amountMsat)
    object.set("state", payment.state)
    object.set("preimage", ifPresent: payment.preimage)
    object.set("failure_code", ifPresent: payment.failureCode)
    object.set("begun_epoch", payment.begunEpoch)
    object.set("ended_epoch", ifPresent: payment.endedEpoch)
    object.set("begun_wall_ns", payment.begunWallNanoseconds)
    return object
  }

  private func claimJSON(_ claim: ClaimRecord) -> JSONObject {
    var object = JSONObject()
    object.set("epoch", claim.row.epoch)
    object.set("role", claim.row.role.rawValue)
    object.set("pid", claim.row.process.pid)
    object.set("start_time", claim.row.process.startTime)
    object.set("incarnation", claim.row.incarnation)
    object.set("seen_epoch", claim.seen)
    object.set("reason", ClaimReason(stored: claim.reason)?.rawValue ?? claim.reason)
    object.set("because", words(claim))
    object.set("claimed_wall_ns", claim.wallClockNanoseconds)
    return object
  }

  private var locksJSON: JSONObject {
    var object = JSONObject()
    for (name, lock) in [
      ("app", snapshot.appLock), ("extension", snapshot.extensionLock), ("app_wish", snapshot.appWish),
    ] {
      var facts = JSONObject()
      facts.set("exists", lock.exists)
      facts.set("holders", raw: "[\(lock.holders.map(String.init).joined(separator: ","))]")
      object.set(name, raw: facts.text)
    }
    return object
  }

  private var beatsJSON: JSONObject {
    var object = JSONObject()
    for beat in [snapshot.appBeat, snapshot.extensionBeat].compactMap({ $0 }) {
      var facts = JSONObject()
      facts.set("epoch", beat.epoch)
      facts.set("phase", beat.phase.word)
      facts.set("counter", beat.counter)
      facts.set("pid", beat.process.pid)
      facts.set("wall_ns", beat.wallClockNanoseconds)
      object.set(beat.role.rawValue, raw: facts.text)
    }
    return object
  }

  private func channelJSON(_ channel: WalletView.ChannelFacts) -> JSONObject {
    var object = JSONObject()
    object.set("id", channel.id)
    object.set("local_msat", channel.localMsat)
    object.set("remote_msat", channel.remoteMsat)
    object.set("revision", channel.revision)
    object.set("htlcs", channel.openHTLCs)
    return object
  }

  private func invoiceJSON(_ invoice: WalletView.InvoiceFacts) -> JSONObject {
    var object = JSONObject()
    object.set("payment_hash", invoice.paymentHash)
    object.set("amount_msat", invoice.amountMsat)
    object.set("text", invoice.text)
    object.set("expires_at", invoice.expiresAt)
    object.set("paid", invoice.isPaid)
    object.set("cancelled", invoice.isCancelled)
    return object
  }

  private func paymentJSON(_ payment: WalletView.PaymentFacts) -> JSONObject {
    var object = JSONObject()
    object.set("id", payment.id)
    object.set("payment_hash", payment.paymentHash)
    object.set("amount_msat", payment.amountMsat)
    object.set("epoch", payment.epoch)
    object.set("received_wall_ns", payment.wallNanoseconds)
    return object
  }
}
