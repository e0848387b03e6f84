import Ground
import Guardrails

/// The appearance of the wallet's notifications, and their actions.
public enum WalletNotifications {
  public static func fields(of content: NotificationContent) -> [ControlMessage.Field] {
    [
      ("title", content.title), ("body", content.body), ("badge", "\(content.badgeIncrement)"),
      ("level", content.level), ("sound", content.sound), ("category", content.category),
    ].compactMap { name, value in value.map { .init(name: name, value: $0) } }
  }

  private struct Category: Encodable {
    struct Action: Encodable {
      var id = "OPEN_NOW"
      var title = "Open Now"
      var foreground = true
    }
    var id = NotificationContent.paymentCategory
    var actions = [Action()]
    var dismiss = true
  }

  /// The categories that the app registers at launch.
  public static var categories: ControlMessage {
    let text = (try? JSONLineEncoder().encode([Category()])) ?? "[]"
    return ControlMessage("categories", body: Array(text.utf8))
  }
}
