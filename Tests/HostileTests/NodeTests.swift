import Guardrails

@Suite("Hostile input: a wallet with a hostile LSP", .serialized, .waits) struct NodeTests {
  @Test(arguments: HostilePeer.Behaviour.allCases)
  func `With a hostile LSP the extension stays below 24 MiB, delivers one text and ends`(
    _ behaviour: HostilePeer.Behaviour
  ) throws {
    let phone = try TestPhone()
    let peer = try HostilePeer(behaviour, loop: phone.loop)
    phone.peerAddress = peer.address
    let (notifier, id) = try phone.pushToExtension()
    switch behaviour {
    case .refusesForAnotherDevice:
      try phone.wait("the push to be finished") { notifier.message("finished", id: id) != nil }
      expect(notifier.message("finished", id: id)?["reason"], is: FinishReason.otherDevice.rawValue)
    case .refusesWithAnEpochOutOfReach, .refusesWithTheLargestEpoch:
      try phone.wait("the push to be finished") { notifier.message("finished", id: id) != nil }
      expect(notifier.message("finished", id: id)?["reason"], is: FinishReason.outOfReach.rawValue)
    case .knowsMoreThanTheWallet:
      try phone.wait("the node to report the newer state") { notifier.status.contains("newer state") }
    case .neverHangsUp: try phone.wait("the node to be connected") { notifier.status.hasPrefix("connected") }
    default:
      // The node dials again after its pause.
      try phone.wait("a second dial") { peer.connections >= 2 }
    }
    notifier.send(ControlMessage("time-will-expire", ["id": "\(id)"]))
    try phone.wait("the text and the end of the service") { notifier.message("finished", id: id) != nil }
    expect(notifier.message("content", id: id)?["title"]?.isEmpty, is: false)
    expect(notifier.count("content"), is: 1)
    #expect(try RealPhone.footprint(of: notifier.pid) < 24 * 1024 * 1024)
    notifier.send(ControlMessage("terminate"))
    try phone.wait("the extension to end") { notifier.hasEnded }
    expect(notifier.end?.how, is: .exited(code: 0))
    expect(try phone.receivedPayments(), is: [])
  }
}
