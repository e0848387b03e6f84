import Ground
import TestKit

@Suite("Claims") struct ClaimTests {
  private let claim = Claim(epoch: 8, incarnation: 1, container: ContainerID(high: 1, low: 2))

  private func row(epoch: Epoch = 8, incarnation: UInt64 = 1) -> ClaimRow {
    ClaimRow(
      epoch: epoch, role: .app, process: ProcessIdentity(pid: 1, startTime: 2, boot: BootID(high: 3, low: 4)),
      incarnation: incarnation, container: claim.container)
  }

  @Test func `A claim owns only the row with its epoch and incarnation`() {
    #expect(claim.owns(row()))
    #expect(!claim.owns(row(epoch: 9)))
    #expect(!claim.owns(row(incarnation: 2)))
    #expect(!claim.owns(nil))
  }

  @Test func `A claim may be raised above its own or a higher epoch, to at most 2^32 above its own`() {
    let farthest = 8 + Claim.farthestRaise - 1
    #expect(claim.mayRaise(above: 8))
    #expect(claim.mayRaise(above: farthest))
    #expect(!claim.mayRaise(above: farthest + 1))
    #expect(!claim.mayRaise(above: 7))
    #expect(!claim.mayRaise(above: .max))
  }

  @Test func `A claim is never raised above the largest epoch that SQLite can store`() {
    let last = Epoch(Int64.max)
    let high = Claim(epoch: last - 2, incarnation: 1, container: claim.container)
    #expect(high.mayRaise(above: last - 1))
    #expect(!high.mayRaise(above: last))
  }

  @Test func `A replaced claim equals only the claim with its epoch and container`() {
    let replaced = ReplacedClaim(epoch: 8, container: claim.container)
    #expect(replaced.isExactly(claim))
    #expect(!ReplacedClaim(epoch: 9, container: claim.container).isExactly(claim))
    #expect(!ReplacedClaim(epoch: 8, container: ContainerID(high: 1, low: 3)).isExactly(claim))
  }

  @Test func `A container id has 16 bytes, the high half first`() {
    let id = ContainerID(high: 0x0102_0304_0506_0708, low: 0xff)
    expect(id.bytes, is: [1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 255])
    expect(ContainerID(id.bytes), is: id)
    #expect(ContainerID(id.bytes.dropLast()) == nil && ContainerID(id.bytes + [0]) == nil)
  }

  @Test func `A 64-bit word is encoded as 16 hexadecimal digits`() {
    expect(Hexadecimal.encode(word: 0xa5), is: "00000000000000a5")
    expect(Hexadecimal.encode(word: .max), is: "ffffffffffffffff")
  }

  @Test func `PerRole stores a value for each role`() {
    var pair = PerRole(1, 2)
    pair[.extension] = 3
    #expect(pair[.app] == 1 && pair[.extension] == 3)
  }
}
