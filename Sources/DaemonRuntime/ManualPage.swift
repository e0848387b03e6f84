/// The manual page of a program or of one of its verbs, in mdoc, derived from the declaration as the usage text is.
struct ManualPage {
  let program: CommandLineDeclaration
  /// Nil for the page of the program itself.
  let verb: CommandLineDeclaration?

  private var command: CommandLineDeclaration { verb ?? program }
  private var pageName: String { verb.map { "\(program.name)-\($0.name)" } ?? program.name }
  private var fullName: String { verb.map { "\(program.name) \($0.name)" } ?? program.name }

  var text: String {
    var text = """
      .Dd \(batonDate)
      .Dt \(pageName.uppercased()) 1
      .Os
      .Sh NAME
      .Nm \(pageName)
      .Nd \(Self.escaped(command.summary))
      .Sh SYNOPSIS
      .Nm \(fullName)
      .Op Ar options

      """
    if !command.subcommands.isEmpty {
      text += command.worksWithoutCommand ? ".Op Ar command ...\n" : ".Ar command ...\n"
    }
    for positional in command.positionals { text += Self.synopsis(positional) }
    text += ".Sh DESCRIPTION\n\(Self.escaped(Self.sentence(command.summary)))\n"
    text += list(of: command.positionals)
    text += section("COMMANDS", commands)
    text += section("OPTIONS", options(command) + (verb == nil ? [] : options(program)) + common)
    text += ".Sh EXIT STATUS\n0 if it is done.\n"
    text += ".Ql baton help exit-codes\nprints what each other code means.\n"
    text += section("EXAMPLES", command.examples.map { (".It Li \(Self.argument($0.line))", $0.does, "") })
    return text + seeAlso
  }

  private var seeAlso: String {
    let others =
      verb != nil ? [program.name] : program.subcommands.map { "\(program.name)-\($0.name)" }.sorted()
    guard !others.isEmpty else { return ".Sh SEE ALSO\n.Xr baton 1\n" }
    let last = others.count - 1
    return ".Sh SEE ALSO\n"
      + others.enumerated().map { ".Xr \($0.element) 1\($0.offset < last ? " ," : "")\n" }.joined()
  }

  // MARK: Rows

  private typealias Row = (item: String, text: String, below: String)

  private var commands: [Row] {
    command.subcommands.map { sub in
      let more = verb == nil ? "" : list(of: sub.positionals) + Self.list(options(sub))
      return (".It Cm \(sub.name)", sub.summary, more)
    }
  }

  private var common: [Row] {
    [(".It Fl h , -help", "Print the usage.", "")]
      + (verb == nil
        ? [
          (".It Fl -version", "Print the version.", ""),
          (".It Fl -man", "Print this page, for mandoc or man.", ""),
        ] : [])
  }

  private func options(_ command: CommandLineDeclaration) -> [Row] {
    command.options.map { option in
      let names = option.names.map { String($0.dropFirst()) }.joined(separator: " , ")
      var value = ""
      switch option.value {
      case .none: break
      case .choice: value = " Ar word"
      default: value = " Ar \(Self.argument(option.value.placeholder))"
      }
      return (".It Fl \(names)\(value)", Self.explained(option.help, option.value, option.defaultValue), "")
    }
  }

  private func list(of positionals: [PositionalDeclaration]) -> String {
    Self.list(
      positionals.map { (".It Ar \(Self.argument($0.name))", Self.explained($0.help, $0.value, nil), "") })
  }

  // MARK: mdoc

  private static func synopsis(_ positional: PositionalDeclaration) -> String {
    let name = argument(positional.name)
    switch positional.count {
    case .one: return ".Ar \(name)\n"
    case .optional: return ".Op Ar \(name)\n"
    case .any: return ".Op Ar \(name) ...\n"
    case .atLeastOne: return ".Ar \(name) ...\n"
    }
  }

  private static func explained(_ help: String, _ value: OptionValue, _ standard: String?) -> String {
    var text = help
    if case .choice(let words) = value { text += ": \(words.joined(separator: ", "))" }
    if let standard { text += " (default \(standard))" }
    return text
  }

  private func section(_ title: String, _ rows: [Row]) -> String {
    rows.isEmpty ? "" : ".Sh \(title)\n\(Self.list(rows))"
  }

  private static func list(_ rows: [Row]) -> String {
    guard !rows.isEmpty else { return "" }
    let items = rows.map { "\($0.item)\n\(escaped(sentence($0.text)))\n\($0.below)" }
    return ".Bl -tag -width Ds\n\(items.joined()).El\n"
  }

  private static func sentence(_ text: String) -> String {
    let head = text.prefix(1).uppercased() + text.dropFirst()
    return head.hasSuffix(".") || head.hasSuffix(")") ? head : head + "."
  }

  /// A line of text: no character has a meaning, and a new sentence begins on a new line.
  private static func escaped(_ text: String) -> String {
    let plain = text.map { $0 == "\\" ? "\\e" : String($0) }.joined()
    let safe = plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&\(plain)" : plain
    return safe.split(separator: "\n").joined(separator: "\n")
  }

  /// One argument of a macro.
  private static func argument(_ text: String) -> String {
    let plain = text.map { $0 == "\\" ? "\\e" : $0 == "\"" ? "\\(dq" : String($0) }.joined()
    return "\"\\&\(plain)\""
  }
}
