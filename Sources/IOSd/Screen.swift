import DaemonRuntime
import Glibc
import Ground
import PhonePolicy

// What the app shows, the pasteboard, and links: texts that the phone passes on unread.
extension PhoneShell {
  private static let screenFieldsMax = 16
  private static let pasteboardMax = 16_384
  private static let linkMax = 2048

  func hearScreen(_ message: ControlMessage) {
    child(.app)?.screen = message.fields.prefix(Self.screenFieldsMax).map {
      .init(name: $0.name, value: ScreenText.cut($0.value, to: ScreenText.titleMax))
    }
  }

  // MARK: The pasteboard

  func hearCopy(_ message: ControlMessage, from role: Role) throws(ControlMessageError) {
    guard message.body.count <= Self.pasteboardMax else {
      throw .badValue(name: "body", expected: "at most \(Self.pasteboardMax) bytes")
    }
    copied = message.body
    pasteboardRefusal = nil
    handle(.textCopied(role))
    copied = []
  }

  func setPasteboard() {
    do throws(SystemError) { try PlainFile.replace(home.pasteboard, with: copied, syncs: true) } catch {
      pasteboardRefusal = "\(error)"
      journal.note("the pasteboard keeps its text: \(error)")
    }
  }

  func refusePasteboard(to role: Role, _ why: Refusal) {
    if role == .app { pasteboardRefusal = "\(why)" }
    journal.note("the \(role.rawValue) cannot change the pasteboard: \(why)")
  }

  // MARK: Links

  /// The user follows a link. Throws if it is none.
  func follow(_ link: String) throws(ControlMessageError) -> Refusal? {
    guard link.utf8.count <= Self.linkMax, let scheme = Self.scheme(of: link) else {
      throw .badValue(name: "url", expected: "a link such as bitkit://subscriptions")
    }
    if let refusal = phone.refusal(ofLinkWith: scheme) { return refusal }
    handle(.linkOpened(link, scheme: scheme))
    return nil
  }

  /// In lower case; nil if the text has none (RFC 3986).
  static func scheme(of link: String) -> String? {
    guard let colon = link.firstIndex(of: ":"),
      link.unicodeScalars.allSatisfy({ $0.value > 32 && $0.value < 127 })
    else { return nil }
    let scheme = link[..<colon].lowercased()
    let isValid = scheme.unicodeScalars.allSatisfy {
      ("a"..."z").contains($0) || ("0"..."9").contains($0) || "+-.".unicodeScalars.contains($0)
    }
    guard let first = scheme.unicodeScalars.first, ("a"..."z").contains(first), isValid else { return nil }
    return scheme
  }
}

/// Limits a wallet process's text before the phone stores it: one message cannot fill the notification centre or
/// send control characters to a terminal.
enum ScreenText {
  static let titleMax = 256
  static let bodyMax = 1024
  static let nameMax = 64

  static func cut(_ text: String, to count: Int) -> String {
    String(text.unicodeScalars.prefix(count)).split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).onOneLine }.joined(separator: "\n")
  }
}
