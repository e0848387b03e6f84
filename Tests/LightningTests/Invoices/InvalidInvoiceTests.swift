import Testing

@testable import LightningInvoices

/// BOLT 11, "Examples of Invalid Invoices": each under its heading there, with the reason that we find.
@Suite("BOLT 11, examples of invalid invoices")
struct InvalidInvoiceTests {
  private func failure(_ encoded: String) -> InvoiceError? {
    do throws(InvoiceError) {
      _ = try SignedInvoice(decoding: encoded)
      return nil
    } catch { return error }
  }

  @Test("Same, but adding invalid unknown feature 100") func feature100() {
    #expect(failure(InvoiceExample.feature100) == .unknownFeature(100))
    #expect("\(InvoiceError.unknownFeature(100))".contains("feature 100"))
  }

  @Test("Bech32 checksum is invalid.") func checksum() {
    #expect(failure(InvoiceExample.badChecksum) == .checksumIsWrong)
  }

  @Test("Malformed bech32 string (no 1)") func noSeparator() {
    #expect(failure(InvoiceExample.noSeparator) == .notAnInvoice)
    #expect(failure("lnbc2500u" + InvoiceExample.noSeparator) == .noSeparator)
  }

  @Test("Malformed bech32 string (mixed case)") func mixedCase() {
    #expect(failure(InvoiceExample.mixedCase) == .mixedCase)
  }

  @Test("Signature is not recoverable.") func noSigner() {
    #expect(failure(InvoiceExample.noSigner) == .signerIsUnknown)
  }

  @Test("String is too short.") func tooShort() {
    #expect(failure(InvoiceExample.tooShort) == .tooShort)
  }

  @Test("Invalid multiplier") func multiplier() {
    #expect(failure(InvoiceExample.badMultiplier) == .amountIsMalformed)
  }

  @Test("Invalid sub-millisatoshi precision.") func subMillisatoshi() {
    #expect(failure(InvoiceExample.subMillisatoshi) == .amountIsNoWholeMsat)
  }

  @Test("Missing required s field.") func noSecret() {
    #expect(failure(InvoiceExample.noSecret) == .missing(.paymentSecret))
  }

  @Test("Non canonical signature (high-S) with 'n' field defined") func highSWithPayee() {
    #expect(failure(InvoiceExample.highSWithPayee) == .signatureIsWrong)
  }
}
