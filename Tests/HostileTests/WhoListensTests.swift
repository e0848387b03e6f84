@testable import DaemonRuntime

@Suite("Foreign listeners at a phone's sockets", .waits) struct WhoListensTests {
  @Test(.enabled(if: getuid() == 0, "only root can become another user"))
  func `A client sends nothing to another user's listener and names that user`() throws {
    let place = TemporaryDirectory()
    chmod(place.path, 0o1777)
    let other = try Listener(at: place("iosd.sock"), as: 65534)
    #expect {
      _ = try ControlClient(path: place("iosd.sock"), daemon: "iosd").request(ControlMessage("status"))
    } throws: {
      "\($0)"
        == "the user 65534 listens on \(place("iosd.sock")) in place of your iosd; nothing was sent to it; use a phone of your own"
    }
    #expect(UnixConnection.connect(path: place("iosd.sock"), loop: try EventLoop()) == nil)
    expect(other.heard(), is: "")
  }

  @Test func `A symbolic link in the place of a socket is not followed`() throws {
    let place = TemporaryDirectory()
    let other = try Listener(at: place("other.sock"))
    symlink(place("other.sock"), place("iosd.sock"))
    #expect {
      _ = try ControlClient(path: place("iosd.sock"), daemon: "iosd").request(ControlMessage("status"))
    } throws: { "\($0)".contains("it is a symbolic link") }
    #expect(UnixConnection.connect(path: place("iosd.sock"), loop: try EventLoop()) == nil)
    expect(other.heard(), is: "")
  }

  @Test(
    arguments: [
      "os/iosd.sock", "lsp/lspd.sock",
    ])
  func `baton down asks a foreign program at a daemon's socket only for its status`(socket: String) throws {
    let place = TemporaryDirectory()
    for directory in ["phone", "phone/os", "phone/lsp"] { mkdir(place(directory), 0o700) }
    let other = try Listener(at: place("phone/\(socket)"))
    let name = socket.split(separator: "/")[1].dropLast(5)
    let down = try Started.run("baton", ["--home", place("phone"), "down"])
    expect(
      down.output,
      is:
        "\(name) was left alone: process \(other.pid) listens on \(place("phone/\(socket)")) but is not \(name); end it yourself, or move the socket away\n"
    )
    expect(down.code, is: 69)
    #expect(other.isRunning)
    // `baton down` asks a foreign program for its status, never to end.
    expect(Set(other.heard().split(separator: "\n")), is: ["heard status"])
  }

  @Test func `baton down does not follow a symbolic link in the place of a socket`() throws {
    let place = TemporaryDirectory()
    for directory in ["phone", "phone/os", "phone/lsp"] { mkdir(place(directory), 0o700) }
    let other = try Listener(at: place("daemon.sock"))
    symlink(place("daemon.sock"), place("phone/os/iosd.sock"))
    let down = try Started.run("baton", ["--home", place("phone"), "down"])
    #expect(down.output.contains("iosd was left alone: ") && down.output.contains("it is a symbolic link"))
    #expect(other.isRunning)
    expect(other.heard(), is: "")
  }

  @Test func `A symbolic link in the place of a phone's directory is refused`() throws {
    let phone = try RealPhone()
    let place = TemporaryDirectory()
    symlink(phone.home, place("phone"))
    for verb in ["down", "status", "up"] {
      let refused = try Started.run("baton", ["--home", place("phone"), verb])
      expect(refused.code, is: 73)
      #expect(
        refused.errors.hasPrefix("baton: cannot use \(place("phone")): it is a symbolic link of the user "))
    }
    expect(try phone.ask(.phone, ControlMessage("status")).verb, is: "ok")
  }
}
