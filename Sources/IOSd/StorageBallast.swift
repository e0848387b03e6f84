import DaemonRuntime
import Glibc

/// A storage that is really full: one file that takes all the room of the disk on which the container lies. That must be a
/// small disk of its own, as nobody else may run out of room by it, and iosd's journals and ledgers least of all.
final class StorageBallast {
  static let name = ".iosd-ballast"
  /// What may be taken: on a larger disk somebody else counts on the room, or it is the memory of this machine.
  static let roomMax: UInt64 = 1 << 30
  /// The smallest piece that is asked for.
  private static let pieceMin: UInt64 = 512

  private let home: PhoneHome
  private var path: String { "\(home.container)/\(Self.name)" }
  private(set) var isFull = false
  /// Why nothing runs out of room; nil while it does, or while nobody wants it to.
  private(set) var obstacle: StorageObstacle?
  private var isWanted = false

  /// What a killed iosd has left there goes: whoever looks at the container first is to have room.
  init(_ home: PhoneHome) {
    self.home = home
    unlink(path)
  }

  /// As the phone is switched.
  func follow(isFull wanted: Bool) {
    isWanted = wanted
    topUp()
  }

  /// What somebody has given up since is taken, too; and all is given back on a disk that others count on by now.
  func topUp() {
    obstacle = isWanted ? StorageObstacle(of: home) : nil
    isFull = isWanted && obstacle == nil
    if isFull {
      do throws(SystemError) { try fill() } catch { (isFull, obstacle) = (false, .failed(error)) }
    }
    if !isFull { unlink(path) }
  }

  /// What one in that container takes of its disk.
  static func bytes(in container: String) -> UInt64 {
    var status = stat()
    guard lstat("\(container)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
    return UInt64(clamping: status.st_blocks).multipliedReportingOverflow(by: 512).partialValue
  }

  /// For the journal; nil when there is nothing to say.
  var words: String? {
    obstacle.map { "\($0)".split(separator: "\n").joined(separator: " ") }
      ?? (isFull ? "the storage is full: \(path) takes what was free on its disk" : nil)
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
      // The disk may have grown since it was looked at. Beyond the bound one smallest piece is asked for, to see whether
      // there is more.
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
