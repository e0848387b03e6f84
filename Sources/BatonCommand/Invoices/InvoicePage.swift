import Ground
import JSON
import DaemonRuntime
import Lightning

/// An invoice, explained: in lines for people, or as JSON.
struct InvoicePage {
  let invoice: SignedInvoice

  private var fields: InvoiceFields { invoice.fields }
  private var expirySeconds: UInt64 { fields.expirySeconds ?? InvoiceFields.expirySecondsStandard }
  private var finalExpiryDelta: UInt64 {
    fields.finalExpiryDelta ?? InvoiceFields.finalExpiryDeltaStandard
  }

  // MARK: For people

  func rows(atWallSeconds now: Int64) -> [(String, String)] {
    var rows = [
      ("network", fields.network.rawValue),
      ("amount", fields.amountMsat.map { HumanText.amount(msat: $0) } ?? "as the payer likes"), purpose,
      ("made", Self.time(Int64(clamping: fields.timestamp))), ("expires", expiry(now)),
      ("payee", "\(invoice.payee), \(fields.payee == nil ? "by the signature" : "named, and signed by it")"),
      ("payment hash", fields.paymentHash.hex), ("payment secret", fields.paymentSecret.hex),
      ("last HTLC", "good for at least \(finalExpiryDelta) blocks"),
      ("features", fields.features.bits.map(Self.feature).joined(separator: ", ")),
    ]
    if fields.features.bits.isEmpty { rows[rows.count - 1].1 = "none" }
    for hint in fields.routeHints {
      rows.append(("through", hint.map(Self.sentence).joined(separator: ", then ")))
    }
    for address in fields.fallbacks { rows.append(("or on chain", address.text(on: fields.network))) }
    if let metadata = fields.metadata { rows.append(("metadata", metadata.hex)) }
    return rows
  }

  private var purpose: (String, String) {
    switch fields.purpose {
    case .text(let text): ("text", text)
    case .hash(let hash): ("hash of the text", hash.hex)
    }
  }

  private func expiry(_ now: Int64) -> String {
    let end = Self.time(fields.expiresAt)
    return fields.isExpired(atWallSeconds: now)
      ? "\(end), \(HumanText.age(fromSeconds: fields.expiresAt, to: now)) ago"
      : "\(end), in \(HumanText.age(fromSeconds: now, to: fields.expiresAt))"
  }

  private static func time(_ seconds: Int64) -> String {
    let (nanoseconds, overflowed) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflowed ? "after the year 2262" : WallClockText.write(nanoseconds)
  }

  private static func feature(_ bit: Int) -> String {
    let name = Features.nameInInvoices(of: bit) ?? "unknown"
    return "\(bit) \(name) (\(bit.isMultiple(of: 2) ? "required" : "optional"))"
  }

  private static func sentence(_ hop: RouteHop) -> String {
    "\(hop.node) by channel \(hop.channel) for \(hop.baseFeeMsat) msat and \(hop.feeMillionths) millionths, \(hop.expiryDelta) blocks"
  }

  // MARK: For programs

  var json: JSONObject {
    var object = JSONObject()
    object.set("invoice", invoice.encoded)
    object.set("network", fields.network.rawValue)
    object.set("payment_hash", fields.paymentHash.hex)
    object.set("payment_secret", fields.paymentSecret.hex)
    object.set("amount_msat", ifPresent: fields.amountMsat)
    switch fields.purpose {
    case .text(let text): object.set("text", text)
    case .hash(let hash): object.set("text_hash", hash.hex)
    }
    object.set("timestamp", fields.timestamp)
    object.set("expiry_seconds", expirySeconds)
    object.set("expires_at", fields.expiresAt)
    object.set("min_final_cltv_expiry_delta", finalExpiryDelta)
    object.set("payee", invoice.payee.hex)
    object.set("features", raw: list(fields.features.bits.map(Self.json)))
    object.set("route_hints", raw: list(fields.routeHints.map { list($0.map(Self.json)) }))
    object.set("fallbacks", fields.fallbacks.map { $0.text(on: fields.network) })
    object.set("metadata", ifPresent: fields.metadata?.hex)
    object.set("signature", Hexadecimal.encode(invoice.signature.compact))
    return object
  }

  private func list(_ elements: [String]) -> String { "[\(elements.joined(separator: ","))]" }

  private static func json(_ bit: Int) -> String {
    var object = JSONObject()
    object.set("bit", bit)
    object.set("name", ifPresent: Features.nameInInvoices(of: bit))
    object.set("required", bit.isMultiple(of: 2))
    return object.text
  }

  private static func json(_ hop: RouteHop) -> String {
    var object = JSONObject()
    object.set("node", hop.node.hex)
    object.set("short_channel_id", hop.channel.description)
    object.set("fee_base_msat", hop.baseFeeMsat)
    object.set("fee_proportional_millionths", hop.feeMillionths)
    object.set("cltv_expiry_delta", hop.expiryDelta)
    return object.text
  }
}
