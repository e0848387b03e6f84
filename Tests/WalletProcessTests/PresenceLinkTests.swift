import Ground
import DaemonRuntime
import Glibc
import Guardrails
import Testing

@testable import WalletProcess

@Suite("Presence messages between the two processes")
struct PresenceLinkTests {
  @Test func `Each presence message is received once, also after the other process has opened a new socket`()
    throws
  {
    let scratch = try ScratchContainer()
    let directory = scratch.path("presence")
    #expect(mkdir(directory, 0o700) == 0)
    let loop = try EventLoop()
    let app = PresenceLink(directory: directory, role: .app, loop: loop)
    try app.listen()
    var ends = 0
    app.onPartnerEnded = { ends += 1 }
    // A missing partner process is no error.
    app.say(PresenceMessage(code: .appPing))
    for epoch: Epoch in [1, 2] {
      let notifier = PresenceLink(directory: directory, role: .extension, loop: loop)
      var heard: [PresenceMessage] = []
      notifier.onMessage = { heard.append($0) }
      try notifier.listen()
      let said = [
        PresenceMessage(code: .appPing, wantsNode: true, asksForHandover: true),
        PresenceMessage(code: .appUnavailable, released: epoch),
      ]
      for message in said { app.say(message) }
      #expect(try loop.run(for: .seconds(30)) { heard.count == 2 })
      #expect(heard == said)
      let endsBefore = ends
      notifier.shutDown()
      #expect(try loop.run(for: .seconds(30)) { ends > endsBefore })
    }
    app.shutDown()
  }
}
