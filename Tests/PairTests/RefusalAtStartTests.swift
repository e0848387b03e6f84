/// A damage before the start, the error that it causes, and its repair.
private struct Obstacle: CustomTestStringConvertible, Sendable {
  var testDescription: String
  var path: String
  var damage: @Sendable (String) -> Void
  var repair: @Sendable (String) -> Void
  var says: String
  var code: Int32 = 73

  /// The file moved away and replaced; the repair moves it back.
  static func misplaced(
    _ what: String, _ path: String, _ says: String, _ put: @escaping @Sendable (String) -> Void
  )
    -> Obstacle
  {
    Obstacle(
      testDescription: "\(path): \(what)", path: path,
      damage: { path in
        rename(path, "\(path)-away")
        put(path)
      },
      repair: { path in
        try? FileManager.default.removeItem(atPath: path)
        rename("\(path)-away", path)
      }, says: says)
  }

  static let all: [Obstacle] = [
    misplaced("a link", "AppGroup/locks/app.lock", "is a symbolic link") { symlink("\($0)-away", $0) },
    misplaced("a file", "AppGroup/presence", "is not a directory") {
      close(open($0, O_CREAT | O_WRONLY, 0o600))
    },
    misplaced("noise", "AppGroup/node.sqlite", "is not a database") { path in
      _ = FileManager.default.createFile(
        atPath: path, contents: Data(repeating: 0x5A, count: 9000), attributes: [.posixPermissions: 0o600])
      for suffix in ["-wal", "-shm"] { rename(path + suffix, path + suffix + "-away") }
    },
    misplaced("a directory", "AppGroup/node.sqlite-wal", "is not a plain file") { mkdir($0, 0o700) },
    Obstacle(
      testDescription: "AppGroup: writable or readable by others", path: "AppGroup",
      damage: { chmod($0, 0o777) },
      repair: { chmod($0, 0o700) }, says: "can be written by others (mode 777)"),
    Obstacle(
      testDescription: "AppGroup/node.sqlite: writable or readable by others", path: "AppGroup/node.sqlite",
      damage: { chmod($0, 0o666) }, repair: { chmod($0, 0o600) }, says: "can be written by others (mode 666)"),
    Obstacle(
      testDescription: "Keychain/wallet-seed: gone", path: "Keychain/wallet-seed",
      damage: { rename($0, "\($0)-away") }, repair: { rename("\($0)-away", $0) },
      says: "is missing and the wallet is not new", code: 78),
    Obstacle(
      testDescription: "Keychain/wallet-seed: cut short", path: "Keychain/wallet-seed",
      damage: { path in
        rename(path, "\(path)-away")
        _ = FileManager.default.createFile(
          atPath: path, contents: Data([1, 2, 3]), attributes: [.posixPermissions: 0o600])
      }, repair: { rename("\($0)-away", $0) }, says: "has 3 bytes and must have 32", code: 78),
    Obstacle(
      testDescription: "Keychain/wallet-seed: a pipe", path: "Keychain/wallet-seed",
      damage: { path in
        rename(path, "\(path)-away")
        mkfifo(path, 0o600)
      }, repair: { rename("\($0)-away", $0) }, says: "it is not a plain file", code: 74),
    Obstacle(
      testDescription: "Keychain/wallet-seed: writable or readable by others", path: "Keychain/wallet-seed",
      damage: { chmod($0, 0o644) }, repair: { chmod($0, 0o600) }, says: "is readable by other users", code: 78
    ),
  ]
}

@Suite("Damage before the start", .serialized, .waits) struct RefusalAtStartTests {
  @Test
  func `The app refuses each damaged file in one sentence with its exit code; repaired, the wallet starts`()
    throws
  {
    let phone = try TestPhone()
    let app = try phone.launchApp()
    _ = try phone.invoices(1, app)
    try phone.kill(app)
    for obstacle in Obstacle.all {
      let path = "\(phone.home)/\(obstacle.path)"
      obstacle.damage(path)
      let refused = try phone.startApp()
      try phone.wait("the refusal of \(obstacle.testDescription)") {
        refused.hasEnded && refused.count("ending") > 0
      }
      let words = refused.messages.first { $0.message.verb == "ending" }?.message["reason"] ?? "nothing"
      expect(refused.end?.how, is: .exited(code: obstacle.code), "\(obstacle.testDescription): \(words)")
      #expect(words.contains(obstacle.says), "\(obstacle.testDescription): \(words)")
      #expect(words.contains(";") && !words.contains("\n"), "\(words)")
      obstacle.repair(path)
      for suffix in ["-wal", "-shm"] { rename("\(path)\(suffix)-away", path + suffix) }
    }
    let again = try phone.launchApp()
    phone.open(again)
    try phone.wait("the app to be connected") { again.status == "connected" }
    expect(phone.owner?.epoch, is: 2)
  }

  @Test
  func `With another seed nothing is claimed or received; with its own seed the wallet is paid`() throws {
    let phone = try TestPhone()
    let app = try phone.launchApp()
    let invoice = try phone.invoices(1, app)[0]
    try phone.kill(app)
    let seed = "\(phone.home)/Keychain/wallet-seed"
    rename(seed, "\(seed)-away")
    _ = FileManager.default.createFile(
      atPath: seed, contents: Data(repeating: 7, count: 32), attributes: [.posixPermissions: 0o600])
    try phone.pay(invoice)
    let other = try phone.launchApp()
    phone.open(other)
    try phone.wait("the sentence") {
      other.status.contains("is not the seed that this wallet's invoices were made with")
    }
    expect(phone.owner?.epoch, is: 1)
    try phone.kill(other)

    rename("\(seed)-away", seed)
    let again = try phone.launchApp()
    phone.open(again)
    try phone.waitUntilSettled(invoice)
    expect(try phone.receivedPayments(), is: [invoice.paymentHash.hex])
  }
}
