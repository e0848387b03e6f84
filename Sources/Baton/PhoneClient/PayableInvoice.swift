import Crypto
import DaemonRuntime
import Ground
import Lightning

/// The fields of an invoice that a sender needs, after the check that it can be paid here.
package struct PayableInvoice: Hashable {
  /// As it was typed.
  package let text: String
  package let paymentHash: Bytes32
  package let amountMsat: UInt64
  package let payee: PublicKey
  package let paymentSecret: Bytes32
  /// The payee supports `basic_mpp`.
  package let mayComeInParts: Bool
  package let expiresAtWallSeconds: Int64

  private static let network = BitcoinNetwork.regtest
  private static let served = [Features.varOnionOptin, Features.paymentSecret, Features.basicMPP]

  /// `wallNanoseconds` is the sender's clock, not the phone's. Nil: the sender looks itself whether the invoice has
  /// expired, before each attempt.
  package init(
    typed word: String, amountMsat chosen: UInt64? = nil, at wallNanoseconds: Int64?
  ) throws(CommandFailure) {
    let invoice = try SignedInvoice(typed: word)
    try require(
      invoice.fields.network == Self.network, .wrongUsage,
      "the invoice is for \(invoice.fields.network.rawValue), but this phone's wallet is on \(Self.network.rawValue); pay it with another wallet"
    )
    let now = wallNanoseconds.map { $0 / 1_000_000_000 }
    if let now, invoice.fields.isExpired(atWallSeconds: now) {
      throw CommandFailure(
        .wrongUsage,
        "the invoice expired \(HumanText.age(fromSeconds: invoice.fields.expiresAt, to: now)) ago; ask for a new one"
      )
    }
    if let bit = invoice.fields.features.bits.first(where: {
      $0.isMultiple(of: 2) && !Self.served.contains($0)
    }) {
      throw CommandFailure(
        .wrongUsage,
        "the invoice requires \(Features.nameInInvoices(of: bit) ?? "feature \(bit)"), which is not supported; pay it with another wallet"
      )
    }
    try self.init(invoice, word, chosen: chosen)
  }

  private init(_ invoice: SignedInvoice, _ text: String, chosen: UInt64? = nil) throws(CommandFailure) {
    self.text = text
    amountMsat = try invoice.amountMsat(chosen: chosen)
    paymentHash = invoice.paymentHash
    payee = invoice.payee
    paymentSecret = invoice.fields.paymentSecret
    mayComeInParts = invoice.fields.features.offers(Features.basicMPP)
    expiresAtWallSeconds = invoice.fields.expiresAt
  }

  /// Asks the phone's app for a new invoice.
  package init(
    madeBy phone: Phone, amountMsat: UInt64, expiresAfter: TimeSpan = .seconds(86_400), text: String = "",
    timeout: TimeSpan = .seconds(30)
  ) throws {
    let answer = try phone.askApp(
      ControlMessage(
        "invoice",
        [
          "amount-msat": "\(amountMsat)", "expiry-seconds": "\(expiresAfter.wholeMilliseconds / 1000)",
          "description": text,
        ]), timeout: timeout)
    try self.init(madeByWallet: answer["invoice"] ?? "")
  }

  /// The invoice that this phone's wallet has just made.
  package init(madeByWallet word: String) throws(CommandFailure) {
    try self.init(SignedInvoice(madeByWallet: word), word)
  }
}

extension SignedInvoice {
  private static let scheme = "lightning:"

  /// Parses an invoice as pasted: with spaces around it, or the prefix `lightning:`.
  package init(typed word: String) throws(CommandFailure) {
    var text = word.drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    if text.prefix(Self.scheme.count).lowercased() == Self.scheme { text = text.dropFirst(Self.scheme.count) }
    do throws(InvoiceError) {
      try self.init(decoding: String(text))
    } catch { throw CommandFailure(.wrongUsage, error.description) }
  }

  /// The amount to pay: the invoice's, or else the payer's.
  package func amountMsat(chosen: UInt64?) throws(CommandFailure) -> UInt64 {
    switch (amountMsat, chosen) {
    case (nil, nil):
      throw CommandFailure(.wrongUsage, "the invoice has no amount; add --amount")
    case (let asked?, _?):
      throw CommandFailure(
        .wrongUsage, "the invoice has an amount of \(HumanText.amount(msat: asked)); omit --amount")
    case (let asked?, nil): return asked
    case (nil, let chosen?): return chosen
    }
  }

  package init(madeByWallet word: String) throws(CommandFailure) {
    do throws(InvoiceError) {
      try self.init(decoding: word)
    } catch { throw CommandFailure(.bugOfOurs, "the answer has an invalid invoice: \(error)") }
  }
}

extension HumanText {
  /// The time between two seconds.
  package static func age(fromSeconds start: Int64, to end: Int64) -> String {
    let (seconds, overflowed) = end.subtractingReportingOverflow(start)
    if overflowed { return "long" }
    return seconds < 1
      ? "less than a second" : span(TimeSpan(nanoseconds: min(seconds, 9_000_000_000) * 1_000_000_000))
  }
}

// The sender's request to lspd.
extension PayableInvoice {
  /// The whole payment, or a part of it, under an id that no other attempt has: by it lspd finds the attempt after the
  /// connection broke.
  package func payRequest(partMsat: UInt64? = nil, waits: Bool, holdSeconds: Int64? = nil) -> ControlMessage {
    var message = ControlMessage(
      "pay",
      [
        "payment-hash": paymentHash.hex, "amount-msat": "\(partMsat ?? amountMsat)",
        "payment-secret": paymentSecret.hex, "total-msat": "\(amountMsat)", "payee": payee.hex,
        "attempt-id": (Bytes32(randomBytes(Bytes32.size)) ?? .zero).hex, "wait": waits ? "yes" : "no",
      ])
    if let holdSeconds { message["hold-seconds"] = "\(holdSeconds)" }
    return message
  }

  /// Splits into parts of about equal size, in whole satoshi where possible; nil if the amount is too small.
  package static func amounts(of totalMsat: UInt64, in count: UInt64) -> [UInt64]? {
    guard count > 0, totalMsat >= count else { return nil }
    let unit: UInt64 = totalMsat / count >= 1000 ? 1000 : 1
    let each = totalMsat / count / unit * unit
    return [UInt64](repeating: each, count: Int(count) - 1) + [totalMsat - each * (count - 1)]
  }
}
