import SharedContainer

@Suite(.waits) struct HeartbeatFileTests {
  let place = Place()

  private var path: String { place.file("heartbeat") }

  private func beat(_ role: Role, _ counter: UInt64) -> Beat {
    Beat(
      role: role, epoch: 3, phase: .established, counter: counter, process: .test,
      bootClock: Instant(nanoseconds: 1), wallClockNanoseconds: 2)
  }

  @Test func `Each role has its own heartbeat slot`() {
    let writer = HeartbeatFile(path: path)
    let reader = HeartbeatFile(path: path)
    #expect(reader.read(.app) == nil)
    expect(writer.write(beat(.app, 1)), is: .written)
    #expect(reader.read(.extension) == nil)
    expect(writer.write(beat(.extension, 2)), is: .written)
    expect(writer.write(beat(.app, 3)), is: .written)
    expect(reader.read(.app), is: beat(.app, 3))
    expect(reader.read(.extension), is: beat(.extension, 2))
    expect(Files.read(path).count, is: 1024)
    expect(Files.mode(path), is: 0o600)
  }

  @Test func `A truncated heartbeat file reads as no beat, and the next beat repairs it`() {
    let writer = HeartbeatFile(path: path)
    let reader = HeartbeatFile(path: path)
    for length: off_t in [0, 1, 127, 512, 600] {
      expect(writer.write(beat(.extension, 1)), is: .written)
      expect(reader.read(.extension), is: beat(.extension, 1))
      truncate(path, length)
      #expect(reader.read(.extension) == nil)
    }
    expect(writer.write(beat(.extension, 2)), is: .written)
    expect(reader.read(.extension), is: beat(.extension, 2))
  }

  @Test func `After the heartbeat file was removed or replaced, writer and reader use the file at its path`()
  {
    let writer = HeartbeatFile(path: path)
    let reader = HeartbeatFile(path: path)
    expect(writer.write(beat(.app, 1)), is: .written)
    expect(reader.read(.app), is: beat(.app, 1))
    unlink(path)
    #expect(reader.read(.app) == nil)
    expect(writer.write(beat(.app, 2)), is: .written)
    expect(reader.read(.app), is: beat(.app, 2))
    Files.write(place.file("other"), Array(repeating: 0xAA, count: 2000))
    rename(place.file("other"), path)
    #expect(reader.read(.app) == nil)
    expect(writer.write(beat(.app, 3)), is: .written)
    expect(reader.read(.app), is: beat(.app, 3))
  }

  @Test func `A beat in the other role's slot reads as no beat`() {
    let file = HeartbeatFile(path: path)
    expect(file.write(beat(.app, 1)), is: .written)
    let bytes = Files.read(path)
    Files.write(path, Array(repeating: 0, count: 512) + bytes[..<512])
    #expect(file.read(.extension) == nil)
    #expect(file.read(.app) == nil)
  }

  @Test func `A heartbeat slot with any byte changed reads as no beat`() {
    let file = HeartbeatFile(path: path)
    expect(file.write(beat(.app, 1)), is: .written)
    let good = Files.read(path)
    for index in 0..<BeatSlot.size {
      var bad = good
      bad[index] ^= 0x41
      Files.write(path, bad)
      #expect(file.read(.app) == nil)
    }
  }

  @Test func `A named pipe in place of the heartbeat file reads as no beat, and a beat into it fails`() {
    mkfifo(path, 0o600)
    let file = HeartbeatFile(path: path)
    #expect(file.read(.app) == nil)
    expect(
      file.write(beat(.app, 1)), is: .failed(.notAPlainFile(path: path, because: "as it is not a plain file"))
    )
  }
}
