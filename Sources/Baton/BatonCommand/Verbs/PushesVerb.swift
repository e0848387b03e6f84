import Terminal
import Inspection
import DaemonRuntime

/// What came of the pushes.
enum PushesVerb: Verb {
  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "pushes", summary: "every push of this phone and what became of it, with figures",
      examples: [
        ("baton pushes", "what came, and how quickly the node was there"),
        ("baton pushes --json", "the same with every figure, for a script"),
      ])
  }

  /// From the phone's files, so that a phone that is off is told of too.
  static func run(_ invocation: Invocation) throws -> ExitCode {
    let phone = try invocation.phone
    try StatusVerb.requirePhone(phone)
    PushPage(figures: PushFigures(of: phone))
      .tell(invocation.output, wallNanoseconds: phone.clock.wallNanoseconds)
    return .done
  }
}
