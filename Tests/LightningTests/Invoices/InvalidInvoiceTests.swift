@testable import Lightning

/// BOLT 11, "Examples of Invalid Invoices": each under its heading there, with the reason that we find.
@Suite("BOLT 11, examples of invalid invoices") struct InvalidInvoiceTests {
  @Test(
    arguments: [
      (
        "BOLT 11, coffee beans: Same, but adding invalid unknown feature 100", InvoiceExample.feature100,
        .unknownFeature(100)
      ),
      ("Bech32 checksum is invalid.", InvoiceExample.badChecksum, .checksumIsWrong),
      ("Malformed bech32 string (no 1)", InvoiceExample.noSeparator, .notAnInvoice),
      ("Malformed bech32 string (no 1)", "lnbc2500u" + InvoiceExample.noSeparator, .noSeparator),
      ("Malformed bech32 string (mixed case)", InvoiceExample.mixedCase, .mixedCase),
      ("Signature is not recoverable.", InvoiceExample.noSigner, .signerIsUnknown),
      ("String is too short.", InvoiceExample.tooShort, .tooShort),
      ("Invalid multiplier", InvoiceExample.badMultiplier, .amountIsMalformed),
      ("Invalid sub-millisatoshi precision.", InvoiceExample.subMillisatoshi, .amountIsNoWholeMsat),
      ("Missing required s field.", InvoiceExample.noSecret, .missing(.paymentSecret)),
      (
        "Non canonical signature (high-S) with 'n' field defined", InvoiceExample.highSWithPayee,
        .signatureIsWrong
      ),
    ] as [(String, String, InvoiceError)])
  func `An example is refused with its reason`(heading: String, encoded: String, reason: InvoiceError) {
    expect(invoiceFailure(encoded), is: reason, "\(heading)")
  }

  @Test func `The refusal of an unknown feature names it`() {
    #expect("\(InvoiceError.unknownFeature(100))".contains("feature 100"))
  }
}
