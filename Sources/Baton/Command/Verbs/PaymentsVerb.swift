import DaemonRuntime

/// Lists payments received, sent, and held by the peer.
enum PaymentsVerb: Verb {
  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "payments",
      summary:
        "payments in both directions: unsettled ones at the peer, then the newest; also without the daemons",
      options: [
        OptionDeclaration(
          "-n", value: .integer(1...1_000_000), default: "20", help: "the first N of the list")
      ],
      examples: [
        ("baton payments -n 5", "the first five of the list"),
        ("baton payments --json | jq '.[] | select(.state == \"held\")'", "the payments held for the wallet"),
      ])
  }

  /// A database that no process has open is copied to a temporary directory.
  static func supervision(_ line: ParsedCommandLine) -> Supervision? {
    Supervision(name: "payments", isLooking: true, needsPlace: false)
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let output = invocation.output
    try StatusVerb.requirePhone(invocation.phone)
    let most = invocation.line.integer("-n").map { Int($0) } ?? 20
    let list = try PaymentList(of: invocation.phone, most: most)
    let entries = list.entries
    if output.isJSON {
      output.say(entries)
    } else if entries.isEmpty {
      output.say("no payment was received or sent\(list.trouble == nil ? ", and none is held" : "")")
    } else {
      output.table([["WHEN", "WAY", "AMOUNT", "WHAT", "HASH", "TEXT"]] + entries.map(\.cells))
    }
    if let trouble = list.trouble { output.remark("the payments at the peer are unknown: \(trouble)") }
    return .done
  }
}
