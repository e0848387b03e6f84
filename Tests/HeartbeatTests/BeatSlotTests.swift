import Ground
import Testing

@testable import Heartbeat

@Suite struct BeatSlotTests {
  static let extremes: [Beat] = Role.allCases.flatMap { role in
    Phase.allCases.flatMap { phase in [UInt64.min, 1, .max].map { extreme(role, phase, $0) } }
  }

  private static func extreme(_ role: Role, _ phase: Phase, _ number: UInt64) -> Beat {
    let process = ProcessIdentity(
      pid: number == .max ? -1 : Int32.max, startTime: number, boot: BootID(high: number, low: ~number))
    return Beat(
      role: role, epoch: number, phase: phase, counter: number, process: process,
      bootClock: Instant(nanoseconds: number == 1 ? .min : .max),
      wallClockNanoseconds: number == 1 ? .max : .min)
  }

  @Test func `Every beat decodes to itself from its slot`() {
    for beat in Self.extremes {
      let bytes = BeatSlot.encode(beat)
      #expect(bytes.count == BeatSlot.size)
      #expect(BeatSlot.decode(bytes) == beat)
    }
  }

  @Test func `A slot with one flipped bit reads as no beat`() {
    for beat in [Self.extremes[0], beat(counter: 3), Self.extremes[Self.extremes.count - 1]] {
      let bytes = BeatSlot.encode(beat)
      for bit in 0..<(8 * bytes.count) {
        var torn = bytes
        torn[bit / 8] ^= 1 << (bit % 8)
        #expect(BeatSlot.decode(torn) == nil, "bit \(bit)")
      }
    }
  }

  @Test func `A truncated or extended slot reads as no beat`() {
    let bytes = BeatSlot.encode(beat(counter: 3))
    for length in 0..<bytes.count { #expect(BeatSlot.decode(Array(bytes[..<length])) == nil) }
    #expect(BeatSlot.decode(bytes + [0]) == nil)
    #expect(BeatSlot.decode(bytes + bytes) == nil)
  }

  @Test func `A mixture of two beats reads as no beat`() {
    let old = BeatSlot.encode(beat(counter: 3))
    let new = BeatSlot.encode(beat(epoch: 8, counter: 1, phase: .claimed, stamp: seconds(9)))
    for cut in 0...old.count {
      let torn = Array(new[..<cut] + old[cut...])
      if torn != old && torn != new { #expect(BeatSlot.decode(torn) == nil, "cut at \(cut)") }
    }
  }

  @Test func `An empty slot, and one of only zeros or ones, read as no beat`() {
    #expect(BeatSlot.decode([]) == nil)
    #expect(BeatSlot.decode(Array(repeating: 0, count: BeatSlot.size)) == nil)
    #expect(BeatSlot.decode(Array(repeating: 0xFF, count: BeatSlot.size)) == nil)
  }
}
