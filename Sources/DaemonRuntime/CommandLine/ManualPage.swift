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
    let common = OptionDeclaration.common(isProgram: verb == nil)
    text += section("OPTIONS", Self.rows(command.options + (verb == nil ? [] : program.options) + common))
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
      let more = verb == nil ? "" : list(of: sub.positionals) + Self.list(Self.rows(sub.options))
      return (".It Cm \(sub.name)", sub.summary, more)
    }
  }

  private static func rows(_ options: [OptionDeclaration]) -> [Row] {
    options.map { option in
      let names = option.names.map { String($0.dropFirst()) }.joined(separator: " , ")
      let value = option.value == .none ? "" : " Ar \(argument(option.value.name))"
      return (".It Fl \(names)\(value)", option.explanation, "")
    }
  }

  private func list(of positionals: [PositionalDeclaration]) -> String {
    Self.list(
      positionals.map { (".It Ar \(Self.argument($0.name))", $0.value.explaining($0.help), "") })
  }

  // MARK: mdoc

  private static func synopsis(_ positional: PositionalDeclaration) -> String {
    let name = argument(positional.name) + (positional.count.mayRepeat ? " ..." : "")
    return positional.count.isOptional ? ".Op Ar \(name)\n" : ".Ar \(name)\n"
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
