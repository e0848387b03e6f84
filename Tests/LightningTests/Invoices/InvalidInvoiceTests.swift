import Testing

@testable import Lightning

/// BOLT 11, "Examples of Invalid Invoices": each under its heading there, with the reason that we find.
@Suite("BOLT 11, examples of invalid invoices")
struct InvalidInvoiceTests {
  private func failure(_ encoded: String) -> InvoiceError? {
    do throws(InvoiceError) {
      _ = try SignedInvoice(decoding: encoded)
      return nil
    } catch { return error }
  }

  @Test func `BOLT 11, coffee beans: Same, but adding invalid unknown feature 100`() {
    #expect(failure(InvoiceExample.feature100) == .unknownFeature(100))
    #expect("\(InvoiceError.unknownFeature(100))".contains("feature 100"))
  }

  @Test func `Bech32 checksum is invalid.`() {
    #expect(failure(InvoiceExample.badChecksum) == .checksumIsWrong)
  }

  @Test func `Malformed bech32 string (no 1)`() {
    #expect(failure(InvoiceExample.noSeparator) == .notAnInvoice)
    #expect(failure("lnbc2500u" + InvoiceExample.noSeparator) == .noSeparator)
  }

  @Test func `Malformed bech32 string (mixed case)`() {
    #expect(failure(InvoiceExample.mixedCase) == .mixedCase)
  }

  @Test func `Signature is not recoverable.`() {
    #expect(failure(InvoiceExample.noSigner) == .signerIsUnknown)
  }

  @Test func `String is too short.`() {
    #expect(failure(InvoiceExample.tooShort) == .tooShort)
  }

  @Test func `Invalid multiplier`() {
    #expect(failure(InvoiceExample.badMultiplier) == .amountIsMalformed)
  }

  @Test func `Invalid sub-millisatoshi precision.`() {
    #expect(failure(InvoiceExample.subMillisatoshi) == .amountIsNoWholeMsat)
  }

  @Test func `Missing required s field.`() {
    #expect(failure(InvoiceExample.noSecret) == .missing(.paymentSecret))
  }

  @Test func `Non canonical signature (high-S) with 'n' field defined`() {
    #expect(failure(InvoiceExample.highSWithPayee) == .signatureIsWrong)
  }
}
