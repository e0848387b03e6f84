import Ground
import Crypto
import Testing

@testable import PeerTransport

@Suite("Which first acts are answered") struct HandshakeGateTests {
  private let start = Instant(nanoseconds: 0)

  private func act(_ number: Int) -> ArraySlice<UInt8> {
    ([0, 2] + SHA256.hash([UInt8(number % 256), UInt8(number / 256)]).bytes)[...]
  }

  @Test("A recorded one is answered once, wherever it comes from, and however long it is remembered")
  func replayed() {
    var gate = HandshakeGate()
    #expect(gate.admits(act(1), from: 1, at: start) == true)
    for number in 2..<100 { #expect(gate.admits(act(number), from: 1, at: start) == true) }
    #expect(gate.admits(act(1), from: 1, at: start) == false)
    #expect(gate.admits(act(1), from: 2, at: start + .seconds(3600)) == false)
  }

  @Test("What is remembered is bounded: the oldest is forgotten")
  func bounded() {
    var limits = HandshakeGate.Limits()
    limits.remembered = 3
    var gate = HandshakeGate(limits: limits)
    for number in 1...4 { #expect(gate.admits(act(number), from: 1, at: start) == true) }
    for number in 2...4 { #expect(gate.admits(act(number), from: 1, at: start) == false) }
    #expect(gate.admits(act(1), from: 1, at: start) == true)
  }

  @Test("One address has so many a second that lead to nothing; another one is not kept out by them")
  func perSource() {
    var limits = HandshakeGate.Limits()
    limits.perSecond = 10
    var gate = HandshakeGate(limits: limits)
    for number in 0..<10 { #expect(gate.admits(act(number), from: 1, at: start) == true) }
    #expect(gate.admits(act(10), from: 1, at: start) == false)
    #expect(gate.admits(act(11), from: 2, at: start) == true)
    #expect(gate.admits(act(12), from: 1, at: start + .seconds(1)) == true)
  }

  @Test("Handshakes that are finished count for nothing")
  func finished() {
    var limits = HandshakeGate.Limits()
    limits.perSecond = 1
    var gate = HandshakeGate(limits: limits)
    for number in 0..<50 {
      #expect(gate.admits(act(number), from: 1, at: start) == true)
      gate.finished(from: 1, at: start)
    }
  }

  @Test("A second's worth at once, again and again, leaves room between: one comes back after the other")
  func paced() {
    var limits = HandshakeGate.Limits()
    limits.perSecond = 10
    var gate = HandshakeGate(limits: limits)
    for second in 0..<5 {
      let begin = start + .seconds(Int64(second))
      for number in 0..<50 { _ = gate.admits(act(second * 100 + number), from: 1, at: begin) }
      // The wallet behind the same address, at another moment of the second.
      #expect(gate.admits(act(1000 + second), from: 1, at: begin + .milliseconds(500)) == true)
    }
  }

  @Test("An address of which a handshake was finished keeps its place in a crowd, however long it is silent")
  func known() {
    var limits = HandshakeGate.Limits()
    limits.perSecond = 2
    limits.sources = 4
    var gate = HandshakeGate(limits: limits)
    #expect(gate.admits(act(1), from: 1, at: start) == true)
    gate.finished(from: 1, at: start)
    for number in 2..<1000 {
      _ = gate.admits(act(number), from: UInt32(number), at: start + .milliseconds(Int64(number)))
    }
    let later = start + .milliseconds(1000)
    #expect(gate.admits(act(1001), from: 2000, at: later) == false)
    #expect(gate.admits(act(1002), from: 1, at: later) == true)
  }

  @Test("A handshake out of a crowd is finished after its place was taken: it is known from then on")
  func refundedInACrowd() {
    var limits = HandshakeGate.Limits()
    limits.perSecond = 3
    limits.sources = 1
    var gate = HandshakeGate(limits: limits)
    for number in 1...4 { #expect(gate.admits(act(number), from: UInt32(number), at: start) == true) }
    gate.finished(from: 2, at: start)
    for number in 5...9 { #expect(gate.admits(act(number), from: UInt32(number), at: start) == false) }
    for number in 10...12 { #expect(gate.admits(act(number), from: 2, at: start) == true) }
    #expect(gate.admits(act(13), from: 2, at: start) == false)
  }

  @Test("A crowd of addresses is not remembered without end, and shares what is left")
  func crowd() {
    var limits = HandshakeGate.Limits()
    limits.perSecond = 1
    limits.sources = 4
    var gate = HandshakeGate(limits: limits)
    let admitted = (1...100).filter { gate.admits(act($0), from: UInt32($0), at: start) }
    #expect(admitted.count <= 5)
    #expect(gate.admits(act(200), from: 77, at: start + .seconds(2)) == true)
  }
}
