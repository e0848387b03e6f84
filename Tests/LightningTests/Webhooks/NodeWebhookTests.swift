@testable import Wallet
@testable import Lightning

/// The wallet's end of LSPS5.
@Suite("The wallet's requests about webhooks") struct NodeWebhookTests {
  private let url = "http://127.0.0.1/x"

  private func connected() throws -> NodeWorld { try NodeWorld.connected(payments: 1) }

  private func reply(_ text: String) -> NodeEvent { .received(.service(Bytes(Array(text.utf8)))) }

  @Test func `A registration reaches the LSP, and its answer the user`() throws {
    var world = try connected()
    world.handle(.webhookRequested(id: "1", .set(name: "a", url: url)))
    world.settle()
    world.handle(.webhookRequested(id: "2", .list))
    world.settle()
    world.handle(.webhookRequested(id: "3", .remove(name: "b")))
    world.settle()
    expect(
      world.webhookAnswers,
      is: [
        .set(count: 1, max: 10, isUnchanged: false), .list(names: ["a"], max: 10),
      ])
    expect(world.refusals, is: [ServiceError.unknownName.description])
  }

  @Test func `A request before the connection waits for it, and is sent again on the next one`() throws {
    var world = try NodeWorld(payments: 1)
    world.claim()
    var node = try #require(world.node)
    expect(node.handle(.webhookRequested(id: "1", .list), at: world.now), is: [])
    world.node = node
    world.settle()
    expect(world.webhookAnswers, is: [.list(names: [], max: 10)])

    var again = try #require(world.node)
    let sent = again.handle(.webhookRequested(id: "2", .list), at: world.now)
    expect(sent, is: [.send([.message(.service(Bytes(WebhookRequest.list.encoded(id: "2"))))])])
    world.node = again
    world.handle(.closed("lost"))
    world.settle()
    expect(world.webhookAnswers.count, is: 2)
  }

  @Test func `Without an answer the request is refused after ten seconds, and only once`() throws {
    let world = try connected()
    var node = try #require(world.node)
    _ = node.handle(.webhookRequested(id: "1", .list), at: world.now)
    let late = world.now + NodeMachine.webhookTimeout
    expect(node.deadline.map { $0 <= late }, is: true)
    expect(
      node.handle(.deadlineReached, at: late),
      is: [
        .webhookRefused(id: "1", .because(NodeMachine.webhookTimedOut))
      ])
    expect(node.handle(reply(#"{"id":"1","result":{"app_names":[],"max_webhooks":1}}"#), at: late), is: [])
  }

  @Test(arguments: [
    "", "{", #"{"id":"2","result":{}}"#, #"{"id":1,"result":{}}"#, #"{"method":"lsps5.x","params":{}}"#,
    #"{"id":null,"error":{"code":-32700}}"#,
  ])
  func `What answers no request is ignored`(_ text: String) throws {
    let world = try connected()
    var node = try #require(world.node)
    _ = node.handle(.webhookRequested(id: "1", .list), at: world.now)
    expect(node.handle(reply(text), at: world.now), is: [])
    expect(
      node.handle(reply(#"{"id":"1","result":{"app_names":"x"}}"#), at: world.now),
      is: [.webhookRefused(id: "1", .because(NodeMachine.unreadableAnswer))])
  }

  @Test func `A stopped node refuses, and one that is stopped or fenced refuses what waits`() throws {
    for event: NodeEvent in [.stopRequested(gracefully: true), .stopRequested(gracefully: false), .fenced] {
      let world = try connected()
      var node = try #require(world.node)
      _ = node.handle(.webhookRequested(id: "1", .list), at: world.now)
      let directives = node.handle(event, at: world.now)
      #expect(directives.contains(.webhookRefused(id: "1", .because(NodeMachine.webhookGivenUp))))
      expect(
        node.handle(.webhookRequested(id: "2", .list), at: world.now),
        is: [.webhookRefused(id: "2", .notHeld)])
    }
  }

  @Test func `At most sixteen requests wait`() throws {
    let world = try connected()
    var node = try #require(world.node)
    for number in 0..<16 { _ = node.handle(.webhookRequested(id: "\(number)", .list), at: world.now) }
    for id in ["16", "3"] {
      expect(
        node.handle(.webhookRequested(id: id, .list), at: world.now),
        is: [.webhookRefused(id: id, .because(NodeMachine.tooManyWebhookRequests))])
    }
  }
}
