import DaemonRuntime

/// Lists the pushes with their outcomes.
enum PushesVerb: Verb {
  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "pushes", summary: "list every push of this phone with its outcome, and figures",
      examples: [
        ("baton pushes", "the pushes, and how soon the node was connected after a silent push"),
        ("baton pushes --json", "all pushes with every figure, for a script"),
      ])
  }

  /// Reads the phone's files: iosd need not run.
  static func run(_ invocation: Invocation) throws -> ExitCode {
    let phone = try invocation.phone
    try StatusVerb.requirePhone(phone)
    PushPage(figures: PushFigures(of: phone))
      .tell(invocation.output, wallNanoseconds: phone.clock.wallNanoseconds)
    return .done
  }
}
