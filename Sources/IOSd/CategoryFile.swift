import DaemonRuntime
import Glibc
import PhonePolicy

/// The file that keeps what the app has registered: its notifications outlive it, and can be answered before it runs again.
final class CategoryFile {
  private let path: String
  /// What to begin with.
  let categories: [NotificationCategory]
  /// Why nothing could be made of what is there; nil when there was nothing, or all is well.
  let trouble: String?
  /// The last write failed: the file does not say what the phone knows.
  private(set) var isBehind = false

  init(_ path: String) {
    self.path = path
    let kept: [NotificationCategory]?
    var sentence = "\(path) cannot be read"
    do throws(SystemError) {
      guard let bytes = try SmallFile.readOwn(path, limit: CategoryList.sizeMax + 1) else {
        (categories, trouble) = ([], nil)
        return
      }
      kept = CategoryList.read(bytes)
    } catch {
      kept = nil
      sentence = error.description
    }
    categories = kept ?? []
    trouble = kept == nil ? "\(sentence): the app has to register its categories again" : nil
  }

  func write(_ categories: [NotificationCategory]) throws(SystemError) {
    isBehind = true
    try WholeFile.write(Array(CategoryList.rows(of: categories).json.utf8), to: path)
    isBehind = false
  }
}
