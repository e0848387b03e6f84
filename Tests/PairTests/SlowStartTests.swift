/// The node's start waits longer than any of these tests.
@Suite("The pair on real processes: a slow start of the node", .serialized, .waits)
struct SlowStartTests {
  private func begin() throws -> (TestPhone, HeldProcess, UInt64) {
    let phone = try TestPhone(["--start-delay", "10m"])
    let (notifier, id) = try phone.pushToExtension()
    try phone.wait("the extension to hold the node") { notifier.status.hasPrefix("connecting") }
    return (phone, notifier, id)
  }

  @Test func `The app opened while the extension's node still starts gets the node at once`() throws {
    let (phone, notifier, id) = try begin()
    let app = try phone.launchApp()
    phone.open(app)
    try phone.wait("the app to hold the node") { phone.owner?.role == .app }
    try phone.wait("the end of the service") { notifier.message("finished", id: id) != nil }
    #expect(notifier.message("finished", id: id)?["reason"] == FinishReason.appWantsNode.rawValue)
    #expect(notifier.count("content") == 1)
    try phone.wait("the app to start its node") { app.status.hasPrefix("connecting") }
  }

  @Test
  func `An extension whose node still starts when its time is up delivers its text and releases the node`()
    throws
  {
    let (phone, notifier, id) = try begin()
    notifier.send(ControlMessage("time-will-expire", ["id": "\(id)"]))
    try phone.wait("the end of the service") { notifier.message("finished", id: id) != nil }
    #expect(notifier.message("finished", id: id)?["reason"] == FinishReason.timeWillExpire.rawValue)
    #expect(notifier.count("content") == 1)
    #expect(notifier.message("content", id: id)?["title"]?.isEmpty == false)
    #expect(notifier.status.hasPrefix("not connected"))
  }
}
