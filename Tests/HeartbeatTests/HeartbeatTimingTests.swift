import Ground
import Foundation
import TestKit

@testable import Heartbeat

@Suite struct HeartbeatTimingTests {
  @Test func `The standard timing is a 2 s interval and 5 s staleAfter`() {
    expect(HeartbeatTiming.standard.interval, is: .seconds(2))
    expect(HeartbeatTiming.standard.staleAfter, is: .seconds(5))
  }

  @Test func `The standard timing passes the validation`() throws {
    let timing = try HeartbeatTiming(interval: .seconds(2), staleAfter: .seconds(5))
    expect(timing, is: .standard)
  }

  @Test func `staleAfter shorter than two intervals is refused`() throws {
    _ = try HeartbeatTiming(interval: .seconds(2), staleAfter: .seconds(4))
    #expect(throws: HeartbeatTimingError.ruleShorterThanTwoBeats) {
      try HeartbeatTiming(interval: .seconds(2), staleAfter: TimeSpan(nanoseconds: 3_999_999_999))
    }
  }

  @Test(arguments: [Int64.min, -1, 0, 9_999_999, 600_000_000_001, Int64.max])
  func `An interval out of range is refused`(nanoseconds: Int64) {
    #expect(throws: HeartbeatTimingError.intervalOutOfRange) {
      try HeartbeatTiming(interval: TimeSpan(nanoseconds: nanoseconds), staleAfter: .seconds(3600))
    }
  }

  @Test func `staleAfter of more than an hour is refused`() throws {
    _ = try HeartbeatTiming(interval: .seconds(600), staleAfter: .seconds(3600))
    #expect(throws: HeartbeatTimingError.ruleTooLong) {
      try HeartbeatTiming(interval: .seconds(2), staleAfter: TimeSpan(nanoseconds: .max))
    }
  }

  @Test func `Every timing error's text is one line without a full stop at its end`() {
    for error: HeartbeatTimingError in [.intervalOutOfRange, .ruleShorterThanTwoBeats, .ruleTooLong] {
      #expect(!error.description.hasSuffix("."))
      #expect(!error.description.contains("\n"))
    }
  }

  @Test func `A timing decodes to itself from JSON`() throws {
    let timing = try HeartbeatTiming(interval: .milliseconds(20), staleAfter: .milliseconds(50))
    let text = try JSONEncoder().encode(timing)
    expect(try JSONDecoder().decode(HeartbeatTiming.self, from: text), is: timing)
  }

  /// A journal with an interval of 0 would make a replay beat forever at one instant.
  @Test func `A forbidden timing cannot be decoded from JSON`() {
    let text = Data(#"{"interval":0,"staleAfter":0}"#.utf8)
    #expect(throws: (any Error).self) { try JSONDecoder().decode(HeartbeatTiming.self, from: text) }
  }
}
