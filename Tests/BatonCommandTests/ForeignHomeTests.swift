@testable import Baton

/// A home that another user made or can change.
@Suite("A phone directory that other users can change", .waits) struct ForeignHomeTests {
  private let scratch = TemporaryDirectory()

  @Test(.enabled(if: geteuid() == 0, "only root can give a link away"))
  func `In the path of a phone's directory another user's symbolic link is refused, this user's is followed`()
    throws
  {
    mkdir(scratch("real"), 0o700)
    symlink(scratch("real"), scratch("way"))
    #expect(throws: Never.self) { try OwnHome.make(scratch("way/phone"), ["os"]) }
    #expect(throws: Never.self) { try OwnHome.check(scratch("way/phone")) }
    lchown(scratch("way"), 65534, 65534)
    #expect { try OwnHome.check(scratch("way/phone")) } throws: {
      "\($0)".hasPrefix("cannot use \(scratch("way")): it is a symbolic link of the user 65534, ")
    }
  }
}

@Suite("An invoice that does not pay the wallet", .waits) struct ForeignInvoiceTests {
  @Test func `An invoice for another node is not printed, even if iosd's socket answered with it`() throws {
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
    expect(asking.end(), is: .exited(code: 69))
    let words = phone.scratch.text("printed")
    #expect(words.hasPrefix("baton: the invoice's payee is "), "\(words)")
    #expect(words.contains("but this phone's wallet is "), "\(words)")
    #expect(!words.contains(foreign))
    listener.shutDown()
  }
}
