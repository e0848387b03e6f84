import DaemonRuntime
import PhonePolicy

extension PhoneShell {
  func notificationText(_ message: ControlMessage) throws(ControlMessageError) -> NotificationText {
    func text(_ name: String, _ count: Int) -> String? {
      message[name].map { ScreenText.cut($0, to: count) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    let badge = try message.integerIfPresent("badge", in: -1000...1000) ?? 0
    return NotificationText(
      title: text("title", ScreenText.titleMax) ?? "", subtitle: text("subtitle", ScreenText.titleMax),
      body: text("body", ScreenText.bodyMax) ?? "", badgeIncrement: badge, level: try level(message),
      sound: text("sound", ScreenText.nameMax), thread: text("thread", ScreenText.nameMax),
      category: text("category", ScreenText.nameMax))
  }

  private func level(_ message: ControlMessage) throws(ControlMessageError) -> InterruptionLevel {
    guard let word = message["level"] else { return .active }
    guard let level = InterruptionLevel(rawValue: word) else {
      let words = InterruptionLevel.allCases.map(\.rawValue).joined(separator: ", ")
      throw .badValue(name: "level", expected: "one of \(words)")
    }
    return level
  }

  /// The app registers its notification categories.
  func hearCategories(_ message: ControlMessage) throws(ControlMessageError) {
    guard let categories = CategoryList.read(message.body) else {
      throw .badValue(name: "categories", expected: "the JSON list that docs/protocols.md describes")
    }
    let wasOutdated = categoryFile.isOutdated
    handle(.categoriesRegistered(categories))
    if wasOutdated { saveCategoriesAgain() }
  }

  /// A failed write is retried when the app registers again, even the same categories, and when the phone powers
  /// off.
  func saveCategoriesAgain() {
    if categoryFile.isOutdated { save(phone.categories) }
  }

  /// After a failed write the next start has no categories until the app registers them again.
  func save(_ categories: [NotificationCategory]) {
    do throws(SystemError) {
      try categoryFile.write(categories)
    } catch { journal.note("the app's categories will be lost when iosd ends: \(error)") }
  }

  func refuseNotification(_ push: UInt64?, _ why: Refusal) {
    journal.note("\(push.map { "the content for push \($0)" } ?? "a notification") is refused: \(why)")
  }
}
