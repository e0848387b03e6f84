import DaemonRuntime
import SharedContainer

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
