import PhonePolicy

@testable import IOSd

@Suite("The wallet's seed in the phone's keychain, with the real app and extension", .waits)
struct SeedInKeychainTests {
  private func phone(_ options: [String] = []) throws -> PhoneProcess {
    try PhoneProcess(
      app: "\(Started.directory)/mainappd", ext: "\(Started.directory)/notifyextd", options)
  }

  private func seed(_ phone: PhoneProcess) throws -> [UInt8]? {
    let store = try KeychainStore(
      directory: "\(phone.home)/Keychain/items", key: "\(phone.home)/os/keychain.key")
    guard let item = try store.item(Entitlements.accessGroup, "wallet-seed") else { return nil }
    return try store.value(of: item)
  }

  /// Opens the app and waits until it has read its seed.
  private func open(_ phone: PhoneProcess) throws {
    try phone.ask("open")
    try Wait.until("the app has read its seed") { try phone.said("app") != nil }
  }

  private func reason(_ phone: PhoneProcess) throws -> String {
    try phone.ended("extension")["reason"] as? String ?? ""
  }

  @Test(.shows("L-S.3", "K-42"))
  func `The app creates the seed once and keeps it in the keychain; no file has it in clear`()
    throws
  {
    let phone = try phone()
    try open(phone)
    let made = try #require(try seed(phone))
    expect(made.count, is: 32)
    #expect(access("\(phone.home)/Keychain/wallet-seed", F_OK) != 0)
    try phone.ask("reboot")
    try open(phone)
    expect(try seed(phone), is: made)
    for folder in ["Keychain/items", "journal", "AppGroup", "os"] {
      for name in try FileManager.default.contentsOfDirectory(atPath: "\(phone.home)/\(folder)") {
        let bytes = FileManager.default.contents(atPath: "\(phone.home)/\(folder)/\(name)") ?? Data()
        #expect(bytes.range(of: Data(made)) == nil, "\(folder)/\(name)")
      }
    }
  }

  @Test(.shows("B-T.5", "K-42"))
  func `After a reboot a push is shown as sent, as the extension cannot read its seed until the unlock`()
    throws
  {
    let phone = try phone()
    try open(phone)
    try phone.ask("reboot")
    try phone.push("as it was sent")
    expect(try phone.notifications(1), is: ["as it was sent"])
    #expect(
      try reason(phone).contains(
        "the phone has not been unlocked since it was started, so the wallet cannot read its seed"))
    expect(try phone.ended("extension")["number"] as? Int32, is: ExitCode.badConfiguration.rawValue)
    #expect(try reason(phone).hasPrefix("ended by itself with exit code 78: "))
    expect(try phone.ended("extension")["crashed"] as? Bool, is: false)
    try phone.ask("device", ["locked": "no"])
    try phone.push("another")
    try Wait.until("the extension has read its seed") { try phone.said("extension") != nil }
  }

  @Test
  func `Before the app was opened once the extension makes no wallet: the push is shown as sent`() throws {
    let phone = try phone()
    try phone.push("as it was sent")
    expect(try phone.notifications(1), is: ["as it was sent"])
    #expect(
      try reason(phone).hasSuffix(
        "there is no wallet yet: the app makes it when the user opens it for the first time"))
    expect(try phone.ended("extension")["crashed"] as? Bool, is: false)
    #expect(try seed(phone) == nil)
    try open(phone)
    expect(try seed(phone)?.count, is: 32)
    try phone.ask("quit")
    _ = try phone.ended("app")
    try phone.push("another")
    try Wait.until("the extension has read its seed") { try phone.said("extension") != nil }
  }

  @Test
  func `The missing seed of a used wallet is not created anew, and a seed that has not 32 bytes is refused`()
    throws
  {
    let phone = try phone()
    try open(phone)
    try Wait.until("the wallet is used") {
      let app = try phone.status()["app"] as? [String: Any]
      return (app?["status"] as? [String: Any])?["epoch"] != nil
    }
    try phone.ask("quit")
    _ = try phone.ended("app")
    let store = try KeychainStore(
      directory: "\(phone.home)/Keychain/items", key: "\(phone.home)/os/keychain.key")
    #expect(store.delete(Entitlements.accessGroup, "wallet-seed"))
    try phone.push("as it was sent")
    expect(try phone.notifications(1), is: ["as it was sent"])
    #expect(try reason(phone).contains("is missing and the wallet is not new"))
    #expect(try seed(phone) == nil)
    try store.write([1, 2, 3], Entitlements.accessGroup, "wallet-seed", .afterFirstUnlock)
    try phone.push("again")
    expect(try phone.notifications(2).last, is: "again")
    #expect(try reason(phone).contains("has 3 bytes instead of 32"))
  }

  @Test func `Adding a keychain item that exists is refused, and the existing item stays`() throws {
    let phone = try PhoneProcess(app: "app-keychain-twice", ext: "ext-keychain")
    try phone.ask("open")
    try Wait.until("the app was refused") {
      try phone.said("app")?.contains("there is an item mnemonic") == true
    }
    try phone.ask("quit")
    _ = try phone.ended("app")
    try phone.push()
    expect(try phone.notifications(1), is: ["first"])
  }

  @Test(.shows("B-M.2"), .disabled(if: PhoneProcess.isSanitized, "its memory is the sanitizer's"))
  func `The app is warned each time its memory rises above the limit; the wallet then frees SQLite memory`()
    throws
  {
    let phone = try PhoneProcess(app: "app-ballast", ["--memory-warning", "20000000"])
    try phone.ask("open")
    try Wait.until("the app was warned") { try phone.said("app") == "warned 1 times" }
    try Wait.until("it has fallen below") {
      let app = try phone.status()["app"] as? [String: Any]
      return try #require(app?["footprint_bytes"] as? Int) < 20_000_000
    }
    try phone.ask("home")
    try Wait.until("the app was warned twice") { try phone.said("app") == "warned 2 times" }
    let wallet = try self.phone(["--memory-warning", "1048576"])
    try open(wallet)
    try Wait.until("the wallet has noted it") {
      wallet.journal(of: "mainappd").contains("memory warning: SQLite freed")
    }
  }
}
