import Ground
import DaemonRuntime
import Foundation
import Glibc
import Testing
import WaitingTests

@testable import Baton

@Suite("An invoice that does not pay the wallet", .waits) struct ForeignInvoiceTests {
  @Test
  func `An invoice for another node is not printed, even if iosd's socket answered with it`() throws {
    let phone = CommandPhone()
    _ = try phone.run("up")
    try phone.openAndConnect()
    // The wallet's own invoice is printed: its payee is the node that lspd knows.
    let own = try phone.invoice()
    #expect(own.hasPrefix("lnbcrt"))
    let foreign = try phone.run("invoice", "5", "--external").trimmingCharacters(in: .whitespacesAndNewlines)
    let iosd = try #require(DaemonProbe.pid(listeningOn: phone.phone.iosdSocket).flatMap(WatchedProcess.init))
    iosd.send(SIGKILL)
    #expect(iosd.waitForEnd(within: .seconds(60)))

    let loop = try EventLoop()
    let listener = try UnixListener(path: phone.phone.iosdSocket, loop: loop, replacingLive: true) { client in
      client.onMessage = { _ in
        // The app's answer is the body of iosd's.
        var answer = ControlMessage("ok")
        answer.body = (try? ControlMessage("ok", ["invoice": foreign]).encoded()) ?? []
        client.send(answer)
      }
    }
    let asking = try phone.begin("invoice", "5000", into: "printed")
    let ended = try loop.run(for: .seconds(60)) {
      var waiting = pollfd(fd: asking.pidfd, events: Int16(POLLIN), revents: 0)
      return poll(&waiting, 1, 10) > 0
    }
    #expect(ended)
    #expect(phone.scratch.end(asking) == .exited(code: 69))
    let words = phone.scratch.text("printed")
    #expect(words.hasPrefix("baton: the invoice's payee is "), "\(words)")
    #expect(words.contains("but this phone's wallet is "), "\(words)")
    #expect(!words.contains(foreign))
    listener.shutDown()
  }
}
