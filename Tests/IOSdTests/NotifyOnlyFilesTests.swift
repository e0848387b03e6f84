import Guardrails

/// What the extension without a node links and opens.
@Suite("What the extension that only notifies can reach", .waits) struct NotifyOnlyFilesTests {
  private static let strace = "/usr/bin/strace"

  @Test(.shows("B-1.1.1", "B-1.1.2", "B-1.1.3"))
  func `The program has no symbol of the node, its wire or its store`() throws {
    let program = "\(Started.directory)/notifyonlyd"
    let bytes = try #require(FileManager.default.contents(atPath: program))
    #expect(bytes.range(of: Data("IncomingStore".utf8)) != nil)
    // A mangled symbol begins with its module.
    for module in ["9Lightning", "11LightningIO", "6Wallet", "13WalletProcess", "15SharedContainer"] {
      #expect(bytes.range(of: Data("$s\(module)".utf8)) == nil, "\(module)")
    }
  }

  /// A process started by hand, with its key in a file, tells one push; returns its output.
  private func tell(
    seed: UInt64, container: String? = nil, _ options: [String] = [],
    then look: (_ home: String) throws -> Void
  ) throws -> String {
    var pushes = SealedPushes(seed: seed)
    let home = NSTemporaryDirectory() + "/baton-told-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: home) }
    try FileManager.default.createDirectory(
      atPath: home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    for (file, content) in [
      ("push-key", Data(pushes.keyBytes)), ("push.apns", Data(pushes.push(pushes.announcement()).utf8)),
    ] {
      #expect(
        FileManager.default.createFile(
          atPath: "\(home)/\(file)", contents: content, attributes: [.posixPermissions: 0o600]))
    }
    let ran = try Started.run(
      "notifyonlyd",
      [
        "--container", container ?? "\(home)/AppGroup", "--journal", "/proc/nothing", "--keychain", home,
        "--push", "\(home)/push.apns",
      ] + options)
    expect(ran.code, is: 0)
    try look(home)
    return ran.output
  }

  private static let text = "Payment Incoming: Open now to receive - funds are being held"

  @Test func `A journal and a container that cannot be made do not prevent the text`() throws {
    let said = try tell(seed: 12, container: "/proc/nothing/AppGroup") { _ in }
    #expect(said.contains(Self.text))
  }

  /// The text goes out after 500 ms without the record, and with it the process ends.
  @Test func `A process that ends while a record is being written does not cut it off`() throws {
    let said = try tell(seed: 14, ["--fault-store-delay", "600ms"]) { home in
      let stored = try IncomingStore(container: "\(home)/AppGroup").all()
      expect(stored.count, is: 1)
    }
    #expect(said.contains(Self.text))
  }

  /// By hand, with the key in a file; on a phone the keychain is descriptor 3.
  @Test(.shows("B-1.1.4"), .disabled(if: access(strace, X_OK) != 0, "there is no strace"))
  func `It opens its key, the incoming store, its journal and the clock, and nothing of the node`()
    throws
  {
    var pushes = SealedPushes(seed: 11)
    let home = NSTemporaryDirectory() + "/baton-told-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: home) }
    for folder in ["", "/Keychain", "/os", "/AppGroup", "/AppGroup/locks", "/AppGroup/presence"] {
      try FileManager.default.createDirectory(
        atPath: home + folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    // As the app leaves it.
    for file in ["node.sqlite", "heartbeat", "locks/app.lock", "locks/extension.lock", "locks/app.intent"] {
      #expect(
        FileManager.default.createFile(
          atPath: "\(home)/AppGroup/\(file)", contents: nil, attributes: [.posixPermissions: 0o600]))
    }
    for (file, content) in [
      ("Keychain/push-key", Data(pushes.keyBytes)), ("Keychain/wallet-seed", Data(pushes.keyBytes)),
      ("push.apns", Data(pushes.push(pushes.announcement()).utf8)),
    ] {
      #expect(
        FileManager.default.createFile(
          atPath: "\(home)/\(file)", contents: content, attributes: [.posixPermissions: 0o600]))
    }
    let ran = try Started.run(
      Self.strace,
      [
        "-f", "-e", "trace=open,openat,openat2,connect,socket,flock,fcntl", "-o", "\(home)/trace",
        "\(Started.directory)/notifyonlyd", "--container", "\(home)/AppGroup", "--keychain",
        "\(home)/Keychain", "--journal", "\(home)/journal", "--clock", "\(home)/os/clock", "--push",
        "\(home)/push.apns",
      ])
    expect(ran.code, is: 0)
    expect(try IncomingStore(container: "\(home)/AppGroup").all().count, is: 1)
    let trace = try String(contentsOfFile: "\(home)/trace", encoding: .utf8)
    // A connection to the peer is AF_INET; the allocator and SQLite need no socket at all.
    #expect(!trace.contains("socket(") && !trace.contains("connect(") && !trace.contains("flock("))
    let node = ["/node.sqlite", "/heartbeat", "/locks", "/presence", "/wallet-seed", "\(home)/lsp"]
    let opened = trace.split(separator: "\n").filter { $0.contains("open") && $0.contains("\"") }
    #expect(opened.contains { $0.contains("incoming.sqlite") } && opened.contains { $0.contains("push-key") })
    for line in opened {
      for name in node { #expect(!line.contains(name), "\(line)") }
    }
  }
}
