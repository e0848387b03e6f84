import JSON
import DaemonRuntime
import Wallet

/// How the wallet's notifications look, and what the person can do with them.
enum WalletNotifications {
  static func fields(of content: NotificationContent) -> [ControlMessage.Field] {
    [
      ("title", content.title), ("body", content.body), ("badge", "\(content.badgeIncrement)"),
      ("level", content.level), ("sound", content.sound), ("category", content.category),
    ].compactMap { name, value in value.map { .init(name: name, value: $0) } }
  }

  /// What the app registers at its start.
  static var categories: ControlMessage {
    var open = JSONObject()
    open.set("id", "OPEN_NOW")
    open.set("title", "Open Now")
    open.set("foreground", true)
    var category = JSONObject()
    category.set("id", NotificationContent.paymentCategory)
    category.set("actions", raw: "[\(open.text)]")
    category.set("dismiss", true)
    return ControlMessage("categories", body: Array("[\(category.text)]".utf8))
  }
}
