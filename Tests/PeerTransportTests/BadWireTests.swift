import BadWire
import Ground
import TestKit

@Suite("A wire with faults") struct BadWireTests {
  private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  private func wire(_ change: (inout BadWire.Habits) -> Void) -> BadWire {
    var habits = BadWire.Habits()
    change(&habits)
    return BadWire(habits, seed: 1)
  }

  @Test func `Without faults the wire passes everything on at once, then the close`() {
    var wire = wire { _ in }
    expect(wire.handle(.came(from: .dialler, [1, 2]), at: at(0)), is: [.pass(to: .listener, [1, 2])])
    expect(wire.handle(.came(from: .listener, [3]), at: at(1)), is: [.pass(to: .dialler, [3])])
    expect(wire.handle(.closed(.dialler), at: at(2)), is: [.close(to: .listener)])
    #expect(wire.deadline == nil)
  }

  @Test
  func `Delayed pieces keep their order; at a close all of them are passed on at once, before the close`() {
    var wire = wire { $0.delay = 5_000_000...9_000_000 }
    for byte in 0..<20 as Range<UInt8> {
      expect(wire.handle(.came(from: .dialler, [byte]), at: at(Int64(byte) / 10)), is: [])
    }
    expect(wire.deadline.map { $0 >= at(5) }, is: true)
    var passed: [UInt8] = []
    for moment in 5..<9 {
      for directive in wire.handle(.deadlineReached, at: at(Int64(moment))) {
        if case .pass(.listener, let bytes) = directive { passed += bytes }
      }
    }
    #expect(!passed.isEmpty && passed.count < 20)
    let last = wire.handle(.closed(.dialler), at: at(9))
    expect(last.last, is: .close(to: .listener))
    for case .pass(.listener, let bytes) in last { passed += bytes }
    expect(passed, is: Array(0..<20))
  }

  @Test
  func `The wire loses, repeats and reorders pieces as configured, and loses the same pieces for one seed`() {
    func run(_ change: (inout BadWire.Habits) -> Void) -> [UInt8] {
      var wire = wire {
        $0.delay = 1...1
        change(&$0)
      }
      var passed: [UInt8] = []
      for number in 0..<1000 {
        let directives =
          wire.handle(.came(from: .dialler, [UInt8(number % 251)]), at: at(Int64(number)))
          + wire.handle(.deadlineReached, at: at(Int64(number)) + TimeSpan(nanoseconds: 1))
        for case .pass(.listener, let bytes) in directives { passed += bytes }
      }
      for case .pass(.listener, let bytes) in wire.handle(.deadlineReached, at: at(2000)) { passed += bytes }
      return passed
    }
    let all = (0..<1000).map { UInt8($0 % 251) }
    expect(run { _ in }, is: all)
    #expect((600...800).contains(run { $0.lost = 300 }.count))
    #expect((1200...1400).contains(run { $0.repeated = 300 }.count))
    let reordered = run {
      $0.delay = 2_000_000...2_000_000
      $0.overtaken = 300
    }
    #expect(reordered != all && reordered.sorted() == all.sorted())
    expect(run { $0.lost = 300 }, is: run { $0.lost = 300 })
  }

  @Test func `The wire cuts the connection in the middle of a piece and passes nothing on afterwards`() {
    var wire = wire { $0.cutAfter = 5 }
    expect(wire.handle(.came(from: .dialler, [1, 2, 3]), at: at(0)), is: [.pass(to: .listener, [1, 2, 3])])
    expect(
      wire.handle(.came(from: .listener, [4, 5, 6]), at: at(0)), is: [.pass(to: .dialler, [4, 5]), .cut])
    expect(wire.handle(.came(from: .dialler, [7]), at: at(0)), is: [])
    #expect(wire.deadline == nil)
  }
}
