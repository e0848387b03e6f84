/// The command line of a program. Parser, usage text and shell completion are all derived from it, so they cannot
/// disagree.
public struct CommandLineDeclaration: Sendable {
  public var name: String
  /// One line, for the list of verbs.
  public var summary: String
  public var options: [OptionDeclaration]
  public var positionals: [PositionalDeclaration]
  public var subcommands: [CommandLineDeclaration]
  /// Without a subcommand the program lists them.
  public var worksWithoutCommand: Bool
  /// Complete command lines, each with an explanation.
  public var examples: [(line: String, does: String)]

  public init(
    name: String, summary: String, options: [OptionDeclaration] = [],
    positionals: [PositionalDeclaration] = [], subcommands: [CommandLineDeclaration] = [],
    worksWithoutCommand: Bool = false,
    examples: [(line: String, does: String)] = []
  ) {
    self.name = name
    self.summary = summary
    self.options = options
    self.positionals = positionals
    self.subcommands = subcommands
    self.worksWithoutCommand = worksWithoutCommand
    self.examples = examples
  }
}
