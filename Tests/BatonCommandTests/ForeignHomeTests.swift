import DaemonRuntime
import Foundation
import Glibc
import Ground
import Testing
import WaitingTests

@testable import Baton

private struct Damage: Sendable {
  var what: String
  var says: String
  var isRootsOnly = false
  /// For the daemons alone.
  var isOfDaemons = false
  var damage: @Sendable (String) -> Void

  static let all: [Damage] = [
    Damage(
      what: "another user's", says: "it belongs to the user 65534, and this is the user \(geteuid()); ",
      isRootsOnly: true
    ) { chown($0, 65534, 65534) },
    Damage(what: "open to all", says: "others may write to it (mode 777); ") { chmod($0, 0o777) },
    Damage(what: "open to its group", says: "others may write to it (mode 770); ") { chmod($0, 0o770) },
    Damage(what: "open to readers", says: "others may enter it (mode 755); ", isOfDaemons: true) {
      chmod($0, 0o755)
    },
    Damage(what: "a link", says: "it is a symbolic link of the user \(geteuid()), ") {
      rename($0, "\($0)-away")
      symlink("\($0)-away", $0)
    },
  ].filter { !$0.isRootsOnly || geteuid() == 0 }
}

/// A home that another user made or can change.
@Suite("A phone directory that other users can change", .waits) struct ForeignHomeTests {
  private let scratch = Scratch()

  private func makeHome() {
    for part in ["", "/os", "/lsp", "/journal", "/Keychain", "/Keychain/items", "/AppGroup"] {
      mkdir(scratch("phone\(part)"), 0o700)
    }
  }

  private func isRefused(_ program: String, _ arguments: [String], _ words: String, code: Int32 = 73) throws {
    let child = try scratch.start(program, arguments)
    var waiting = pollfd(fd: child.pidfd, events: Int16(POLLIN), revents: 0)
    // A program that does not refuse runs on.
    if poll(&waiting, 1, 60_000) == 0 { child.send(SIGKILL) }
    let end = scratch.end(child)
    let said = scratch.text("said")
    try #require(end == .exited(code: code), "\(program) \(arguments): \(said)")
    #expect(said.hasPrefix("\(program): \(words)"), "\(program) \(arguments): \(said)")
    #expect(said.filter { $0 == "\n" }.count == 1, "\(said)")
  }

  private static let asked: [[String]] = [
    ["up"], ["down"], ["status"], ["ps"], ["logs"], ["app", "open"], ["invoice", "5"], ["pushes"],
    ["inspect"],
    ["judge"], ["tasks"], ["device"], ["notifications"], ["restore"], ["payments"],
    ["withdraw", "1", "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"], ["push", "--silent"],
  ]

  @Test(arguments: asked)
  func
    `With path and reason, verbs refuse to use a phone's directory that other users can change`(
      verb: [String]
    ) throws
  {
    for damage in Damage.all where !damage.isOfDaemons {
      try? FileManager.default.removeItem(atPath: scratch("phone"))
      try? FileManager.default.removeItem(atPath: scratch("phone-away"))
      makeHome()
      let path = scratch("phone")
      damage.damage(path)
      try isRefused("baton", ["--home", path] + verb, "cannot use \(path): \(damage.says)")
    }
    // No verb created a file.
    #expect(scratch.names.filter { !$0.hasPrefix("phone") } == ["said"])
  }

  @Test
  func `The daemons refuse a home, and wallet processes a directory, that other users can change`()
    throws
  {
    for damage in Damage.all {
      for program in ["iosd", "lspd"] {
        try? FileManager.default.removeItem(atPath: scratch("phone"))
        try? FileManager.default.removeItem(atPath: scratch("phone-away"))
        makeHome()
        damage.damage(scratch("phone"))
        try isRefused(
          program, ["--home", scratch("phone")], "cannot use \(scratch("phone")): \(damage.says)")
      }
      if damage.isOfDaemons { continue }
      for program in ["mainappd", "notifyextd"] {
        for part in ["Keychain", "journal"] {
          try? FileManager.default.removeItem(atPath: scratch("phone"))
          makeHome()
          damage.damage(scratch("phone/\(part)"))
          try isRefused(
            program,
            [
              "--container", scratch("phone/AppGroup"), "--keychain", scratch("phone/Keychain"), "--journal",
              scratch("phone/journal"),
            ], "cannot use \(scratch("phone/\(part)")): \(damage.says)")
          #expect(!FilePath.exists(scratch("phone/Keychain/wallet-seed")))
        }
      }
    }
  }

  @Test(arguments: ["demo", "run"])
  func `--keep refuses a directory that others can write to, even an empty one`(verb: String) throws {
    mkdir(scratch("kept"), 0o777)
    chmod(scratch("kept"), 0o777)
    let story = scratch.write("story.txt", "# The app is opened\nthe app opens\nthe verdict\n")
    let words =
      verb == "run" ? ["run", story, "--keep", scratch("kept")] : ["demo", "--keep", scratch("kept")]
    _ = scratch.end(try scratch.start("baton", words))
    #expect(
      scratch.text("said").contains("cannot use \(scratch("kept")): others may write to it (mode 777)"),
      "\(scratch.text("said"))")
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch("kept")).isEmpty)
  }

  @Test(arguments: Daemon.allCases)
  func `A symbolic link in place of a daemon's log is refused, and its target is unchanged`(daemon: Daemon)
    throws
  {
    makeHome()
    scratch.write("profile", "export PATH\n")
    let log = Phone(home: scratch("phone")).log(of: daemon)
    symlink(scratch("profile"), log)
    try isRefused("baton", ["--home", scratch("phone"), "up"], "cannot open \(log): it is a symbolic link")
    #expect(scratch.text("profile") == "export PATH\n")
    unlink(log)
    symlink(scratch("missing"), log)
    try isRefused("baton", ["--home", scratch("phone"), "up"], "cannot open \(log): it is a symbolic link")
    #expect(!FilePath.exists(scratch("missing")))
  }

  // MARK: Two users

  /// Copies the programs to where every user can run them.
  private func copyPrograms() throws {
    chmod(scratch.path, 0o755)
    for program in ["baton", "iosd", "lspd", "mainappd", "notifyextd"] {
      try FileManager.default.copyItem(atPath: "\(Scratch.programs)/\(program)", toPath: scratch(program))
    }
    mkdir(scratch("shared"), 0o1777)
    chmod(scratch("shared"), 0o1777)
  }

  private func run(as user: Int, _ words: [String]) throws -> (ChildEnd.How?, String) {
    let child = try scratch.start(
      "/usr/bin/setpriv",
      [
        "--reuid=\(user)", "--regid=\(user)", "--clear-groups", scratch("baton"), "--home",
        scratch("shared/phone"),
      ] + words)
    return (scratch.end(child), scratch.text("said"))
  }

  @Test(.enabled(if: geteuid() == 0, "only root can become two others"))
  func `Of two users of a shared directory neither can use a phone's directory that the other can change`()
    throws
  {
    try copyPrograms()
    // User 65533 makes a phone there.
    let (up, said) = try run(as: 65533, ["up"])
    #expect(up == .exited(code: 0), "\(said)")
    #expect(try run(as: 65533, ["status"]).0 == .exited(code: 0))
    #expect(try run(as: 65533, ["down"]).0 == .exited(code: 0))
    // Every file is opened to all users, as for a takeover by another user.
    let opened = try scratch.start("/bin/chmod", ["-R", "a+rwX", scratch("shared/phone")])
    #expect(scratch.end(opened) == .exited(code: 0))
    let before = try FileManager.default.subpathsOfDirectory(atPath: scratch("shared/phone")).sorted()
    for verb in [["up"], ["status"], ["down"], ["invoice", "10"]] {
      let (end, words) = try run(as: 65534, verb)
      #expect(end == .exited(code: 73), "\(words)")
      #expect(
        words.hasPrefix(
          "baton: cannot use \(scratch("shared/phone")): it belongs to the user 65533, and this is the user 65534; "
        ),
        "\(words)")
    }
    #expect(try FileManager.default.subpathsOfDirectory(atPath: scratch("shared/phone")).sorted() == before)
    // Its owner does not use a home either that others could have changed.
    let (again, why) = try run(as: 65533, ["up"])
    #expect(again == .exited(code: 73))
    #expect(why.contains("others may write to it (mode 777)"), "\(why)")
  }

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
