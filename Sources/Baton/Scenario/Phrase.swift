import Ground
import Guardrails
import PhonePolicy
import Simulation

/// One form that a line can have, with its meaning: declared once in `Language`. Words in capitals stand for values.
struct Phrase: Sendable {
  var form: String
  /// What the line does, for the author of a story.
  var meaning: String
  var place = Scenario.Place.everywhere
  /// What the line needs beyond what docs/protocols.md asks of every program.
  var need: Need?
  let command: @Sendable (Found) -> Command

  /// The values found in place of the words in capitals.
  struct Found: Sendable {
    /// The whole line.
    var line = ""
    var role = Role.app
    fileprivate var numbers: [String: Int] = [:]
    var span = TimeSpan.zero
    var seconds: Int64 = 0
    /// In “ID” and CODE.
    var text = ""
    /// In “TEXT”.
    var sentence = ""
    var isOn = false

    var number: Int { numbers["NUMBER"] ?? 0 }
    var invoice: Int { numbers["INVOICE"] ?? 0 }
    var amountSat: UInt64? { numbers["AMOUNT"].map { UInt64($0) } }
    var times: Int { numbers["TIMES"] ?? 0 }
    var parts: Int { numbers["PARTS"] ?? 0 }
    var percent: Int { numbers["PERCENT"] ?? 0 }
    var megabytes: Int { numbers["MEGABYTES"] ?? 0 }
  }

  /// What only some programs have; in the words of `baton ci`.
  enum Need: String {
    case peer = "it needs a channel with the peer, which programs of the level container do not have"
    case wallet = "it is about another wallet of Baton's"
    case options = "it needs an option of Baton's own programs"
    case seed = "it is about the seed of Baton's own wallet"
    case texts = "it reads the texts of Baton's own wallet"
    case tasks = "it is about the background tasks of Baton's own app"
    case audio = "it is about the audio of Baton's own app"
    case memory = "it is about the memory of Baton's own app"
  }

  /// The phrase of a line.
  static func of(_ line: String) -> (phrase: Phrase, found: Found)? {
    for phrase in all { if let found = phrase.match(line) { return (phrase, found) } }
    return nil
  }

  /// Nil if the line has another form.
  func match(_ line: String) -> Found? {
    var words = line.split(separator: " ").map(String.init)[...]
    var found = Found(line: line)
    for token in form.split(separator: " ") {
      guard var word = words.popFirst() else { return nil }
      var token = String(token)
      if token.hasSuffix("?"), word.hasSuffix("?") {
        token.removeLast()
        word.removeLast()
      }
      guard found.take(word, for: token, &words) else { return nil }
    }
    return words.isEmpty ? found : nil
  }
}

extension Phrase.Found {
  private static let ranges = [
    "NUMBER": 1...99, "INVOICE": 1...99, "AMOUNT": 1...1_000_000, "TIMES": 1...100, "PARTS": 2...30,
    "PERCENT": 0...100, "MEGABYTES": 1...1000,
  ]

  /// False if the word does not fit the token.
  fileprivate mutating func take(_ word: String, for token: String, _ rest: inout ArraySlice<String>) -> Bool
  {
    if let range = Self.ranges[token] {
      numbers[token] = Self.number(word, in: range)
      return numbers[token] != nil
    }
    switch token {
    case "PROCESS":
      guard let role = Role(rawValue: word) else { return false }
      self.role = role
    case "SWITCH":
      guard word == "on" || word == "off" else { return false }
      isOn = word == "on"
    case "CODE":
      guard word.utf8.count <= 64, word.utf8.allSatisfy({ $0 == 0x5F || (0x61...0x7A).contains($0) }) else {
        return false
      }
      text = word
    case "“ID”":
      guard let name = Self.quoted(word), name.utf8.count <= 128 else { return false }
      text = name
    case "TIME":
      guard let unit = rest.popFirst(), let span = Self.span(word, unit) else { return false }
      self.span = span
    case "±TIME":
      guard let sign = word.first, sign == "+" || sign == "-", let unit = rest.popFirst(),
        let span = Self.span(String(word.dropFirst()), unit), span.nanoseconds % 1_000_000_000 == 0
      else { return false }
      seconds = span.nanoseconds / 1_000_000_000 * (sign == "-" ? -1 : 1)
    case "“TEXT”":
      guard let sentence = Self.quoted(([word] + rest).joined(separator: " ")) else { return false }
      self.sentence = sentence
      rest = []
    default: return word == token
    }
    return true
  }

  private static func quoted(_ text: String) -> String? {
    guard text.count > 2, text.hasPrefix("“"), text.hasSuffix("”") else { return nil }
    return String(text.dropFirst().dropLast())
  }

  private static func number(_ word: String, in range: ClosedRange<Int>) -> Int? {
    guard word.utf8.count <= 9, word.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(word),
      range.contains(number)
    else { return nil }
    return number
  }

  private static func span(_ word: String, _ unit: String) -> TimeSpan? {
    guard let count = number(word, in: 1...100_000).map(Int64.init) else { return nil }
    switch unit {
    case "ms": return .milliseconds(count)
    case "s", "seconds": return .seconds(count)
    case "min", "minutes": return .seconds(60 * count)
    case "h", "hour", "hours": return .seconds(3600 * min(count, 100))
    default: return nil
    }
  }
}

/// The meaning of one line of a story.
enum Command: Sendable {
  /// A line of the story's head: a setting of its phone or its peer.
  case given(@Sendable (inout StorySettings) -> Void)
  case make(StoryAction)
  case wait(Condition)
  case pass(TimeSpan)
  /// A question; its answer is the same in every run: without times and process ids.
  case ask(@Sendable (Scene, Scenario) -> [String])
  /// The end of the story: everything is judged.
  case verdict

  var isGiven: Bool { if case .given = self { true } else { false } }

  /// The world in which only this line of the head is set.
  var world: WorldSettings? {
    guard case .given(let change) = self else { return nil }
    var settings = StorySettings(world: WorldSettings())
    change(&settings)
    return settings.world
  }

  var action: StoryAction? { if case .make(let action) = self { action } else { nil } }
}

/// What a story waits for.
struct Condition: Sendable {
  /// Continues "gave up waiting".
  var words: String
  var holds: @Sendable (Scene) -> Bool

  /// That of the line `wait until …`, which must be in the language.
  init(until words: String) {
    guard case .wait(let condition)? = Phrase.of("wait until \(words)").map({ $0.phrase.command($0.found) })
    else { preconditionFailure("no story can wait until \(words)") }
    self = condition
  }

  static let appRuns = Condition(until: "the app runs")
  static let extensionRuns = Condition(until: "the extension runs")
  static let appIsConnected = Condition(until: "the app is connected")
  static let appHasEnded = Condition(until: "the app has ended")

  init(words: String, _ holds: @escaping @Sendable (Scene) -> Bool) {
    (self.words, self.holds) = (words, holds)
  }
}

/// An action of the user or a sender, or a fault; what each does is in the meaning of its line.
enum StoryAction: Hashable, Sendable {
  // The user, and a sender.
  case open, home, quit
  case homeAndBack(times: Int)
  case pay(number: Int), payExpired(number: Int), payInvoice(number: Int)
  case payInParts(number: Int, parts: Int), payNextPart(number: Int)

  // Faults of processes and files.
  case kill(Role), freeze(Role), freezeInside(Role), thaw(Role)
  case replaceLock(Role), emptyHeartbeat, copyDatabase, restoreCopy

  // Faults of messages and of the peer.
  case restartPeer, stopPeer, startPeer
  case breakConnection, loseMessage, repeatMessage, losePush
  case failNext(times: Int, code: String), failChannel

  // The phone itself.
  case device(DeviceChange)
  case silentPush, visiblePush
  case touch(NotificationTouch), press(String)
  case launchTask(String), expireTask(String)
  case reboot(staysLocked: Bool), payInReboot(number: Int)
  case sleepDevice(TimeSpan), stepClock(seconds: Int64)

  /// The process that a fault hits; the story waits until it runs.
  var target: Role? {
    switch self {
    case .kill(let role), .freeze(let role), .freezeInside(let role), .thaw(let role): role
    default: nil
    }
  }
}
