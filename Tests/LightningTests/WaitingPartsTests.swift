@testable import Lightning

/// The wait for a missing part belongs to the payment, not to the node's owner.
@Suite("An incomplete multi-part payment") struct WaitingPartsTests {
  private func world(payments: Int = 1) throws -> NodeWorld {
    var world = try NodeWorld(payments: payments)
    world.claimAndDeliver()
    return world
  }

  /// One run of the extension, which holds the node for `span`.
  private func live(_ world: inout NodeWorld, _ span: TimeSpan) {
    world.claimAndDeliver()
    let end = world.now + span
    while let deadline = world.node?.deadline, deadline < end { world.wake(at: max(world.now, deadline)) }
    world.now = end
    world.kill()
    world.deliver()
  }

  private func deadline(_ world: NodeWorld) -> Instant? { world.node?.deadline }

  @Test func `The 60 s for missing parts continue across owners and connections`() throws {
    var world = try world()
    world.payAndDeliver(0, part: 1, amountMsat: 300, world.data(0))
    let first = world.now
    for seconds in [10, 20, 54] as [Int64] {
      world.now = first + .seconds(seconds)
      world.claimAndDeliver()
      expect(deadline(world), is: first + .seconds(60))
      expect(world.news.last, is: .busy(NodeActivity(collecting: [world.invoices[0].paymentHash])))
      expect(world.node?.arriving, is: [world.invoices[0].paymentHash])
    }
    // Only the connection breaks.
    world.breakWire()
    world.deliver()
    world.wake(at: first + .milliseconds(54_200))
    expect(deadline(world), is: first + .seconds(60))
    expect(world.waits.count, is: 1)
  }

  @Test func `Incomplete sets fail once 60 s are over, although each extension has only 29.5 s`() throws {
    var world = try world(payments: 30)
    world.kill()
    world.deliver()
    // As many as the channel holds.
    for number in 0..<30 { world.pay(number, part: 1, amountMsat: 1, world.data(number)) }
    live(&world, .milliseconds(29_500))
    #expect(world.failed == 0 && world.waits.count == 30)
    world.now = world.now + .seconds(2)
    live(&world, .milliseconds(29_500))
    #expect(world.failed == 30 && world.waits.isEmpty && world.stored.channel?.htlcs == [])
    expect(Set(world.failures.values), is: [.refusedByRecipient(code: FailureCode.mppTimeout)])
    expect(world.news.last, is: .busy(.nothing))
  }

  @Test func `Each connection waits at least 3 s for a part held at the LSP`() throws {
    var world = try world(payments: 2)
    for number in 0..<2 { world.pay(number, part: 1, amountMsat: 600, world.data(number)) }
    world.deliver()
    world.kill()
    world.deliver()
    world.now = world.now + .seconds(3600)
    world.pay(0, part: 2, amountMsat: 400, world.data(0))
    world.claimAndDeliver()
    #expect(world.amounts == [1000] && world.failed == 0)
    expect(deadline(world), is: world.now + .seconds(3))
    world.wake(at: world.now + .seconds(3))
    expect(world.failures[101], is: .refusedByRecipient(code: FailureCode.mppTimeout))
    #expect(world.waits.isEmpty)
  }

  @Test func `After a reboot the 60 s begin anew, once, and the new beginning is durable`() throws {
    var world = try world()
    world.payAndDeliver(0, part: 1, amountMsat: 300, world.data(0))
    world.now = world.now + .seconds(50)
    world.boot = 2
    let booted = world.now
    for seconds in [0, 20, 40] as [Int64] {
      world.now = booted + .seconds(seconds)
      world.claimAndDeliver()
      expect(deadline(world), is: booted + .seconds(60))
      expect(world.waits.values.map(\.boot), is: [2])
    }
  }

  @Test func `A part without a stored arrival time gets its 60 s from the next owner on`() throws {
    var world = try world()
    world.payAndDeliver(0, part: 1, amountMsat: 300, world.data(0))
    world.waits = [:]
    world.now = world.now + .seconds(50)
    let began = world.now
    world.claimAndDeliver()
    expect(world.waits.values.map(\.since), is: [began])
    expect(deadline(world), is: began + .seconds(60))
    world.now = began + .seconds(30)
    world.claimAndDeliver()
    expect(deadline(world), is: began + .seconds(60))
  }

  @Test func `A waiting_parts row without parts is deleted`() throws {
    var world = try world()
    world.waits[SHA256.hash([9])] = (1, world.now)
    world.claimAndDeliver()
    #expect(world.waits.isEmpty && deadline(world) == nil)
    expect(world.news.last, is: .established)
  }

  @Test func `After a payment's parts have failed, its next part starts 60 s of its own`() throws {
    var world = try world()
    world.payAndDeliver(0, part: 1, amountMsat: 300, world.data(0))
    for part in 1...3 {
      expect(deadline(world), is: world.now + .seconds(60))
      world.wake(at: world.now + .seconds(60))
      #expect(world.failed == part && world.waits.isEmpty)
      world.now = world.now + .seconds(7)
      world.payAndDeliver(0, part: part + 1, amountMsat: 300, world.data(0))
    }
  }
}
