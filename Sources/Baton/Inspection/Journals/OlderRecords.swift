import Foundation
import Ground
import Guardrails
import PhonePolicy

/// Records of journals that an earlier program has written, in the form in which this one writes them: it is run again and
/// compared byte for byte, so the form must be one.
enum OlderRecords {
  static func rewritten(_ line: [UInt8]) -> [UInt8] {
    withPlacesOfAlerts(
      withAfterContent(withAsks(withReasonsAsCodes(withWholeContainer(withCodeOfRest(withNewNames(line)))))))
  }

  /// Events, directives and fields that had other names.
  private static func withNewNames(_ line: [UInt8]) -> [UInt8] {
    guard ["erson", "Wish", "reeting", "lsewhere"].contains(where: { contains(line, $0) }) else {
      return line
    }
    return names.filter { contains(line, $0.older) }.reduce(line) { line, name in
      Array(String(decoding: line, as: UTF8.self).replacing(name.older, with: name.new).utf8)
    }
  }

  private static let names = [
    ("personOpened", "userOpened"), ("personWentHome", "userWentHome"), ("personQuit", "userQuit"),
    ("personCame", "userCame"), ("person", "user"), ("raiseWish", "raiseIntent"),
    ("withdrawWish", "withdrawIntent"),
    ("greeting", "initMessage"), ("checkGreeting", "checkAfterInit"), ("greetingChecked", "checkedAfterInit"),
    ("elsewhereInvoiceMade", "externalInvoiceMade"), ("elsewhereMade", "externalMade"),
    ("elsewherePaid", "externalPaid"), ("elsewhereDelay", "externalDelay"), ("elsewhere", "externalInvoices"),
  ].map { (older: "\"\($0.0)\":", new: "\"\($0.1)\":") }

  /// The peer's warning that it does not wait any longer had no code.
  private static func withCodeOfRest(_ line: [UInt8]) -> [UInt8] {
    let words = Hexadecimal.encode(Array("the channel was at rest for 60 s: reconnect".utf8))
    let older = "\"data\":\"\(words)\"}"
    guard contains(line, older) else { return line }
    return Array(
      String(decoding: line, as: UTF8.self).replacing(older, with: older.dropLast() + ",\"code\":1}").utf8)
  }

  /// The peer's claims and answers named the two halves of a container's id one by one.
  private static func withWholeContainer(_ line: [UInt8]) -> [UInt8] {
    guard contains(line, "\"containerHigh\":") else { return line }
    let text = String(decoding: line, as: UTF8.self)
    let halves = /"containerHigh":(?<high>\d+),"containerLow":(?<low>\d+)/
    return Array(text.replacing(halves) { "\"container\":{\"high\":\($0.high),\"low\":\($0.low)}" }.utf8)
  }

  /// The phone's extension ran on after its content, and had no time limit for its start.
  private static func withAfterContent(_ line: [UInt8]) -> [UInt8] {
    guard contains(line, "\"kind\":\"core\",\"core\":\"phone\""), !contains(line, "\"afterContent\":")
    else { return line }
    let text = String(decoding: line, as: UTF8.self)
    let added =
      "\"afterContent\":\"run\",\"reusesExtension\":true,\"extensionStartTime\":\(Int64.max / 2),"
      + "\"activityTime\":\(Int64.max / 2),\"sparesLockHolders\":false"
    return Array(text.replacing(/"taskExpiryGrace":\d+/) { "\($0.0),\(added)" }.utf8)
  }

  /// The phone had one switch and one reason not to show an alert, and no entitlement to filter alerts.
  private static func withPlacesOfAlerts(_ line: [UInt8]) -> [UInt8] {
    guard
      ["\"allowsNotifications\":", "\"notShown\":{}"].contains(where: { contains(line, $0) }),
      !contains(line, "\"showsBanners\":")
    else { return line }
    let places = "\"showsOnLockScreen\":true,\"showsInCentre\":true,\"showsBanners\":true"
    let text = String(decoding: line, as: UTF8.self).replacing(/"allowsNotifications":(true|false)/) {
      "\($0.0),\(places)"
    }.replacing(/"accessGroups":\[[^\]]*\],"appGroups":\[[^\]]*\]/) {
      "\($0.0),\"filtersNotifications\":false"
    }
    let reason = "\"notShown\":{\"_0\":\"\(PushHide.notAllowed.rawValue)\"}"
    return Array(text.replacing("\"notShown\":{}", with: reason).utf8)
  }

  /// The phone knew what the app was asked for.
  private static func withAsks(_ line: [UInt8]) -> [UInt8] {
    guard asks.contains(where: { contains(line, $0.older) }) else { return line }
    let text = String(decoding: line, as: UTF8.self)
    let inFront = text.replacing(/\{"paymentWanted":\{"request":(?<number>\d+)\}/) {
      "{\"appAsked\":{\"request\":\($0.number),\"inFront\":true}"
    }.replacing(/\{"invoiceWanted":\{"request":(?<number>\d+)\}/) {
      "{\"appAsked\":{\"request\":\($0.number),\"inFront\":false}"
    }
    return Array(asks.reduce(inFront) { $0.replacing($1.older, with: $1.word) }.utf8)
  }

  private static let asks = [
    ("{\"paymentWanted\":{", "{\"appAsked\":{"), ("{\"invoiceWanted\":{", "{\"appAsked\":{"),
    ("{\"invoiceAnswered\":{", "{\"appAnswered\":{"), ("{\"passOnInvoice\":{", "{\"passOnAnswer\":{"),
    ("{\"tell\":{\"_0\":\"app\",\"_1\":{\"invoice\":{", "{\"tell\":{\"_0\":\"app\",\"_1\":{\"ask\":{"),
    ("{\"tell\":{\"_0\":\"app\",\"_1\":{\"payment\":{", "{\"tell\":{\"_0\":\"app\",\"_1\":{\"ask\":{"),
    ("{\"failInvoice\":{", "{\"refuseAsk\":{"), ("\"_1\":\"slowToPay\"", "\"_1\":\"timedOut\""),
    ("\"_1\":\"endedWhilePaying\"", "\"_1\":\"appEnded\""),
    ("\"invoicePatience\":", "\"answerPatience\":"),
  ].map { (older: $0.0, word: $0.1) }

  /// A guard said in a sentence why the work on a push had ended, and why its process ends; a phone named in another way why
  /// it had dropped a push.
  private static func withReasonsAsCodes(_ line: [UInt8]) -> [UInt8] {
    reasons.filter { contains(line, $0.words) }.reduce(line) { line, reason in
      Array(String(decoding: line, as: UTF8.self).replacing(reason.words, with: reason.code).utf8)
    }
  }

  private static let reasons: [(words: String, code: String)] =
    finishReasons.map { (",\"_1\":\"\($0.words)\"}}", ",\"_1\":\"\($0.reason.rawValue)\"}}") }
    + endReasons.map { ("{\"end\":{\"_0\":\"\($0.words)\"", "{\"end\":{\"_0\":\"\($0.reason.rawValue)\"") }
    + [
      ("lowPowerMode", PushDrop.lowPowerMode), ("backgroundRefreshOff", .backgroundRefreshOff),
      ("swipedAway", .swipedAway), ("goingDown", .goingDown), ("launchFailed", .launchFailed),
    ].map { ("{\"dropped\":{\"_0\":\"\($0)\"", "{\"dropped\":{\"_0\":\"\($1.rawValue)\"") }

  /// As they were written then: these do not change with the sentences of today.
  static let finishReasons: [(words: String, reason: FinishReason)] = [
    ("29.5 s are over", .totalTime), ("5 s without another payment", .idle),
    ("the app wants the node", .appWantsNode), ("handed over to the app", .handedOver),
    ("the payment is received already", .received), ("the push could not be read", .unreadablePush),
    ("the phone takes the time away", .timeWillExpire), ("another process owns the node", .fenced),
    ("asked to terminate", .terminated), ("this node is in use by another device", .otherDevice),
    ("the peer names an epoch that is out of reach", .outOfReach), ("too many pushes wait", .tooManyPushes),
    ("the container was taken away", .containerLost),
  ]

  static let endReasons: [(words: String, reason: Guardrails.EndReason)] = [
    ("fenced: another process owns the node", .fenced), ("asked to terminate", .terminated),
    ("the container was taken away", .containerLost),
  ]

  private static func contains(_ line: [UInt8], _ word: String) -> Bool {
    Data(line).range(of: Data(word.utf8)) != nil
  }
}
