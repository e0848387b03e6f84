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

/// Reads the app's categories from its message and from their file.
enum CategoryList {
  private static let countMax = 32
  private static let actionsMax = 8
  static let sizeMax = 32_768

  /// Nil if malformed or if an identifier is duplicated.
  static func read(_ bytes: [UInt8]) -> [NotificationCategory]? {
    guard bytes.count <= sizeMax, var categories = [NotificationCategory](json: bytes),
      categories.count <= countMax, isOneEach(categories.map(\.id)),
      categories.allSatisfy({ $0.actions.count <= actionsMax && isOneEach($0.actions.map(\.id)) })
    else { return nil }
    for category in categories.indices {
      for action in categories[category].actions.indices {
        let title = categories[category].actions[action].title
        categories[category].actions[action].title = ScreenText.cut(title, to: ScreenText.nameMax)
      }
    }
    return categories
  }

  /// Ids are short printable ASCII: they are used in messages and on command lines.
  private static func isOneEach(_ names: [String]) -> Bool {
    Set(names).count == names.count
      && names.allSatisfy { name in
        !name.isEmpty && name.utf8.count <= ScreenText.nameMax
          && name.utf8.allSatisfy { (33...126).contains($0) }
      }
  }
}
