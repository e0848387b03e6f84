import CoreShape
import DaemonRuntime
import Lightning

/// Makes an invoice on the wallet.
enum InvoiceVerb: Verb {
  static let amountMsatMax: UInt64 = 2_100_000_000_000_000_000

  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "invoice",
      summary: "make an invoice on the wallet and print it. Its form is Baton's own; BOLT 11 comes later",
      options: [
        OptionDeclaration("--text", value: .text("TEXT"), help: "what it is for, up to 200 bytes"),
        OptionDeclaration("--expiry", value: .span, default: "1h", help: "how long it can be paid"),
      ],
      positionals: [
        PositionalDeclaration(
          "AMOUNT", value: .text("AMOUNT"), help: "in satoshi, or with msat behind it: 5000, 1500msat")
      ],
      examples: [
        ("baton invoice 5000 --text Coffee", "ask for 5,000 sat; the app must be open"),
        ("baton pay $(baton invoice 21)", "and pay it"),
      ])
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let amount = try amountMsat(invocation.word())
    let seconds = try expirySeconds(invocation.line.span("--expiry") ?? .seconds(3600))
    var message = ControlMessage("invoice", ["amount-msat": "\(amount)", "expiry-seconds": "\(seconds)"])
    if let text = invocation.line.text("--text") {
      guard text.utf8.count <= InvoiceText.textLimit else {
        throw CommandFailure(
          .wrongUsage, "--text has \(text.utf8.count) bytes and may have \(InvoiceText.textLimit); shorten it"
        )
      }
      message["description"] = text
    }
    let answer = try invocation.phone.ask(.iosd, message)
    let word = answer["invoice"] ?? ""
    let invoice: InvoiceText
    do throws(InvoiceTextError) {
      invoice = try InvoiceText(decoding: word)
    } catch { throw CommandFailure(.bugOfOurs, "the wallet answered with what is no invoice: \(error)") }
    invocation.output.say(word, json: json(word, invoice))
    return .done
  }

  static func amountMsat(_ word: String) throws(CommandFailure) -> UInt64 {
    let isMsat = word.hasSuffix("msat")
    let digits = isMsat ? String(word.dropLast(4)) : word.hasSuffix("sat") ? String(word.dropLast(3)) : word
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt64(digits)
    else {
      throw CommandFailure(
        .wrongUsage,
        "AMOUNT must be a whole number of sat, or of msat such as 1500msat, not `\(word.onOneLine)`")
    }
    let (amount, overflowed) = number.multipliedReportingOverflow(by: isMsat ? 1 : 1000)
    guard !overflowed, amount >= 1, amount <= amountMsatMax else {
      throw CommandFailure(
        .wrongUsage, "AMOUNT must be at least 1 msat and at most 21 million bitcoin, not `\(word.onOneLine)`")
    }
    return amount
  }

  private static func expirySeconds(_ span: Span) throws(CommandFailure) -> Int64 {
    let seconds = span.nanoseconds / 1_000_000_000
    guard (1...31_536_000).contains(seconds) else {
      throw CommandFailure(.wrongUsage, "--expiry must be from 1s to one year (365d)")
    }
    return seconds
  }

  private static func json(_ word: String, _ invoice: InvoiceText) -> JSONObject {
    var object = JSONObject()
    object.set("invoice", word)
    object.set("payment_hash", invoice.paymentHash.hex)
    object.set("amount_msat", invoice.amountMsat)
    object.set("text", invoice.text)
    object.set("expires_at", invoice.expiresAt)
    return object
  }
}
