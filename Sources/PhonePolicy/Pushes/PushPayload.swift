import Ground

/// A push's payload, parsed as far as the phone needs it, in the file format of `xcrun simctl push`.
public struct PushPayload: Hashable, Sendable {
  /// As on iOS.
  public static let maximumSize = 4096

  private var alert: NotificationText?
  private var hasMutableContent: Bool
  /// Set for a push without an alert only.
  private var badgeAndSound: BadgeAndSound?
  private var isContentAvailable: Bool
  private var text: String

  public func push(_ id: UInt64) -> PhonePush {
    PhonePush(
      id: id, alert: alert, hasMutableContent: hasMutableContent, badgeAndSound: badgeAndSound, payload: text)
  }

  /// A visible or audible push with `content-available: 1` also wakes the app, under the rules of silent pushes.
  /// Nil for any other push.
  public func waking(_ id: UInt64, of visible: UInt64) -> PhonePush? {
    guard alert != nil || badgeAndSound != nil, isContentAvailable else { return nil }
    return PhonePush(id: id, alert: nil, hasMutableContent: false, of: visible, payload: text)
  }

  /// `cut` shortens the names of a sound, thread or category.
  public init(_ bytes: [UInt8], cut: (String) -> String = { $0 }) throws(PushPayloadError) {
    guard bytes.count <= Self.maximumSize else {
      throw .init(" is longer than the \(Self.maximumSize) bytes that a push may have; shorten it")
    }
    if let trouble = PushBytes.trouble(in: bytes) { throw .init(" \(trouble)") }
    if let fault = JSONFault(in: bytes) { throw .init(" \(fault.words)") }
    text = String(decoding: bytes, as: UTF8.self)
    let payload = JSONValue(parsing: bytes) ?? .null
    guard payload.isObject else { throw .init(" is JSON but not an object; write {\"aps\": {…}, …}") }
    guard let aps = payload["aps"] else { throw .init(" has no `aps`; add {\"aps\": {\"alert\": …}}") }
    guard aps.isObject else { throw .init("`aps` in ", " is not an object; write {\"aps\": {\"alert\": …}}") }
    if let bundle = payload["Simulator Target Bundle"] {
      guard let text = bundle.text else {
        throw .init(
          "`Simulator Target Bundle` in ", " is not text; write the app's bundle id, or leave it out")
      }
      guard text == Entitlements.bundle else {
        let given = String(text.unicodeScalars.prefix(80))
        throw .init(
          " is for `\(given)`, and the wallet is \(Entitlements.bundle); write this bundle id, or leave `Simulator Target Bundle` out"
        )
      }
    }
    alert = try Self.alert(aps["alert"]).map { Self.dressed($0, aps, cut) }
    hasMutableContent = Self.isOne(aps["mutable-content"])
    isContentAvailable = Self.isOne(aps["content-available"])
    let apart = Self.badgeAndSound(aps, cut)
    if alert == nil, apart.badge != nil || apart.sound != nil { badgeAndSound = apart }
    guard alert != nil || badgeAndSound != nil || isContentAvailable else { throw .nothingToDo }
  }

  private static func alert(_ value: JSONValue?) throws(PushPayloadError) -> NotificationText? {
    guard let value else { return nil }
    let title = words(value, "title", key: "title-loc") ?? ""
    let body = value.text ?? words(value, "body", key: "loc") ?? ""
    guard !title.isEmpty || !body.isEmpty else {
      throw .init("the `alert` in ", " has neither title nor body; add one of them, or leave `alert` out")
    }
    return NotificationText(title: title, subtitle: words(value, "subtitle", key: "subtitle-loc"), body: body)
  }

  /// The literal text, or that of a `loc-key` with arguments; the key wins, as on iOS.
  private static func words(_ parts: JSONValue, _ name: String, key: String) -> String? {
    guard let found = parts["\(key)-key"]?.text, !found.isEmpty else { return parts[name]?.text }
    let arguments = (parts["\(key)-args"]?.elements ?? []).map { $0.text ?? $0.json }
    return AlertWords.text(key: found, arguments: arguments)
  }

  /// The other presentation keys of Apple's `aps` dictionary; unknown values are ignored.
  private static func dressed(
    _ alert: NotificationText, _ aps: JSONValue, _ cut: (String) -> String
  ) -> NotificationText {
    var text = alert
    let apart = badgeAndSound(aps, cut)
    (text.badge, text.sound, text.level) = (apart.badge, apart.sound, apart.level)
    text.thread = name(aps["thread-id"], cut)
    text.category = name(aps["category"], cut)
    return text
  }

  private static func badgeAndSound(_ aps: JSONValue, _ cut: (String) -> String) -> BadgeAndSound {
    let parts = aps["sound"]
    let sound = name(parts?["name"] ?? parts, cut)
    let level =
      isOne(parts?["critical"])
      ? .critical : aps["interruption-level"]?.text.flatMap(InterruptionLevel.init(rawValue:)) ?? .active
    return BadgeAndSound(badge: PushBadge.number(aps["badge"]?.double), sound: sound, level: level)
  }

  /// Nil for an empty text.
  private static func name(_ value: JSONValue?, _ cut: (String) -> String) -> String? {
    (value?.text).map(cut).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// `1` and `true`, but not 1.5.
  private static func isOne(_ value: JSONValue?) -> Bool { value?.flag == true || value?.double == 1 }
}

/// Why bytes are not a valid push. The bundle in the sentence is untrusted.
public struct PushPayloadError: Error, Hashable, Sendable, CustomStringConvertible {
  private let start: String
  private let end: String

  /// The sentence, around the push's name.
  fileprivate init(_ start: String, _ end: String? = nil) {
    self.start = end == nil ? "" : start
    self.end = end ?? start
  }

  package static let nothingToDo = PushPayloadError(
    "`aps` in ",
    " has no `alert`, no `badge` of 0 or more, no `sound` and no `content-available: 1`; add one of them")

  public var description: String { words(of: "the push") }

  /// `push`: such as the name of its file.
  public func words(of push: String) -> String { start + push + end }
}

/// Which `badge` values of a push are valid.
public enum PushBadge {
  /// An arbitrary upper bound.
  public static let max = 999_999_999

  /// Nil if the value is no valid badge: the push then has none.
  public static func number(_ value: Double?) -> Int? {
    guard let value, let number = Int(exactly: value), 0...max ~= number else { return nil }
    return number
  }
}

/// The effects of a push without an alert: badge and sound.
public struct BadgeAndSound: Hashable, Codable, Sendable {
  /// The icon's new badge; 0 removes it.
  public var badge: Int? = nil
  public var sound: String? = nil
  /// Decides whether the sound is played while a Focus is on.
  public var level: InterruptionLevel = .active

  /// As it continues "no notification: …".
  var words: String {
    let number = badge.map { $0 == 0 ? "the badge is removed" : "the badge is \($0)" }
    let all = [number, sound.map { "the sound \($0) is played" }].compactMap { $0 }
    return all.isEmpty ? "a Focus is on, so the sound is not played" : all.joined(separator: ", and ")
  }
}

/// The text of an alert with `loc-key`. iOS looks the key up in the app's `Localizable.strings` and shows an
/// unknown key itself, with the arguments inserted; here every key is unknown.
public enum AlertWords {
  public static func text(key: String, arguments: [String]) -> String {
    var text = ""
    var next = 0
    var rest = key[...]
    while let sign = rest.firstIndex(of: "%") {
      text += rest[..<sign]
      rest = rest[rest.index(after: sign)...]
      let digits = rest.prefix { ("0"..."9").contains($0) }
      let isNumbered = !digits.isEmpty && rest.dropFirst(digits.count).hasPrefix("$@")
      if rest.hasPrefix("@") || isNumbered {
        let place = isNumbered ? (Int(digits) ?? 0) - 1 : next
        if !isNumbered { next += 1 }
        text += arguments.indices.contains(place) ? arguments[place] : ""
        rest = rest.dropFirst(isNumbered ? digits.count + 2 : 1)
      } else {
        text += "%"
        if rest.hasPrefix("%") { rest = rest.dropFirst() }
      }
    }
    return text + rest
  }
}

/// Checks the raw bytes of a push before they are parsed.
enum PushBytes {
  /// The JSON parser's limit.
  private static let depthMax = 64

  /// As it continues "FILE …".
  static func trouble(in bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      return "begins with a byte order mark; save it as UTF-8 without one"
    }
    if let place = firstBadByte(bytes) { return "is not UTF-8 at its byte \(place + 1); save it as UTF-8" }
    return isTooDeep(bytes) ? "is nested deeper than \(depthMax) brackets; make it flatter" : nil
  }

  private static func firstBadByte(_ bytes: [UInt8]) -> Int? {
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var place = 0
    while true {
      switch decoder.decode(&iterator) {
      case .scalarValue(let scalar): place += UTF8.width(scalar)
      case .emptyInput: return nil
      case .error: return place
      }
    }
  }

  private static func isTooDeep(_ bytes: [UInt8]) -> Bool {
    var depth = 0
    var isInText = false
    var isEscaped = false
    for byte in bytes {
      if isInText {
        if !isEscaped && byte == UInt8(ascii: "\"") { isInText = false }
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInText = true
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      default: break
      }
      if depth > depthMax { return true }
    }
    return false
  }
}
