import PhonePolicy

/// The app's categories as JSON, both in its message and in the answer to `categories`.
enum CategoryList {
  private static let countMax = 32
  private static let actionsMax = 8
  static let sizeMax = 32_768

  /// Nil if malformed or if an identifier is duplicated.
  static func read(_ bytes: [UInt8]) -> [NotificationCategory]? {
    guard bytes.count <= sizeMax, let rows = [CategoryRow](json: bytes), rows.count <= countMax,
      isOneEach(rows.map(\.id))
    else { return nil }
    var categories: [NotificationCategory] = []
    for row in rows {
      guard row.actions.count <= actionsMax, isOneEach(row.actions.map(\.id)) else { return nil }
      let actions = row.actions.map {
        NotificationCategory.Action(
          id: $0.id, title: ScreenText.cut($0.title, to: ScreenText.nameMax), opensApp: $0.foreground)
      }
      categories.append(NotificationCategory(id: row.id, actions: actions, tellsDismissal: row.dismiss))
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

  static func rows(of categories: [NotificationCategory]) -> [CategoryRow] {
    categories.map { category in
      CategoryRow(
        id: category.id,
        actions: category.actions.map { .init(id: $0.id, title: $0.title, foreground: $0.opensApp) },
        dismiss: category.tellsDismissal)
    }
  }
}
