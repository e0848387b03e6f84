/// The files at a container's paths when the database was opened, to detect changes under a running process.
///
/// SQLite continues with its open files, whatever happens to their names: commits in an unlinked log are lost at the
/// next start, and two indexes are two sets of locks. While a connection is open, no correct user of SQLite removes or
/// shortens these files.
struct OpenFiles {
  private struct File {
    enum Kind { case directory, database, logOrIndex }

    let kind: Kind
    let path: String
    var facts: FileFacts
  }

  private let layout: ContainerLayout
  private var files: [File]

  /// The directory and the database, before SQLite opens it.
  init(_ layout: ContainerLayout) throws(ContainerError) {
    self.layout = layout
    files = [
      File(
        kind: .directory, path: layout.directory, facts: try ContainerLayout.checkDirectory(layout.directory)),
      File(kind: .database, path: layout.database, facts: try layout.databaseFacts()),
    ]
  }

  /// The log and the index, which exist from the first read on.
  mutating func addLogAndIndex() throws(ContainerError) {
    for path in [layout.databaseLog, layout.databaseSharedMemory] {
      files.append(File(kind: .logOrIndex, path: path, facts: try FileFacts.at(path).get()))
    }
  }

  /// Throws if a path no longer leads to the opened file, or a file was shortened. A process that continued would
  /// guard one database while the other process guards another.
  mutating func check() throws(ContainerError) {
    for index in files.indices {
      let file = files[index]
      guard case .success(let now) = FileFacts.at(file.path), now.isSameFile(as: file.facts) else {
        throw file.kind == .logOrIndex ? .logReplaced(path: file.path) : .containerReplaced(path: file.path)
      }
      if file.kind == .directory { continue }
      // SQLite's open files only grow.
      guard now.size >= file.facts.size else { throw .cutShort(path: file.path) }
      files[index].facts.size = now.size
    }
  }

  /// Whether the log was unlinked and no new one created: its commits can still be saved.
  mutating func lacksOnlyTheLog() -> Bool {
    guard case .failure(.missing) = FileFacts.at(layout.databaseLog) else { return false }
    let all = files
    defer { files = all }
    files.removeAll { $0.path == layout.databaseLog }
    return (try? check()) != nil
  }
}
