import Testing

@testable import Judge
@testable import TestHomes

/// A node other than the wallet's dials the peer.
@Suite("The verdict on a connection of an unknown node")
struct UnknownNodeTests {
  private static let unknownNode = WireBytes.bytes(
    "034f355bdcb7cc0af728ef3cceb9615d90684bb5b2ca5f859ab0f0b704075871aa")
  private static let initMessage = [0, 16, 0, 0, 0, 0] as [UInt8]

  private func findings(
    verdict: String = "visitor", of node: [UInt8] = unknownNode, initMessage: [UInt8] = initMessage,
    _ then: (SampleRun) throws -> Void = { _ in }
  ) throws -> [Int] {
    let run = try SampleStory.tellWithoutPayments { run in
      try run.connect(2, node: node)
      try run.receive(2, initMessage, out: [WireBytes.initMessage])
      try run.ledger.execute(
        "UPDATE connections SET verdict = ?, judged_at_ns = ? WHERE id = 2",
        [.text(verdict), .integer(run.stamp)])
      try then(run)
      try run.close(2, "the other side disconnected")
    }
    return try Judge.verdict(home: run.home).findings.map(\.invariant.rawValue)
  }

  @Test
  func `An unknown node's init and ping are no finding`() throws {
    #expect(try findings { try $0.receive(2, WireBytes.ping(2), out: [WireBytes.pong(2)]) } == [])
  }

  @Test
  func
    `An unknown node accepted as the wallet violates invariant 1, and so does the wallet accepted as unknown`()
    throws
  {
    #expect(try findings(verdict: "unfenced").contains(1))
    #expect(try findings(of: SampleRun.node).contains(1))
  }

  @Test
  func `An unknown node may send frames that Baton's own nodes never send`() throws {
    let networks: [UInt8] = Self.initMessage + [1, 32] + [UInt8](repeating: 6, count: 32)
    let found = try findings(initMessage: networks) { run in
      try run.receive(2, [0, 18, 0, 1, 0, 3, 97, 98, 99], out: [WireBytes.pong(1)])
      try run.receive(2, [0, 18, 0, 1], why: "chatter")
      try run.receive(2, [9], why: "it is cut off")
    }
    #expect(found == [])
  }

  @Test
  func `A processed peer_storage or channel_reestablish of an unknown node violates invariant 1`() throws {
    #expect(try findings { try $0.receive(2, WireBytes.storage([1, 2, 3])) }.contains(1))
    #expect(
      try findings {
        try $0.receive(
          2,
          WireBytes.reestablish(
            nextCommitment: 1, nextRevocation: 0, secret: [UInt8](repeating: 0, count: 32)))
      }.contains(1))
  }
}
