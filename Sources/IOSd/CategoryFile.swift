import DaemonRuntime
import Glibc
import PhonePolicy

/// The file that keeps what the app has registered: its notifications outlive it, and can be answered before it runs again.
struct CategoryFile {
  private let path: String
  /// What to begin with.
  let categories: [NotificationCategory]
  /// There was a file, and nothing could be made of it.
  let wasDamaged: Bool

  init(_ path: String) throws(SystemError) {
    self.path = path
    guard access(path, F_OK) == 0 else {
      (categories, wasDamaged) = ([], false)
      return
    }
    close(try PlainFile.open(path, O_RDONLY))
    let kept = SmallFile.read(path, limit: CategoryList.sizeMax + 1).flatMap(CategoryList.read)
    categories = kept ?? []
    wasDamaged = kept == nil
  }

  func write(_ categories: [NotificationCategory]) throws(SystemError) {
    try WholeFile.write(Array(CategoryList.text(of: categories).utf8), to: path)
  }
}
