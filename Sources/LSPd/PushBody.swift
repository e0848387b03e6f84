import Ground

/// The `aps` of a push in Apple's form.
struct PushAPS: Encodable {
  struct Alert: Encodable {
    var title: String
    var body: String
  }

  var alert: Alert?
  var mutableContent: Int?
  var sound: String?
  var interruptionLevel: String?
  var contentAvailable: Int?

  enum CodingKeys: String, CodingKey {
    case alert
    case mutableContent = "mutable-content"
    case sound
    case interruptionLevel = "interruption-level"
    case contentAvailable = "content-available"
  }

  /// A visible push that an extension may rewrite.
  static func alert(_ title: String, _ body: String) -> PushAPS {
    PushAPS(
      alert: Alert(title: title, body: body), mutableContent: 1, sound: "default",
      interruptionLevel: "time-sensitive")
  }

  static let silent = PushAPS(contentAvailable: 1)
}
