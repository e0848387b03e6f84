import SharedContainer

/// A full disk: a small tmpfs filled to its last block. Mounting needs root.
@Suite(.enabled(if: SmallDisk.isPossible, "mounting a small disk needs root"), .waits) struct FullDiskTests {
  let disk = SmallDisk()

  private func flood(_ container: SharedContainer, under claim: Claim) -> FencedResult<Bool> {
    container.fencedWrite(under: claim, what: "flood", atMonotonic: Instant(nanoseconds: 0)) { node in
      for _ in 0..<50 {
        try node.execute(
          "INSERT INTO notes (words) VALUES (?)", [.text(String(repeating: "x", count: 40_000))])
      }
      return true
    }
  }

  @Test func `A fenced write on a full disk fails without a partial change`() throws {
    let app = try SharedContainer.open(disk.place.file("disk/AppGroup"), role: .app, nodeSchema: Place.schema)
    let claim = try app.owned(seen: 0)
    expect(app.note("before", under: claim), is: .written(1))
    disk.fill()
    expect(flood(app, under: claim), is: .failed(.full(path: app.layout.database)))
    expect(app.notes(), is: ["before"])
    #expect(app.claim(seen: 1, by: .test()) { _ in 0 } != .ownLockBusy)
    disk.empty()
    let row = try #require(app.seen()?.row)
    expect(
      app.claim(seen: row.epoch, by: .test()) { _ in 0 },
      is: .claimed(Claim(epoch: row.epoch + 1, incarnation: 7, container: app.id), 0))
  }

  @Test
  func `A beat on a full disk fails with an error that names the file, and is written once there is room`() {
    let file = HeartbeatFile(path: disk.place.file("disk/heartbeat"))
    let beat = Beat(
      role: .app, epoch: 1, phase: .claimed, counter: 1, process: .test, bootClock: Instant(nanoseconds: 1),
      wallClockNanoseconds: 2)
    disk.fill()
    expect(file.write(beat), is: .failed(.full(path: file.path)))
    #expect(file.read(.app) == nil)
    disk.empty()
    expect(file.write(beat), is: .written)
    expect(file.read(.app), is: beat)
  }
}

/// A 1 MB tmpfs below a test's directory.
final class SmallDisk: Sendable {
  let place = Place()

  static var isPossible: Bool { geteuid() == 0 && SmallDisk().isMounted }

  init() {
    mkdir(place.file("disk"), 0o700)
    mount("tmpfs", place.file("disk"), "tmpfs", 0, "size=1m")
  }

  deinit { umount2(place.file("disk"), Int32(MNT_DETACH)) }

  private var isMounted: Bool {
    var above = stat()
    var here = stat()
    return stat(place.path, &above) == 0 && stat(place.file("disk"), &here) == 0
      && above.st_dev != here.st_dev
  }

  func fill() {
    let descriptor = open(place.file("disk/filler"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
    let block = [UInt8](repeating: 1, count: 4096)
    while write(descriptor, block, block.count) > 0 {}
  }

  /// Truncated first: a process forked by another test meanwhile may have the file open, and keep its blocks.
  func empty() {
    truncate(place.file("disk/filler"), 0)
    unlink(place.file("disk/filler"))
  }
}
