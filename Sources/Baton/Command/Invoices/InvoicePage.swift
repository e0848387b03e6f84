import Ground
import DaemonRuntime
import Lightning
import PhonePolicy

/// The fields of an invoice, as text or as JSON.
struct InvoicePage {
  let invoice: SignedInvoice

  private var fields: InvoiceFields { invoice.fields }
  private var expirySeconds: UInt64 { fields.expirySeconds ?? InvoiceFields.expirySecondsStandard }
  private var finalExpiryDelta: UInt64 { fields.finalExpiryDelta ?? InvoiceFields.finalExpiryDeltaStandard }

  // MARK: Text

  func rows(atWallSeconds now: Int64) -> [(String, String)] {
    var rows = [
      ("network", fields.network.rawValue),
      ("amount", fields.amountMsat.map { HumanText.amount(msat: $0) } ?? "chosen by the payer"), purpose,
      ("made", Self.time(Int64(clamping: fields.timestamp))), ("expires", expiry(now)),
      (
        "payee",
        "\(invoice.payee), \(fields.payee == nil ? "from the signature" : "named, and matching the signature")"
      ),
      ("payment hash", fields.paymentHash.hex), ("payment secret", fields.paymentSecret.hex),
      ("last HTLC", "expires after at least \(finalExpiryDelta) blocks"),
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
    case .hash(let hash): ("description hash", hash.hex)
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
    "\(hop.node) by channel \(hop.channel), fee \(hop.baseFeeMsat) msat and \(hop.feeMillionths) ppm, \(hop.expiryDelta) blocks"
  }

  // MARK: JSON

  /// The fields; times in seconds, as in BOLT 11.
  struct Document: Report {
    var invoice: String
    var network: String
    var paymentHash: String
    var paymentSecret: String
    var amountMsat: UInt64?
    var text: String?
    var textHash: String?
    var timestamp: UInt64
    var expirySeconds: UInt64
    var expiresAt: Int64
    var minFinalCltvExpiryDelta: UInt64
    var payee: String
    var features: [Feature]
    var routeHints: [[Hop]]
    var fallbacks: [String]
    var metadata: String?
    var signature: String
  }

  struct Feature: Report {
    var bit: Int
    var name: String?
    var required: Bool

    init(_ bit: Int) {
      self.bit = bit
      name = Features.nameInInvoices(of: bit)
      required = bit.isMultiple(of: 2)
    }
  }

  struct Hop: Report {
    var node: String
    var shortChannelId: String
    var feeBaseMsat: UInt32
    var feeProportionalMillionths: UInt32
    var cltvExpiryDelta: UInt16

    init(_ hop: RouteHop) {
      node = hop.node.hex
      shortChannelId = hop.channel.description
      feeBaseMsat = hop.baseFeeMsat
      feeProportionalMillionths = hop.feeMillionths
      cltvExpiryDelta = hop.expiryDelta
    }
  }

  var document: Document {
    var document = Document(
      invoice: invoice.encoded, network: fields.network.rawValue, paymentHash: fields.paymentHash.hex,
      paymentSecret: fields.paymentSecret.hex, amountMsat: fields.amountMsat, timestamp: fields.timestamp,
      expirySeconds: expirySeconds, expiresAt: fields.expiresAt, minFinalCltvExpiryDelta: finalExpiryDelta,
      payee: invoice.payee.hex, features: fields.features.bits.map(Feature.init),
      routeHints: fields.routeHints.map { $0.map(Hop.init) },
      fallbacks: fields.fallbacks.map { $0.text(on: fields.network) }, metadata: fields.metadata?.hex,
      signature: Hexadecimal.encode(invoice.signature.compact))
    switch fields.purpose {
    case .text(let text): document.text = text
    case .hash(let hash): document.textHash = hash.hex
    }
    return document
  }
}
