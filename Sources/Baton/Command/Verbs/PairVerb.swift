import DaemonRuntime

/// Runs the two wallet processes without iosd.
enum PairVerb: Verb {
  static let declaration = CommandLineDeclaration(
    name: "pair", summary: "start the two wallet processes and their peer by hand, without iosd",
    positionals: [
      PositionalDeclaration(
        "DIR", value: .path("DIR"), help: "the pair's directory; an existing one is used again"),
      PositionalDeclaration(
        "PUSH", value: .path("FILE"), count: .any,
        help: "start the extension once for each push, one after the other, and end after the last"),
    ],
    examples: [
      ("baton pair /tmp/pair", "until ^C; each line of standard input is the path of a push"),
      ("baton pair /tmp/pair payment.apns", "one push, then all processes end"),
    ])

  static func supervision(_ line: ParsedCommandLine) -> Supervision? {
    Supervision(kept: line.positionals.first)
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    try require(
      !invocation.output.isJSON, .wrongUsage,
      "`pair` prints the text of its processes, not JSON; omit --json, and use `baton logs --json`")
    let directory = invocation.word()
    try require(
      !FilePath.exists(directory) || FilePath.isDirectory(directory), .cannotCreate,
      "\(directory) is not a directory; name a directory for the pair")
    let phone = Phone(home: directory)
    // Only iosd hands out an item.
    let items = DirectoryListing.names(of: phone.keychain + "/items") ?? []
    try require(
      items.isEmpty || FilePath.exists(phone.keychain + "/wallet-seed"), .cannotCreate,
      "\(directory) is a phone of `baton up`, whose keychain has the seed; name another directory for the pair"
    )
    let pair = HandRunPair(phone)
    try pair.start()
    return try pair.run(pushes: Array(invocation.line.positionals.dropFirst()))
  }
}
