import Ground

/// One form that a line can have. Words in capitals stand for values.
public struct Phrase: Sendable {
  public var form: String
  /// What the line does, for the author of a story.
  public var meaning: String
  public var place: Scenario.Place
  let command: @Sendable (Found) -> Command

  init(
    _ form: String, _ meaning: String, _ place: Scenario.Place = .everywhere,
    _ command: @escaping @Sendable (Found) -> Command
  ) {
    self.form = form
    self.meaning = meaning
    self.place = place
    self.command = command
  }

  /// The values found in place of the words in capitals.
  struct Found: Sendable {
    var role = Role.app
    var number = 0
    var invoice = 0
    var amountSat: UInt64?
    /// The recipient does not know the invoice's hash.
    var isForgotten = false
    var span = TimeSpan.zero
    var seconds: Int64 = 0
    var times = 0
    var parts = 0
    /// In “ID” and CODE.
    var text = ""
    /// In “TEXT”.
    var sentence = ""
    var isOn = false
    var percent = 0
    var megabytes = 0
  }

  /// Nil if the line has another form.
  func match(_ line: String) -> Found? {
    var words = line.split(separator: " ").map(String.init)[...]
    var found = Found()
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
  static let amountSatMax: UInt64 = 1_000_000

  /// False if the word does not fit the token.
  fileprivate mutating func take(_ word: String, for token: String, _ rest: inout ArraySlice<String>) -> Bool
  {
    switch token {
    case "PROCESS":
      guard let role = Role(rawValue: word) else { return false }
      self.role = role
    case "NUMBER":
      guard let number = Self.number(word, in: 1...99) else { return false }
      self.number = number
    case "INVOICE":
      guard let number = Self.number(word, in: 1...99) else { return false }
      invoice = number
    case "AMOUNT":
      guard let amount = Self.number(word, in: 1...Int(Self.amountSatMax)) else { return false }
      amountSat = UInt64(amount)
    case "forgotten":
      guard word == token else { return false }
      isForgotten = true
    case "TIMES":
      guard let times = Self.number(word, in: 1...100) else { return false }
      self.times = times
    case "PARTS":
      guard let parts = Self.number(word, in: 2...30) else { return false }
      self.parts = parts
    case "SWITCH":
      guard word == "on" || word == "off" else { return false }
      isOn = word == "on"
    case "PERCENT":
      guard let percent = Self.number(word, in: 0...100) else { return false }
      self.percent = percent
    case "MEGABYTES":
      guard let megabytes = Self.number(word, in: 1...1000) else { return false }
      self.megabytes = megabytes
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
