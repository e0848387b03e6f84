@Suite("The file of registered notification categories", .waits) struct CategoryFileTests {
  private static let obstacles = ["a directory", "a pipe", "damaged"]

  private func walletPhone() throws -> PhoneProcess {
    let phone = try PhoneProcess(app: "\(Started.directory)/mainappd")
    try register(phone)
    return phone
  }

  private func register(_ phone: PhoneProcess) throws {
    try phone.ask("open")
    try Wait.until("it has registered") { try phone.ask("categories").bodyText.contains("INCOMING_PAYMENT") }
  }

  @Test(arguments: obstacles)
  func
    `An unusable file of notification categories is noted in iosd's journal, and the phone starts without categories`(
      what: String
    )
    throws
  {
    let phone = try walletPhone()
    try phone.down()
    let path = "\(phone.home)/os/categories.json"
    unlink(path)
    switch what {
    case "a directory": mkdir(path, 0o700)
    case "a pipe": mkfifo(path, 0o600)
    default: try Data("[{".utf8).write(to: URL(filePath: path))
    }
    try phone.restart()
    expect(try phone.ask("categories").bodyText, is: "[]")
    #expect(phone.journal().contains("the app has to register its categories again"))
    try register(phone)
  }

  @Test
  func `A failed write of the categories is repeated when the app registers them again, and at power-off`()
    throws
  {
    let phone = try walletPhone()
    let path = "\(phone.home)/os/categories.json"
    try phone.down()
    unlink(path)
    mkdir(path, 0o700)
    try phone.restart()
    try register(phone)
    #expect(phone.journal().contains("the app's categories will be lost when iosd ends"))
    // The app does not register again before its next start.
    try phone.ask("quit")
    _ = try phone.ended("app")
    rmdir(path)
    try phone.ask("open")
    try Wait.until("the file is there") { access(path, F_OK) == 0 }
    try phone.down()
    unlink(path)
    mkdir(path, 0o700)
    try phone.restart()
    try register(phone)
    rmdir(path)
    try phone.down()
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("INCOMING_PAYMENT"))
  }
}
