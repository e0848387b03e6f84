import DaemonRuntime
import Glibc
import Ground
import Heartbeat
import SharedContainer

/// The files of a container, by name, kind, owner and rights. None is opened.
enum ContainerFiles {
  /// By their path in the container; SQLite's files by the database's.
  private static let known: Set<String> = [
    "locks", "presence", "heartbeat", "node.sqlite", "locks/app.lock", "locks/extension.lock",
    "locks/app.intent", "presence/app.sock", "presence/extension.sock", ".iosd-lock-probe",
  ]

  static func marks(in directory: String) -> [FileMark] {
    let root = directory.hasSuffix("/") ? String(directory.dropLast()) : directory
    // The directory itself by what a link leads to: a container may be read through one.
    var own = mark(root + "/.", isKnown: true)
    own?.path = root
    return [own].compactMap { $0 }
      + ["", "locks/", "presence/"].flatMap { place in
        (DirectoryListing.names(of: "\(root)/\(place)") ?? []).compactMap { name in
          mark("\(root)/\(place)\(name)", isKnown: isKnown(place + name))
        }
      }
  }

  private static func isKnown(_ name: String) -> Bool {
    let stem = ["-wal", "-shm", "-journal"].first { name.hasSuffix($0) }.map {
      String(name.dropLast($0.count))
    }
    let whole = stem ?? name
    return known.contains(whole) || whole == IncomingStore.fileName
      || whole.hasPrefix(IncomingStore.fileName + ".damaged-")
  }

  static func mark(_ path: String, isKnown: Bool) -> FileMark? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    let kind: FileMark.Kind
    switch status.st_mode & S_IFMT {
    case S_IFREG: kind = .plain
    case S_IFDIR: kind = .directory
    case S_IFSOCK: kind = .socket
    case S_IFLNK: kind = .link
    default: kind = .other
    }
    return FileMark(
      path: path, kind: kind, permissions: UInt32(status.st_mode & 0o7777),
      isOurs: status.st_uid == geteuid(), isKnown: isKnown)
  }
}

/// The container that a command line names: its directory, or the home of its phone.
struct ContainerPlace {
  let directory: String
  /// The container's phone: timestamps are compared with its boot and boot clock.
  let phone: Phone
  /// A home was named, or the container lies in one.
  let hasHome: Bool

  init(_ path: String) {
    let phone = Phone(home: path)
    // A home also if a part of it is gone.
    let isHome =
      [phone.container, phone.os, phone.lsp].contains(where: FilePath.isDirectory)
      && !FilePath.exists(phone.home + "/node.sqlite")
    directory = isHome ? phone.container : phone.home
    self.phone = isHome ? phone : Phone(home: phone.home + "/..")
    hasHome = isHome || FilePath.isDirectory(self.phone.os)
  }

  func report(
    rows: Int?, isThorough: Bool, checksIndexes: Bool = false, peerEpoch: UInt64? = nil
  ) throws -> ContainerReport {
    try ContainerReport(
      of: directory, clock: phone.clock, ends: phone.endReasons, rows: rows, isThorough: isThorough,
      checksIndexes: checksIndexes, peerEpoch: peerEpoch)
  }
}

/// The age of a container's timestamps by the clock that made them: the phone's, or this machine's for a pair started
/// by hand.
struct StampClock: Sendable {
  private let known: [BootMoment]
  private let knowsPhone: Bool

  private struct BootMoment: Sendable {
    var boot: BootID
    var now: Instant
  }

  init(phone: Clock) {
    let machine = Clock()
    knowsPhone = phone.boot != machine.boot
    known = [phone, machine].map { BootMoment(boot: $0.boot, now: $0.bootClock) }
  }

  /// Nil for a boot whose clock cannot be read here.
  func age(of stamp: Instant, in boot: BootID) -> TimeSpan? {
    known.first { $0.boot == boot }.map { max(.zero, $0.now - stamp) }
  }

  func age(of beat: Beat) -> TimeSpan? { age(of: beat.bootClock, in: beat.process.boot) }

  func words(_ beat: Beat) -> String {
    if let age = age(of: beat) { return "\(HumanText.span(age)) ago" }
    let moment = "at \(WallClockText.write(beat.wallClockNanoseconds))"
    // Without the phone's clock file its boots cannot be told apart.
    return knowsPhone ? "in another boot, \(moment)" : "\(moment) by the clock of its phone"
  }
}

extension IncomingStore {
  /// The records of a container in use, or of a copy of one. Read from a copy of the store: no file of the container
  /// changes, and no process waits.
  package static func look(in container: String) throws -> [IncomingEntry] {
    let store = IncomingStore(container: container)
    guard try store.isThere() else { return [] }
    let copy = try DatabaseCopy.ofDatabase(store.path)
    return try IncomingStore(container: copy.directory).all()
  }
}
