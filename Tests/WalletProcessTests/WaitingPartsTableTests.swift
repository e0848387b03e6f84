import Platform
import Foundation
import Heartbeat
import WalletProcess

/// Since when payments wait for their parts, in a real container.
@Suite("The table of waits") final class WaitingPartsTableTests {
  private let scratch = ScratchContainer()
  private let boot = BootID(high: .max, low: 2)

  private func moment(_ seconds: Int64, _ boot: BootID? = nil) -> BootMoment {
    BootMoment(boot: boot ?? self.boot, clock: Instant(nanoseconds: seconds * 1_000_000_000))
  }

  private func write(
    _ waiting: [Bytes32]?, _ now: BootMoment, _ container: SharedContainer, _ claim: Claim
  ) throws {
    try scratch.write(NodeChange(waiting: waiting), at: now, claim, container)
  }

  private func read(_ now: BootMoment, _ container: SharedContainer) throws -> [WaitingParts] {
    try scratch.state(container, at: now).waiting
  }

  @Test
  func `A wait for parts keeps its start time until a write's list of waits lacks its payment`() throws {
    let container = try scratch.open()
    let (claim, _) = try scratch.claim(container)
    let (one, two) = (SHA256.hash([1]), SHA256.hash([2]))
    try write([one], moment(100), container, claim)
    try write(nil, moment(110), container, claim)
    try write([one, two], moment(120), container, claim)
    expect(
      Set(try read(moment(130), container)),
      is: [
        WaitingParts(paymentHash: one, waited: .seconds(30)),
        WaitingParts(paymentHash: two, waited: .seconds(10)),
      ])
    try write([two], moment(140), container, claim)
    expect(try read(moment(150), container), is: [WaitingParts(paymentHash: two, waited: .seconds(30))])
    try write([], moment(150), container, claim)
    expect(try read(moment(150), container), is: [])
  }

  @Test
  func `A wait for parts from another boot or the future has no age, and begins anew at the next write`()
    throws
  {
    let container = try scratch.open()
    let (claim, _) = try scratch.claim(container)
    let hash = SHA256.hash([1])
    let next = BootID(high: .max, low: 3)
    try write([hash], moment(100), container, claim)
    expect(try read(moment(400, next), container), is: [WaitingParts(paymentHash: hash, waited: nil)])
    expect(try read(moment(99), container), is: [WaitingParts(paymentHash: hash, waited: nil)])
    try write([hash], moment(400, next), container, claim)
    expect(try read(moment(407, next), container), is: [WaitingParts(paymentHash: hash, waited: .seconds(7))])
    try write([hash], moment(7, next), container, claim)
    expect(try read(moment(8, next), container), is: [WaitingParts(paymentHash: hash, waited: .seconds(1))])
  }
}
