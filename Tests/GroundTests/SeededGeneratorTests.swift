import Ground
import TestKit

@Suite struct SeededGeneratorTests {
  /// The first numbers of SplitMix64's reference implementation for the seed 1234567.
  @Test func `The generator returns the reference numbers of SplitMix64`() {
    var generator = SeededGenerator(seed: 1_234_567)
    #expect(
      (0..<5).map { _ in generator.next() } == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
        4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
      ])
  }

  @Test func `Random numbers below 7 are evenly distributed; below 1 or 0 the number is 0`() {
    var generator = SeededGenerator(seed: 1)
    var counts = [Int](repeating: 0, count: 7)
    for _ in 0..<7000 { counts[generator.below(7)] += 1 }
    #expect(counts.allSatisfy { $0 > 800 && $0 < 1200 })
    expect(generator.below(1), is: 0)
    expect(generator.below(0), is: 0)
  }
}
