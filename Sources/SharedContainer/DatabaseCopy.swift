import Platform

/// A copy of a database's files in a private directory, made without SQLite, which makes files beside a database that
/// it only reads. The directory is removed with this value.
package struct DatabaseCopy {
  /// A wallet has megabytes, even after years; a sparse file can claim any size.
  package static let bytesMax: Int64 = 1 << 30
  private static let triesMax = 20

  private let scratch: ScratchDirectory
  /// The copied database.
  let path: String
  package var directory: String { scratch.directory }

  /// The first of the files is the database. nil if one changed meanwhile: such a copy may mix two states.
  init?(of files: [String], bytesMax: Int64 = bytesMax, onCopied: () -> Void = {}) throws(ContainerError) {
    scratch = try ScratchDirectory()
    path = scratch.path(of: files.first ?? "")
    let before = Self.facts(files)
    try Self.refuseTooMuch(files, before, bytesMax: bytesMax, into: scratch)
    for (file, facts) in zip(files, before) {
      if let facts { try scratch.copy(file, size: facts.size) }
    }
    onCopied()
    guard before == Self.facts(files) else { return nil }
  }

  /// Of a small database that other processes may write to: copied again until it stays the same.
  package static func ofDatabase(_ path: String) throws(ContainerError) -> DatabaseCopy {
    for attempt in 0..<triesMax {
      if attempt > 0 { Kernel.pause(milliseconds: 5) }
      do {
        if let copy = try DatabaseCopy(of: [path, path + "-wal", path + "-journal"]) { return copy }
      } catch .keepsChanging {}
    }
    throw .keepsChanging(path: path)
  }

  /// Checked before any byte is copied.
  private static func refuseTooMuch(
    _ files: [String], _ facts: [FileFacts?], bytesMax: Int64, into scratch: ScratchDirectory
  ) throws(ContainerError) {
    for (path, facts) in zip(files, facts) {
      guard let size = facts?.size, size > bytesMax else { continue }
      throw .tooLargeToCopy(path: path, bytes: size, most: bytesMax)
    }
    let bytes = facts.reduce(0) { $0 + ($1?.size ?? 0) }
    if let free = scratch.freeBytes, bytes > free {
      throw .noRoomForCopy(path: scratch.parent, bytes: bytes, free: free)
    }
  }

  private static func facts(_ files: [String]) -> [FileFacts?] { files.map { try? FileFacts.at($0).get() } }
}
