import DaemonRuntime
import Glibc
import PhonePolicy

/// The file of the app's registered categories: notifications outlive the app and can be answered before it runs
/// again.
final class CategoryFile {
  private let path: String
  /// The categories at the start.
  let categories: [NotificationCategory]
  /// Why the file could not be read; nil if it is missing or valid.
  let trouble: String?
  /// The last write failed, so the file is out of date.
  private(set) var isOutdated = false

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
    isOutdated = true
    try WholeFile.write(Array(categories.json.utf8), to: path)
    isOutdated = false
  }
}
