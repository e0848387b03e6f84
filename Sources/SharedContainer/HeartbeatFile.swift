import Ground
import Heartbeat

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The result of writing a beat. A failed beat costs other processes time, never safety.
public enum BeatWrite: Hashable, Sendable {
  case written
  case failed(ContainerError)
}

/// Two fixed slots, one per role, each in its own sector, so that a torn write of one cannot damage the other.
///
/// Read and written by position, never mapped: if a mapped file is truncated, access is a SIGBUS; a read of it is only
/// short. A removed or replaced file is created again, since readers open the path.
public final class HeartbeatFile {
  public let path: String
  private var writing: Int32 = -1
  private var reading: Int32 = -1
  private static let sectorSize = 512

  public init(path: String) { self.path = path }

  deinit {
    Self.shut(&writing)
    Self.shut(&reading)
  }

  public func write(_ beat: Beat) -> BeatWrite {
    do {
      try prepareWriting()
    } catch {
      return .failed(error)
    }
    let bytes = BeatSlot.encode(beat)
    while true {
      let count = pwrite(writing, bytes, bytes.count, Self.offset(of: beat.role))
      if count == bytes.count { return .written }
      let code = errno
      if count < 0 && code == EINTR { continue }
      // A short write is how a full disk answers.
      return .failed(ContainerError(errno: count < 0 ? code : ENOSPC, path: path, doing: "writing"))
    }
  }

  /// The beat in a role's slot; nil if empty, torn, or of another role.
  public func read(_ role: Role) -> Beat? {
    guard prepareReading() else { return nil }
    var bytes = [UInt8](repeating: 0, count: BeatSlot.size)
    var count = 0
    repeat {
      count = pread(reading, &bytes, bytes.count, Self.offset(of: role))
    } while count < 0 && errno == EINTR
    guard count == bytes.count, let beat = BeatSlot.decode(bytes), beat.role == role else { return nil }
    return beat
  }

  /// The roles whose slot is not zeros and not a valid beat. A slot that was never written is zeros.
  func damagedSlots() -> [Role] {
    // An empty file is new, or lost its beats in a power cut.
    guard prepareReading(), let facts = FileFacts.of(descriptor: reading), facts.size > 0 else { return [] }
    return Role.allCases.filter { role in
      // A read may coincide with a write.
      for _ in 0..<4 {
        if read(role) != nil { return false }
        var bytes = [UInt8](repeating: 0, count: BeatSlot.size)
        let count = pread(reading, &bytes, bytes.count, Self.offset(of: role))
        if count == bytes.count && bytes.allSatisfy({ $0 == 0 }) { return false }
        sched_yield()
      }
      return true
    }
  }

  private func prepareWriting() throws(ContainerError) {
    if leads(to: writing) { return }
    Self.shut(&writing)
    writing = try GuardFile.openOrCreate(path)
    // Only lengthened: the other role's slot may have a beat already.
    guard let facts = FileFacts.of(descriptor: writing), facts.size < 2 * Self.sectorSize else { return }
    ftruncate(writing, off_t(2 * Self.sectorSize))
  }

  private func prepareReading() -> Bool {
    if leads(to: reading) { return true }
    Self.shut(&reading)
    guard let descriptor = try? GuardFile.openExisting(path, O_RDONLY) else { return false }
    reading = descriptor
    return true
  }

  private func leads(to descriptor: Int32) -> Bool {
    guard descriptor >= 0, case .success(let there) = FileFacts.at(path) else { return false }
    return there.isSameFile(as: FileFacts.of(descriptor: descriptor))
  }

  private static func shut(_ descriptor: inout Int32) {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  private static func offset(of role: Role) -> off_t { role == .app ? 0 : off_t(sectorSize) }
}
