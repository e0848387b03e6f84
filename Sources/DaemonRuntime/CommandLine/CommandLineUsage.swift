/// The usage text of one command, derived from its declaration and those above it.
struct CommandLineUsage {
  let path: [CommandLineDeclaration]

  private var command: CommandLineDeclaration { path[path.count - 1] }
  private var fullName: String { path.map(\.name).joined(separator: " ") }

  var text: String {
    var text = "\(fullName): \(command.summary)\n\nusage: \(synopsis)\n"
    text += section("commands", command.subcommands.map { ($0.name, $0.summary) })
    text += section("arguments", command.positionals.map { ($0.name, $0.value.explaining($0.help)) })
    let options =
      path.reversed().flatMap(\.options) + OptionDeclaration.common(isProgram: path.count == 1)
    func rows(_ group: String?) -> [(String, String)] {
      options.filter { $0.group == group }.map { option in
        (
          option.names.joined(separator: ", ") + (option.value == .none ? "" : " \(option.value.name)"),
          option.explanation
        )
      }
    }
    var groups: [String] = []
    for case let group? in options.map(\.group) where !groups.contains(group) { groups.append(group) }
    text += section("options", rows(nil))
    for group in groups { text += section(group, rows(group)) }
    text += section("examples", command.examples.map { ($0.line, $0.does) })
    return text
  }

  private var synopsis: String {
    var words = [fullName]
    if !path.allSatisfy(\.options.isEmpty) { words.append("[options]") }
    if !command.subcommands.isEmpty {
      words.append(command.worksWithoutCommand ? "[COMMAND …]" : "COMMAND …")
    }
    for positional in command.positionals {
      let name = positional.name + (positional.count.mayRepeat ? " …" : "")
      words.append(positional.count.isOptional ? "[\(name)]" : name)
    }
    return words.joined(separator: " ")
  }

  private func section(_ title: String, _ rows: [(String, String)]) -> String {
    guard !rows.isEmpty else { return "" }
    let width = min(28, rows.map { $0.0.count }.max() ?? 0)
    var text = "\n\(title):\n"
    for (left, right) in rows {
      let lines = right.wrapped(to: 96 - width)
      // A name that is too long for the column gets a line of its own.
      if left.count > width {
        text += "  \(left)\n"
        for line in lines { text += "  \(String(repeating: " ", count: width))  \(line)\n" }
        continue
      }
      for (index, line) in lines.enumerated() {
        let head = index == 0 ? left : ""
        text += "  \(head)\(String(repeating: " ", count: width - head.count))  \(line)\n"
      }
    }
    return text
  }
}

extension String {
  /// Lines of at most this many characters.
  public func wrapped(to width: Int) -> [String] {
    var lines: [String] = [""]
    for word in split(separator: " ") {
      let last = lines[lines.count - 1]
      if !last.isEmpty && last.count + 1 + word.count > width {
        lines.append(String(word))
      } else {
        lines[lines.count - 1] = last.isEmpty ? String(word) : "\(last) \(word)"
      }
    }
    return lines
  }
}
