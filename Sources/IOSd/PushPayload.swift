import JSON
import PhonePolicy

/// A push's payload, parsed as far as the phone needs it, in the file format of `xcrun simctl push`.
struct PushPayload {
  /// As on iOS.
  static let maximumSize = 4096

  var alert: NotificationText?
  var hasMutableContent: Bool
  /// Set for a push without an alert only.
  var badgeAndSound: BadgeAndSound?
  private var isContentAvailable: Bool

  /// A visible or audible push with `content-available: 1` also wakes the app, under the rules of silent pushes.
  /// Nil for any other push.
  var waking: PushPayload? {
    guard alert != nil || badgeAndSound != nil, isContentAvailable else { return nil }
    var silent = self
    silent.alert = nil
    silent.badgeAndSound = nil
    silent.hasMutableContent = false
    return silent
  }

  init(_ bytes: [UInt8]) throws(PushPayloadError) {
    guard bytes.count <= Self.maximumSize else { throw .tooLarge(bytes.count) }
    if let trouble = PushBytes.trouble(in: bytes) { throw .bytes(trouble) }
    if let fault = JSONFault(in: bytes) { throw .notJSON(fault) }
    let payload = JSONValue(parsing: bytes) ?? .null
    guard payload.isObject else { throw .notAnObject }
    guard let aps = payload["aps"], aps.isObject else { throw .noAPS }
    if let bundle = payload["Simulator Target Bundle"] {
      guard let text = bundle.text else { throw .bundleIsNotText }
      guard text == Entitlements.bundle else {
        throw .anotherBundle(ScreenText.cut(text.onOneLine, to: ScreenText.nameMax))
      }
    }
    alert = try Self.alert(aps["alert"]).map { Self.dressed($0, aps) }
    hasMutableContent = Self.isOne(aps["mutable-content"])
    isContentAvailable = Self.isOne(aps["content-available"])
    let apart = Self.badgeAndSound(aps)
    if alert == nil, apart.badge != nil || apart.sound != nil { badgeAndSound = apart }
    guard alert != nil || badgeAndSound != nil || isContentAvailable else { throw .nothingToDo }
  }

  private static func alert(_ value: JSONValue?) throws(PushPayloadError) -> NotificationText? {
    switch value {
    case nil: return nil
    case .string(let body)?: return NotificationText(title: "", body: body)
    case .object?:
      let parts = value ?? .null
      let title = words(parts, "title", key: "title-loc") ?? ""
      let body = words(parts, "body", key: "loc") ?? ""
      guard !title.isEmpty || !body.isEmpty else { throw .emptyAlert }
      return NotificationText(
        title: title, subtitle: words(parts, "subtitle", key: "subtitle-loc"), body: body)
    default: throw .emptyAlert
    }
  }

  /// The literal text, or that of a `loc-key` with arguments; the key wins, as on iOS.
  private static func words(_ parts: JSONValue, _ name: String, key: String) -> String? {
    guard let found = parts["\(key)-key"]?.text, !found.isEmpty else { return parts[name]?.text }
    let arguments = (parts["\(key)-args"]?.elements ?? []).map { $0.text ?? $0.json }
    return AlertWords.text(key: found, arguments: arguments)
  }

  /// The other presentation keys of Apple's `aps` dictionary; unknown values are ignored.
  private static func dressed(_ alert: NotificationText, _ aps: JSONValue) -> NotificationText {
    var text = alert
    let apart = badgeAndSound(aps)
    (text.badge, text.sound, text.level) = (apart.badge, apart.sound, apart.level)
    text.thread = name(aps["thread-id"])
    text.category = name(aps["category"])
    return text
  }

  private static func badgeAndSound(_ aps: JSONValue) -> BadgeAndSound {
    let parts = aps["sound"]
    let sound = name(parts?["name"] ?? parts)
    let level =
      isOne(parts?["critical"])
      ? .critical : name(aps["interruption-level"]).flatMap(InterruptionLevel.init(rawValue:)) ?? .active
    return BadgeAndSound(
      badge: PushBadge.number(aps["badge"]?.double), sound: sound, level: level)
  }

  /// Nil for an empty text.
  private static func name(_ value: JSONValue?) -> String? {
    (value?.text).map { ScreenText.cut($0, to: ScreenText.nameMax) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// `1` and `true`, but not 1.5.
  private static func isOne(_ value: JSONValue?) -> Bool { value?.flag == true || value?.double == 1 }
}

/// Why bytes are not a valid push.
enum PushPayloadError: Error, Hashable, CustomStringConvertible {
  case tooLarge(Int)
  case bytes(PushBytes.Trouble)
  case notJSON(JSONFault)
  case notAnObject
  case noAPS
  case bundleIsNotText
  case anotherBundle(String)
  case emptyAlert
  case nothingToDo

  var description: String {
    switch self {
    case .tooLarge(let size): "the push has \(size) bytes and may have \(PushPayload.maximumSize); shorten it"
    case .bytes(let trouble): "the push \(trouble.words)"
    case .anotherBundle(let bundle):
      "the push is for `\(bundle)`, and the wallet is \(Entitlements.bundle); write this bundle id, or leave `Simulator Target Bundle` out"
    case .notJSON(let fault): "the push \(fault.words)"
    case .notAnObject: "the push is not a JSON object; write {\"aps\": {…}, …}"
    case .noAPS: "the push has no object `aps`; add {\"aps\": {\"alert\": …}}"
    case .bundleIsNotText:
      "the push's `Simulator Target Bundle` is not text; write the app's bundle id, or leave it out"
    case .emptyAlert: "the push's `alert` has neither title nor body; add one of them, or leave `alert` out"
    case .nothingToDo:
      "the push has no `alert`, no `badge` of 0 or more, no `sound` and no `content-available: 1`; add one of them"
    }
  }
}
