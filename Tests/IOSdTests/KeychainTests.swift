import PhonePolicy

@testable import IOSd

private let group = "A1B2C3D4E5.com.example.lightning"
private let words = "abandon ability able"

@Suite(.waits) struct KeychainTests {
  private static func wait(_ phone: PhoneProcess, forText text: String) throws {
    try Wait.until("the app says \(text)") { try phone.said("app")?.contains(text) == true }
  }

  /// The app has written its item and has ended.
  private static func withItem(_ options: [String] = []) throws -> PhoneProcess {
    let phone = try PhoneProcess(app: "app-keychain", ext: "ext-keychain", options)
    try phone.ask("open")
    try wait(phone, forText: "written")
    try phone.ask("quit")
    _ = try phone.ended("app")
    return phone
  }

  private static func file(_ phone: PhoneProcess, _ text: String) throws -> String {
    let path = "\(phone.directory)/entitlements.json"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  @Test(.shows("L-1.4b", "L-2.4"))
  func `The extension reads the app's keychain item, a foreign process is refused, the file is encrypted`()
    throws
  {
    let phone = try Self.withItem()
    try phone.push()
    expect(try phone.notifications(1), is: [words])
    let refusal = try phone.refusal("keychain-read", ["group": group, "account": "mnemonic"])
    expect(refusal?.contains("process \(getpid()) was not started by this phone"), is: true)
    expect(refusal?.contains(group), is: true)
    for verb in ["keychain-write", "keychain-delete"] {
      #expect(try phone.refusal(verb, ["group": group, "account": "mnemonic"]) != nil)
    }
    let items = "\(phone.home)/Keychain/items"
    let names = try FileManager.default.contentsOfDirectory(atPath: items)
    expect(names.count, is: 1)
    for folder in ["Keychain/items", "journal", "AppGroup", "os"] {
      for name in try FileManager.default.contentsOfDirectory(atPath: "\(phone.home)/\(folder)") {
        // The notification shows the text to the user; every other file must not contain it.
        if name == "notifications.jsonl" || folder == "journal" { continue }
        let bytes = FileManager.default.contents(atPath: "\(phone.home)/\(folder)/\(name)") ?? Data()
        #expect(bytes.range(of: Data(words.utf8)) == nil, "\(folder)/\(name)")
      }
    }
  }

  @Test(.shows("L-I.2", "L-1.4a"))
  func `The container of another app group is not found, and the error names the group's id`()
    throws
  {
    let phone = try PhoneProcess(app: "app-container")
    try phone.ask("open")
    try Self.wait(phone, forText: "no container of the app group group.com.example.other")
    expect(try phone.state("app"), is: "foreground")
  }

  @Test(.shows("L-2.4"))
  func `On the control socket a child of iosd gets the container's path, a foreign process is refused`()
    throws
  {
    let phone = try PhoneProcess(app: "app-keychain-socket")
    try phone.ask("open")
    try Self.wait(phone, forText: "on the socket: \(phone.home)/AppGroup")
    #expect(try phone.refusal("container", ["id": "group.com.example.lightning"]) != nil)
  }

  @Test(.shows("L-2.1b")) func `With an invalid entitlements file iosd does not start`() throws {
    let phone = try PhoneProcess()
    for text in [
      "", "[]", "{\"app\":1}", #"{"app":{"keychain-access-groups":["com.example"]}}"#,
      #"{"extension":{"com.apple.security.application-groups":["example"]}}"#,
    ] {
      let path = try Self.file(phone, text)
      let other = try PhoneProcess.launch(
        [
          "--home", "\(phone.directory)/other", "--app", "/bin/true", "--ext", "/bin/true",
          "--entitlements-file", path,
        ])
      expect(other.waitForEnd(), is: ExitCode.badConfiguration.rawValue, "\(text)")
    }
  }

  @Test
  func
    `A damaged keychain item is reported to the extension, and with a damaged or missing key iosd does not start`()
    throws
  {
    let phone = try Self.withItem()
    let items = "\(phone.home)/Keychain/items"
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: items).first)
    let item = try #require(FileManager.default.contents(atPath: "\(items)/\(name)"))
    for damaged in [Data(), Data("{}".utf8), item.dropLast(20), Self.otherClass(item)] {
      try damaged.write(to: URL(filePath: "\(items)/\(name)"))
      let before = try phone.rows("notifications").count
      try phone.push()
      expect(try phone.notifications(before + 1).last?.contains("cannot be opened"), is: true)
    }
    try phone.down()
    for key in [Data("short".utf8), nil] {
      let path = "\(phone.home)/os/keychain.key"
      try FileManager.default.removeItem(atPath: path)
      try key?.write(to: URL(filePath: path))
      let again = try PhoneProcess.launch(
        ["--home", phone.home, "--app", "/bin/true", "--ext", "/bin/true"])
      expect(again.waitForEnd(), is: ExitCode.inputOutputError.rawValue)
      #expect(
        (access(path, F_OK) == 0) == (key != nil), "no key is made beside items that another key sealed")
      try Data().write(to: URL(filePath: path))
    }
  }

  /// The same item under another protection class.
  private static func otherClass(_ item: Data) -> Data {
    Data(
      String(decoding: item, as: UTF8.self)
        .replacingOccurrences(of: "after-first-unlock", with: "when-unlocked").utf8)
  }

  @Test
  func
    `The keychain store keeps, replaces and deletes items; with the maximum number of items it refuses a new one`()
    throws
  {
    let directory = TemporaryDirectory()
    let make = { try KeychainStore(directory: directory("items"), key: directory("key")) }
    let store = try make()
    let values: [([UInt8], KeychainProtection)] = [([], .whenUnlocked), ([1, 2, 3], .afterFirstUnlock)]
    for (value, protection) in values {
      try store.write(value, group, "a/../b", protection)
      let item = try #require(try make().item(group, "a/../b"))
      expect(item.protection, is: protection)
      expect(try make().value(of: item), is: value)
    }
    expect(store.items.map(\.account), is: ["a/../b"])
    #expect(store.delete(group, "a/../b"))
    #expect(!store.delete(group, "a/../b"))
    #expect(try store.item(group, "a/../b") == nil)
    for number in 0..<KeychainStore.itemsMax { try store.write([], group, "\(number)", .whenUnlocked) }
    #expect(throws: KeychainStoreError.full) { try store.write([], group, "more", .whenUnlocked) }
    try store.write([9], group, "7", .whenUnlocked)
  }
}
