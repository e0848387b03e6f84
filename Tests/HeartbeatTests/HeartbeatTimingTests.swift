import Ground
import Foundation
import Testing

@testable import Heartbeat

@Suite struct HeartbeatTimingTests {
  @Test func beatsComeEveryTwoSecondsAndAreStaleAtFive() {
    #expect(HeartbeatTiming.standard.interval == .seconds(2))
    #expect(HeartbeatTiming.standard.staleAfter == .seconds(5))
  }

  @Test func theStandardPassesItsOwnValidation() throws {
    let timing = try HeartbeatTiming(interval: .seconds(2), staleAfter: .seconds(5))
    #expect(timing == .standard)
  }

  @Test func twoBeatsMustFitIntoTheRule() throws {
    _ = try HeartbeatTiming(interval: .seconds(2), staleAfter: .seconds(4))
    #expect(throws: HeartbeatTimingError.ruleShorterThanTwoBeats) {
      try HeartbeatTiming(interval: .seconds(2), staleAfter: TimeSpan(nanoseconds: 3_999_999_999))
    }
  }

  @Test(arguments: [Int64.min, -1, 0, 9_999_999, 600_000_000_001, Int64.max])
  func anIntervalOutOfRangeIsRefused(nanoseconds: Int64) {
    #expect(throws: HeartbeatTimingError.intervalOutOfRange) {
      try HeartbeatTiming(interval: TimeSpan(nanoseconds: nanoseconds), staleAfter: .seconds(3600))
    }
  }

  @Test func aRuleOfMoreThanAnHourIsRefused() throws {
    _ = try HeartbeatTiming(interval: .seconds(600), staleAfter: .seconds(3600))
    #expect(throws: HeartbeatTimingError.ruleTooLong) {
      try HeartbeatTiming(interval: .seconds(2), staleAfter: TimeSpan(nanoseconds: .max))
    }
  }

  @Test func everyErrorIsOneSentence() {
    for error: HeartbeatTimingError in [.intervalOutOfRange, .ruleShorterThanTwoBeats, .ruleTooLong] {
      #expect(!error.description.hasSuffix("."))
      #expect(!error.description.contains("\n"))
    }
  }

  @Test func itSurvivesTheJournal() throws {
    let timing = try HeartbeatTiming(interval: .milliseconds(20), staleAfter: .milliseconds(50))
    let text = try JSONEncoder().encode(timing)
    #expect(try JSONDecoder().decode(HeartbeatTiming.self, from: text) == timing)
  }

  /// A journal with an interval of nothing would make a replay beat for ever at one instant.
  @Test func aForbiddenTimingCannotBeReadFromAJournal() {
    let text = Data(#"{"interval":0,"staleAfter":0}"#.utf8)
    #expect(throws: (any Error).self) { try JSONDecoder().decode(HeartbeatTiming.self, from: text) }
  }
}
