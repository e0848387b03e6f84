import Testing

@testable import Judge

@Suite struct AmountWordsTests {
  @Test(
    arguments: [
      (12_500_000, "12,500 sat"), (1, "1 msat"), (1_000_000_001, "1,000,000,001 msat"), (0, "0 sat"),
      (-5000, "-5 sat"), (Int64.min, "-9,223,372,036,854,775,808 msat"),
    ] as [(Int64, String)])
  func `An amount is written in sat, or in msat if not whole, with thousands separators, down to Int64.min`(
    _ msat: Int64, _ text: String
  ) { #expect(amountWords(msat) == text) }
}
