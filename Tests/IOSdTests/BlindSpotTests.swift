import Ground

@testable import IOSd

/// If the kernel or a system-call filter denies iosd what a suspension needs, iosd reports a blind spot.
@Suite("What iosd cannot see", .waits) struct BlindSpotTests {
  private static let strace = ["/usr/bin/strace", "/usr/local/bin/strace"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  private func spots(_ phone: PhoneProcess) throws -> [String] {
    try #require(try phone.status()["blind_spots"] as? [String])
  }

  @Test func `If the kernel denies iosd nothing, iosd's status has no blind spots`() throws {
    expect(try spots(try PhoneProcess()), is: [])
  }

  @Test(
    .enabled(if: strace != nil, "there is no strace to make calls fail; `scripts/setup strace` installs it"))
  func `iosd reports at its start that the kernel refuses pidfd_getfd`() throws {
    let phone = try PhoneProcess(under: [
      Self.strace ?? "", "-f", "-o", "/dev/null", "-e", "trace=pidfd_getfd", "-e",
      "inject=pidfd_getfd:error=EPERM",
    ])
    let spots = try spots(phone)
    expect(spots.count, is: 1)
    let spot = try #require(spots.first)
    #expect(spot.hasPrefix("the connections of a suspended process stay open: cannot "))
    try phone.ask("down")
    #expect(phone.journal().contains(spot))
  }

  @Test(
    .enabled(if: strace != nil, "there is no strace to make calls fail; `scripts/setup strace` installs it"))
  func `iosd reports at its start that it cannot read /proc/locks`() throws {
    let phone = try PhoneProcess(under: [
      Self.strace ?? "", "-f", "-o", "/dev/null", "-P", "/proc/locks", "-e", "trace=openat", "-e",
      "inject=openat:error=EACCES",
    ])
    expect(
      try spots(phone),
      is: [
        "a process suspended while it holds a lock in the container is not detected: /proc/locks cannot be read"
      ])
    try phone.ask("down")
  }

  @Test func `iosd reports a lock that /proc/locks does not list, and each blind spot only once`() throws {
    let place = TemporaryDirectory()
    let directory = place.path
    let home = try PhoneHome(directory)
    #expect(BlindSpots(home: home).spots.isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.container).isEmpty)
    // The file is not locked, so /proc/locks lists it as little as one whose file system numbers do not match.
    try Data().write(to: URL(filePath: "\(home.container)/free"))
    let unnamed = BlindSpots.spot(ofOwnLockOn: "free", in: home.container)
    expect(unnamed?.description.contains("/proc/locks does not show"), is: true)
    // The container counts, not the rest of the home.
    try FileManager.default.removeItem(atPath: home.container)
    try Data().write(to: URL(filePath: home.container))
    var blind = BlindSpots(home: home)
    expect(blind.spots.map { $0.description.contains("cannot open \(home.container)") }, is: [true])
    let journal = try Journal(
      directory: directory, name: "test", clock: Clock(), version: "1", arguments: [])
    for _ in 0..<2 { blind.note(.connections("no"), in: journal) }
    expect(blind.spots.count, is: 2)
  }
}
