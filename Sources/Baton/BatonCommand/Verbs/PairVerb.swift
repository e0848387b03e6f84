import PhoneClient
import Terminal
import DaemonRuntime

/// The wallet's two processes without a phone around them.
enum PairVerb: Verb {
  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "pair", summary: "start the two wallet processes and their peer by hand, without a phone",
      positionals: [
        PositionalDeclaration(
          "DIR", value: .path("DIR"), help: "where they run; what is there already is used again"),
        PositionalDeclaration(
          "PUSH", value: .path("FILE"), count: .any,
          help: "starts the extension once for each, one after the other; ends with the last one"),
      ],
      examples: [
        ("baton pair /tmp/pair", "until ^C; each line on standard input names one more push"),
        ("baton pair /tmp/pair payment.apns", "one push, and everything ends"),
      ])
  }

  static func supervision(_ line: ParsedCommandLine) -> Supervision? {
    Supervision(name: "pair", kept: line.positionals.first, needsPlace: false)
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    guard !invocation.output.isJSON else {
      throw CommandFailure(
        .wrongUsage,
        "what `pair` prints is what its processes say, which is no JSON; leave --json out, and ask `baton logs --json`"
      )
    }
    let directory = invocation.word()
    guard !FilePath.exists(directory) || FilePath.isDirectory(directory) else {
      throw CommandFailure(
        .cannotCreate, "\(directory) is no directory; name a directory for the pair to run in")
    }
    let pair = HandRunPair(Phone(home: directory))
    try pair.start()
    return try pair.run(pushes: Array(invocation.line.positionals.dropFirst()))
  }
}
