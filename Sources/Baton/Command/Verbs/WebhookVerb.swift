import DaemonRuntime
import Ground
import PhonePolicy

/// The user's choice in the app: which URLs the LSP calls while the wallet is away (LSPS5).
enum WebhookVerb: Verb {
  private static let name = PositionalDeclaration(
    "NAME", value: .text("NAME"), help: "which of the wallet's webhooks, at most 64 bytes")

  static let declaration = CommandLineDeclaration(
    name: "webhook", summary: "register a URL that the peer calls while the wallet is away (LSPS5)",
    subcommands: [
      CommandLineDeclaration(
        name: "set", summary: "add a webhook, or replace the one of this name",
        positionals: [
          name,
          PositionalDeclaration(
            "URL", value: .text("URL"),
            help: "where the peer posts signed notifications: http or https on this machine"),
        ]),
      CommandLineDeclaration(name: "list", summary: "ask the peer for the names"),
      CommandLineDeclaration(
        name: "remove", summary: "have the peer forget a webhook", positionals: [name]),
    ],
    examples: [
      (
        "baton webhook set notifier http://127.0.0.1:8080/wake",
        "the peer calls it once, and then for payments"
      ),
      ("baton webhook remove notifier", "nothing more goes there"),
    ])

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let verb = invocation.line.verbs.last ?? ""
    switch verb {
    case "list": return try list(invocation)
    case "remove":
      let name = invocation.word()
      try invocation.phone.askApp(ControlMessage("remove-webhook", ["name": name]), inFront: true)
      return invocation.done(
        "the peer has forgotten the webhook \(name)",
        json: Document(name: name, state: "removed", count: nil, max: nil))
    default: return try set(invocation)
    }
  }

  private static func set(_ invocation: Invocation) throws -> ExitCode {
    let name = invocation.word()
    let url = invocation.word(1)
    let answer = try invocation.phone.askApp(
      ControlMessage("set-webhook", ["name": name, "url": url]), inFront: true)
    let state = try answer.required("state")
    let count = try answer.integer("count", in: UInt64(0)...UInt64.max)
    let max = try answer.integer("max", in: UInt64(0)...UInt64.max)
    let change =
      state == "unchanged"
      ? "the peer has this webhook already"
      : "the peer calls \(url) from now on, and no longer pushes: only a push of that server wakes the extension"
    return invocation.done(
      "\(change) (\(count) of at most \(max))",
      json: Document(name: name, state: state, count: count, max: max))
  }

  private static func list(_ invocation: Invocation) throws -> ExitCode {
    let answer = try invocation.phone.askApp(ControlMessage("list-webhooks"), inFront: true)
    let max = try answer.integer("max", in: UInt64(0)...UInt64.max)
    let names = (JSONValue(parsing: answer.body)?.elements ?? []).compactMap(\.text)
    guard !invocation.output.isJSON, !names.isEmpty else {
      return invocation.done("the wallet has no webhook", json: ListDocument(names: names, max: max))
    }
    for name in names { invocation.output.say(name) }
    return .done
  }

  struct Document: Report {
    var name: String
    /// `set`, `unchanged` or `removed`.
    var state: String
    /// The webhooks of the wallet, and the peer's limit.
    var count: UInt64?
    var max: UInt64?
  }

  struct ListDocument: Report {
    var names: [String]
    var max: UInt64
  }
}

/// The wallet's webhooks at the peer, from its ledger.
extension WebhookList {
  func print(to output: Output) -> ExitCode {
    guard !output.isJSON else {
      output.say(self)
      return .done
    }
    if webhooks.isEmpty {
      output.say("the wallet has no webhook; register one with `baton webhook set`")
    }
    for webhook in webhooks { output.say("\(webhook.appName.onOneLine): \(webhook.url)") }
    for call in calls {
      let height = call.timeout.map { " at block \($0)" } ?? ""
      let status = call.status.map { " (HTTP \($0))" } ?? ""
      output.say(
        "\(call.timestamp) \(call.method)\(height) to \(call.appName.onOneLine): \(words(call.outcome))\(status), \(HumanText.count(Int(clamping: call.attempts), "attempt"))"
      )
    }
    return .done
  }

  private func words(_ outcome: String) -> String {
    switch outcome {
    case "asked": "under way"
    case "answered-otherwise": "answered, but not with 200"
    case "forbidden-address": "not called, for its address"
    default: outcome.replacing("-", with: " ")
    }
  }
}
