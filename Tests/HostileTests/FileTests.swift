import LightningIO

@Suite("Hostile input: small files read at the start", .serialized, .waits) struct FileTests {
  enum Content: CaseIterable {
    case empty
    case garbage
    case huge
    case pipe
    case directory
    case link
  }

  private func put(_ content: Content, at path: String) throws {
    try? FileManager.default.removeItem(atPath: path)
    switch content {
    case .empty: try Data().write(to: URL(fileURLWithPath: path))
    case .garbage:
      try Data((0..<100).map { UInt8(truncatingIfNeeded: $0 &* 37) }).write(to: URL(fileURLWithPath: path))
    case .huge: try Data(repeating: 0x42, count: 1 << 20).write(to: URL(fileURLWithPath: path))
    case .pipe: try #require(mkfifo(path, 0o600) == 0)
    case .directory: try #require(mkdir(path, 0o700) == 0)
    case .link: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/zero")
    }
  }

  @Test(arguments: Content.allCases)
  func `With an invalid clock file the app connects under the kernel's boot id`(_ content: Content) throws {
    let phone = try TestPhone()
    try put(content, at: "\(phone.home)/os/clock")
    _ = try phone.connectedApp()
    expect(phone.owner?.process.boot, is: Clock().boot)
  }

  @Test func `With extreme offsets in the clock file the app connects and ends in order`() throws {
    let phone = try TestPhone()
    for offset in [Int64.max, .min] {
      var clock = PhoneClock(boot: Clock().boot)
      clock.wallOffsetNanoseconds = offset
      clock.bootOffsetNanoseconds = offset
      try PhoneClockFile(path: "\(phone.home)/os/clock").write(clock)
      let app = try phone.connectedApp()
      app.send(ControlMessage("terminate"))
      try phone.wait("the app to end") { app.hasEnded }
      expect(app.end?.how, is: .exited(code: 0))
    }
  }

  @Test(arguments: Content.allCases)
  func `lspd replaces an invalid address file, and names the path if a directory is in its place`(
    _ content: Content
  ) throws {
    let phone = try RealPhone()
    _ = try phone.baton(["down"])
    let path = "\(phone.home)/lsp/address"
    try put(content, at: path)
    try put(.pipe, at: path + ".new")
    let up = try phone.baton(["up"])
    guard content == .directory else {
      expect(up.code, is: 0, "\(up.errors)")
      #expect(PeerAddress(try phone.place(.peer)) != nil)
      return
    }
    expect(up.code, is: 69)
    #expect(up.errors.contains("lspd: cannot write \(path): "))
  }
}
