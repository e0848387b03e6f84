import Testing

@testable import Judge
@testable import TestHomes

/// The extension is killed between the commit of its claim and the journal line of the answer.
@Suite("A claim whose answer was never written")
struct ClaimMomentTests {
  private static let lookForReceived = "{\"readReceived\":{}}"
  private static let found = "{\"receivedFound\":{\"_0\":[],\"push\":1}}"
  private static let notRead = "{\"receivedNotRead\":{\"_0\":{\"failed\":{\"_0\":\"x\"}},\"push\":1}}"

  private func findings(ordered: [String] = [], written: [String] = [], ends: Bool = false) throws -> [Int] {
    let run = try SampleStory.tellWithoutPayments { run in
      let service = run.start("notifyextd", pid: 200)
      try run.askAndCommit(
        2, "extension", pid: 200, service, "holder-died", orderedBefore: ordered)
      for event in written { service.event("guard-extension", event, at: run.now) }
      if ends { service.end(at: run.now) } else { service.tear() }
      run.ended(
        2, "extension", pid: 200, how: "signalled", number: 9, reason: "killed from outside by signal 9")
    }
    return try Judge.verdict(home: run.home).findings.map(\.invariant.rawValue)
  }

  @Test
  func `A claim without answer is accepted if the request for it is the journal's last line`() throws {
    #expect(try findings() == [])
    #expect(try findings(ordered: [Self.lookForReceived]) == [])
  }

  @Test
  func `A claim without answer is accepted if since its request only earlier orders were answered`() throws {
    #expect(try findings(ordered: [Self.lookForReceived], written: [Self.found]) == [])
    #expect(try findings(ordered: [Self.lookForReceived], written: [Self.notRead]) == [])
  }

  @Test
  func
    `A claim without answer violates invariant 1 if its process went on to another event, or ended in order`()
    throws
  {
    #expect(try findings(written: [Self.found]) == [1])
    #expect(try findings(ordered: [Self.lookForReceived], written: [Self.found, Self.found]) == [1])
    #expect(try findings(ordered: [Self.lookForReceived], written: ["\"deadlineReached\""]) == [1])
    #expect(try findings(ends: true) == [1])
  }
}
