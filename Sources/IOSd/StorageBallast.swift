import DaemonRuntime
import Glibc

/// Makes the storage really full: one file takes all free space of the file system on which the container lies. The
/// container must be alone on a small file system, so that nothing else runs out of space, iosd's journals and
/// ledgers least of all.
final class StorageBallast {
  static let name = ".iosd-ballast"
  /// The most that may be taken: a larger file system is probably shared, or is this machine's memory.
  static let roomMax: UInt64 = 1 << 30
  /// The smallest allocation that is tried.
  private static let pieceMin: UInt64 = 512

  private let home: PhoneHome
  private var path: String { "\(home.container)/\(Self.name)" }
  private(set) var isFull = false
  /// Why the storage cannot be filled; nil while it is full or should not be.
  private(set) var obstacle: StorageObstacle?
  private var isWanted = false

  /// Removes the ballast of a killed iosd first, so that the container has free space at the start.
  init(_ home: PhoneHome) {
    self.home = home
    unlink(path)
  }

  /// Follows the device's switch.
  func follow(isFull wanted: Bool) {
    isWanted = wanted
    topUp()
  }

  /// Also takes space that was freed since, and gives all back if the file system is shared by now.
  func topUp() {
    obstacle = isWanted ? StorageObstacle(of: home) : nil
    isFull = isWanted && obstacle == nil
    if isFull {
      do throws(SystemError) { try fill() } catch { (isFull, obstacle) = (false, .failed(error)) }
    }
    if !isFull { unlink(path) }
  }

  /// The space that a ballast in that container takes.
  static func bytes(in container: String) -> UInt64 {
    var status = stat()
    guard lstat("\(container)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
    return UInt64(clamping: status.st_blocks).multipliedReportingOverflow(by: 512).partialValue
  }

  /// For the journal; nil if the storage is as the switch says.
  var words: String? {
    obstacle.map { "\($0)".split(separator: "\n").joined(separator: " ") }
      ?? (isFull ? "the storage is full: \(path) takes all free space of its file system" : nil)
  }

  private func fill() throws(SystemError) {
    let descriptor = try PlainFile.openOwn(path, O_RDWR | O_CREAT)
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, let room = StorageRoom(of: path) else {
      throw SystemError("measure \(path)")
    }
    var end = UInt64(clamping: status.st_size)
    var piece = max(room.freeBytes, Self.pieceMin)
    while piece >= Self.pieceMin {
      // The file system may have grown meanwhile. At the bound one more smallest piece is tried, to see whether
      // there is more space.
      guard end <= Self.roomMax else { throw SystemError("fill \(path)", code: EFBIG) }
      piece = min(piece, Self.roomMax - end + Self.pieceMin)
      let trouble = posix_fallocate(descriptor, off_t(clamping: end), off_t(clamping: piece))
      switch trouble {
      case 0: end += piece
      case ENOSPC: piece /= 2
      case EINTR: break
      default: throw SystemError("fill \(path)", code: trouble)
      }
    }
  }
}
