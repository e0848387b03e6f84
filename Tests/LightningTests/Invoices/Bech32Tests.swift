@testable import Lightning

/// BIP 173, "Test vectors", without its length limit, which invoices do not have.
@Suite("Bech32") struct Bech32Tests {
  private func failure(_ text: String) -> Bech32Error? {
    do throws(Bech32Error) {
      _ = try Bech32.decode(text)
      return nil
    } catch { return error }
  }

  @Test(
    arguments: [
      "A12UEL5L", "a12uel5l",
      "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs",
      "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw",
      "11qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqc8247j",
      "split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w", "?1ezyfcl",
    ])
  func `A valid Bech32 string is decoded and re-encoded`(text: String) throws {
    let (prefix, words, variant) = try Bech32.decode(text)
    expect(variant, is: .bech32)
    expect(Bech32.encode(prefix: prefix, words: words), is: text.lowercased())
  }

  @Test(
    arguments: [
      ("\u{20}1nwldj5", .foreignCharacter), ("\u{7f}1axkwrx", .foreignCharacter),
      ("\u{80}1eym55h", .foreignCharacter), ("pzry9x0s0muk", .noSeparator), ("1pzry9x0s0muk", .noSeparator),
      ("x1b4n0q5v", .foreignCharacter), ("li1dgmt3", .tooShort), ("de1lg7wt\u{ff}", .foreignCharacter),
      ("A1G7SGD8", .checksumIsWrong), ("10a06t8", .noSeparator), ("1qzzfhee", .noSeparator),
      ("a12UEL5L", .mixedCase),
    ] as [(String, Bech32Error)])
  func `An invalid Bech32 string is refused with its reason`(text: String, reason: Bech32Error) {
    expect(failure(text), is: reason)
  }

  @Test func `Bech32m has its own checksum (BIP 350)`() {
    expect(Bech32.encode(prefix: "a", words: [], as: .bech32m), is: "a1lqfn3a")
    expect(failure("a1lqfn3b"), is: .foreignCharacter)
    expect(failure("a1lqfn3c"), is: .checksumIsWrong)
  }
}
