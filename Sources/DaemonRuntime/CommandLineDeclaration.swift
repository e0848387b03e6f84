/// What a program takes on its command line. Parsing, usage text and shell completion are all derived from it, so
/// that they cannot disagree.
public struct CommandLineDeclaration: Sendable {
  public var name: String
  /// One line, as it stands in the list of verbs.
  public var summary: String
  public var options: [OptionDeclaration]
  public var positionals: [PositionalDeclaration]
  public var subcommands: [CommandLineDeclaration]
  /// Without one it shows what there is.
  public var worksWithoutCommand: Bool
  /// Whole lines that can be typed as they are, each with what it does.
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
