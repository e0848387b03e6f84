/// What lay at a container's paths when the database was opened, to notice what happens to it under a running process.
///
/// SQLite goes on with the files it has open, whatever becomes of their names: what it acknowledges into a log without
/// a name is gone at the next start, and two indexes are two sets of locks. While a connection is open, nobody who
/// keeps to SQLite removes these files, nor makes any of them shorter.
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

  /// Log and index too: they are there from the first reading on.
  mutating func addLogAndIndex() throws(ContainerError) {
    for path in [layout.databaseLog, layout.databaseSharedMemory] {
      files.append(File(kind: .logOrIndex, path: path, facts: try FileFacts.at(path).get()))
    }
  }

  /// Throws when a path leads elsewhere than when it was opened, or a file lost a part. A process that went on would
  /// guard one database while its partner guards another.
  mutating func check() throws(ContainerError) {
    for index in files.indices {
      let file = files[index]
      guard case .success(let now) = FileFacts.at(file.path), now.isSameFile(as: file.facts) else {
        throw file.kind == .logOrIndex ? .logReplaced(path: file.path) : .containerReplaced(path: file.path)
      }
      if file.kind == .directory { continue }
      // Whatever SQLite has open only grows.
      guard now.size >= file.facts.size else { throw .cutShort(path: file.path) }
      files[index].facts.size = now.size
    }
  }

  /// Whether the log has lost its name, and nobody has made another one: then what it holds can still be saved.
  mutating func lacksOnlyTheLog() -> Bool {
    guard case .failure(.missing) = FileFacts.at(layout.databaseLog) else { return false }
    let all = files
    defer { files = all }
    files.removeAll { $0.path == layout.databaseLog }
    return (try? check()) != nil
  }
}
