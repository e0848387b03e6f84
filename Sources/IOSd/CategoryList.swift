import PhonePolicy

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
