/// Parses the arguments in one pass, from left to right.
struct CommandLineParser {
  private var path: [CommandLineDeclaration]
  private var result = ParsedCommandLine()
  private var onlyPositionals = false

  init(root: CommandLineDeclaration) { path = [root] }

  private var current: CommandLineDeclaration { path[path.count - 1] }
  /// Options of a verb also apply to its subcommands.
  private var options: [OptionDeclaration] { path.reversed().flatMap(\.options) }

  mutating func parse(_ arguments: [String]) throws(UsageError) -> ParsedCommandLine {
    var rest = arguments[...]
    while let word = rest.popFirst() {
      if onlyPositionals {
        try takeWord(word)
      } else if word == "--" {
        onlyPositionals = true
      } else if isOption(word) {
        try takeOption(word, rest: &rest)
      } else {
        try takeWord(word)
      }
    }
    try checkPositionals()
    for option in options where result.values[option.name] == nil {
      if let standard = option.defaultValue { result.defaults[option.name] = standard }
    }
    return result
  }

  /// A lone dash, a negative number and a negative time are not options.
  private func isOption(_ word: String) -> Bool {
    guard word.hasPrefix("-"), word != "-" else { return false }
    if options.contains(where: { $0.names.contains(word) }) { return true }
    return Int64(word) == nil && SpanText.parse(String(word.dropFirst())) == nil
  }

  private mutating func takeOption(_ word: String, rest: inout ArraySlice<String>) throws(UsageError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let typed = parts[0]
    guard let option = options.first(where: { $0.names.contains(typed) }) else {
      throw unknown("option", typed, among: options.flatMap(\.names) + ["--help", "--version"])
    }
    if option.value == .none {
      guard parts.count == 1 else { throw UsageError(description: "\(typed) takes no value; write it alone") }
      result.values[option.name] = [""]
      return
    }
    let wanted = option.value.placeholder
    guard let value = parts.count == 2 ? parts[1] : rest.popFirst(),
      parts.count == 2 || !value.hasPrefix("--")
    else { throw UsageError(description: "\(typed) needs a value; write \(typed) \(wanted)") }
    guard !value.isEmpty else {
      throw UsageError(description: "\(typed) must not be empty; write \(typed) \(wanted)")
    }
    if let expected = option.value.expectation(violatedBy: value) {
      throw UsageError(description: "\(typed) must be \(expected), not \(UsageError.quoted(value))")
    }
    if option.mayRepeat {
      result.values[option.name, default: []].append(value)
    } else if result.values[option.name] != nil {
      throw UsageError(description: "\(typed) is given twice; give it once")
    } else {
      result.values[option.name] = [value]
    }
  }

  private mutating func takeWord(_ word: String) throws(UsageError) {
    guard current.subcommands.isEmpty || onlyPositionals else {
      guard let next = current.subcommands.first(where: { $0.name == word }) else {
        throw unknown("command", word, among: current.subcommands.map(\.name))
      }
      path.append(next)
      result.verbs.append(word)
      return
    }
    let place = result.positionals.count
    let declared = current.positionals
    let takesMany = declared.last?.count.mayRepeat ?? false
    guard place < declared.count || takesMany else {
      throw UsageError(description: "\(UsageError.quoted(word)) is one word too many; see \(commandName) -h")
    }
    let positional = declared[min(place, declared.count - 1)]
    guard !word.isEmpty else { throw UsageError(description: "\(positional.name) must not be empty") }
    if let expected = positional.value.expectation(violatedBy: word) {
      throw UsageError(description: "\(positional.name) must be \(expected), not \(UsageError.quoted(word))")
    }
    result.positionals.append(word)
  }

  private func checkPositionals() throws(UsageError) {
    if !current.subcommands.isEmpty && current.positionals.isEmpty && !current.worksWithoutCommand {
      let names = current.subcommands.map(\.name).joined(separator: ", ")
      throw UsageError(description: "\(commandName) needs a command: \(names)")
    }
    let needed = current.positionals.filter { !$0.count.isOptional }
    if result.positionals.count < needed.count {
      let missing = needed[result.positionals.count]
      throw UsageError(description: "\(missing.name) is missing: \(missing.help); see \(commandName) -h")
    }
  }

  private var commandName: String { path.map(\.name).joined(separator: " ") }

  private func unknown(_ kind: String, _ word: String, among known: [String]) -> UsageError {
    UsageError(unknown: kind, word, among: known, of: commandName)
  }
}
