import Ground
import Crypto
import TestKit

@testable import LightningIO

@Suite("The gate for first handshake acts") struct HandshakeGateTests {
  private let start = Instant(nanoseconds: 0)

  private func act(_ number: Int) -> ArraySlice<UInt8> {
    ([0, 2] + SHA256.hash([UInt8(number % 256), UInt8(number / 256)]).bytes)[...]
  }

  private func gate(remembered: Int? = nil, perSecond: Int? = nil, sources: Int? = nil) -> HandshakeGate {
    var limits = HandshakeGate.Limits()
    limits.remembered = remembered ?? limits.remembered
    limits.perSecond = perSecond ?? limits.perSecond
    limits.sources = sources ?? limits.sources
    return HandshakeGate(limits: limits)
  }

  @Test func `A replayed first act is refused from any address, also an hour later`() {
    var gate = HandshakeGate()
    expect(gate.admits(act(1), from: 1, at: start), is: true)
    for number in 2..<100 { expect(gate.admits(act(number), from: 1, at: start), is: true) }
    expect(gate.admits(act(1), from: 1, at: start), is: false)
    expect(gate.admits(act(1), from: 2, at: start + .seconds(3600)), is: false)
  }

  @Test func `Only the configured number of first acts is remembered; the oldest is forgotten`() {
    var gate = gate(remembered: 3)
    for number in 1...4 { expect(gate.admits(act(number), from: 1, at: start), is: true) }
    for number in 2...4 { expect(gate.admits(act(number), from: 1, at: start), is: false) }
    expect(gate.admits(act(1), from: 1, at: start), is: true)
  }

  @Test func `Each address has its own limit of unfinished handshakes per second`() {
    var gate = gate(perSecond: 10)
    for number in 0..<10 { expect(gate.admits(act(number), from: 1, at: start), is: true) }
    expect(gate.admits(act(10), from: 1, at: start), is: false)
    expect(gate.admits(act(11), from: 2, at: start), is: true)
    expect(gate.admits(act(12), from: 1, at: start + .seconds(1)), is: true)
  }

  @Test func `Finished handshakes do not count against an address's limit`() {
    var gate = gate(perSecond: 1)
    for number in 0..<50 {
      expect(gate.admits(act(number), from: 1, at: start), is: true)
      gate.finished(from: 1, at: start)
    }
  }

  @Test func `Half a second after a burst of first acts another one from their address is admitted`() {
    var gate = gate(perSecond: 10)
    for second in 0..<5 {
      let begin = start + .seconds(Int64(second))
      for number in 0..<50 { _ = gate.admits(act(second * 100 + number), from: 1, at: begin) }
      // The wallet behind the same address, at another moment of the second.
      expect(gate.admits(act(1000 + second), from: 1, at: begin + .milliseconds(500)), is: true)
    }
  }

  @Test func `An address with a finished handshake keeps its own limit among many other addresses`() {
    var gate = gate(perSecond: 2, sources: 4)
    expect(gate.admits(act(1), from: 1, at: start), is: true)
    gate.finished(from: 1, at: start)
    for number in 2..<1000 {
      _ = gate.admits(act(number), from: UInt32(number), at: start + .milliseconds(Int64(number)))
    }
    let later = start + .milliseconds(1000)
    expect(gate.admits(act(1001), from: 2000, at: later), is: false)
    expect(gate.admits(act(1002), from: 1, at: later), is: true)
  }

  @Test func `An address without a limit of its own gets one when its handshake finishes`() {
    var gate = gate(perSecond: 3, sources: 1)
    for number in 1...4 { expect(gate.admits(act(number), from: UInt32(number), at: start), is: true) }
    gate.finished(from: 2, at: start)
    for number in 5...9 { expect(gate.admits(act(number), from: UInt32(number), at: start), is: false) }
    for number in 10...12 { expect(gate.admits(act(number), from: 2, at: start), is: true) }
    expect(gate.admits(act(13), from: 2, at: start), is: false)
  }

  @Test func `Addresses without a limit of their own share one limit, which refills`() {
    var gate = gate(perSecond: 1, sources: 4)
    let admitted = (1...100).filter { gate.admits(act($0), from: UInt32($0), at: start) }
    #expect(admitted.count <= 5)
    expect(gate.admits(act(200), from: 77, at: start + .seconds(2)), is: true)
  }
}
