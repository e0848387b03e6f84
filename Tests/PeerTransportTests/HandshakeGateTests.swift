import CoreShape
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
      gate.finished(from: 1)
    }
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
