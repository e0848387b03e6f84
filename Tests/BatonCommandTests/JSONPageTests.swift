import GeneratedPages
import PhonePolicy

@testable import Baton

/// docs/json/v1.schema.json describes every `--json` document as its type decodes itself.
@Suite("The JSON schema", .serialized, .waits) struct JSONPageTests {
  private struct Entry {
    /// As in the schema's `$defs`.
    var name: String
    /// The schema's `description`, in Markdown.
    var commands: String
    var type: any Decodable.Type

    init(_ name: String, _ commands: String, _ type: any Decodable.Type) {
      (self.name, self.commands, self.type) = (name, commands, type)
    }
  }

  private static var entries: [Entry] {
    [
      Entry("error", "any command that fails", CommandFailure.Document.self),
      Entry("ablation-rule", "`baton ablation`, a line for each rule", AblationReport.Document.self),
      Entry(
        "ablation-other", "`baton ablation`, then a line for each other coordination",
        ComparisonReport.Document.self),
      Entry("app", "`baton app` but for `screen`", AppVerb.Document.self),
      Entry("app-screen", "`baton app screen`", AppScreenPage.self),
      Entry("chaos", "`baton chaos kill`, `freeze`, `crash`", ChaosReport.self),
      Entry("ci", "`baton ci`, and `verdict.json` in its directory", CIReport.self),
      Entry("completion", "`baton completion`", CompletionVerb.Document.self),
      Entry("device", "`baton device`, also with a switch", DeviceState.self),
      Entry("device-clock", "`baton device clock`", DeviceVerb.ClockStep.self),
      Entry("device-reboot", "`baton device reboot`", DeviceVerb.Reboot.self),
      Entry("down", "`baton down`", DownVerb.Document.self),
      Entry("explore", "`baton explore`", ExploreReport.Document.self),
      Entry("help-exit-codes", "`baton help exit-codes`", [HelpVerb.ExitCodeMeaning].self),
      Entry("help-verb", "`baton help VERB`", HelpVerb.Usage.self),
      Entry("help", "`baton help`", [HelpVerb.VerbSummary].self),
      Entry("doctor", "`baton doctor`", DoctorReport.Document.self),
      Entry("inspect", "`baton inspect`", ContainerReport.Document.self),
      Entry("inspect-diff", "`baton inspect --diff`", ContainerDiff.self),
      Entry("invoice", "`baton invoice`, also with `--read`", InvoicePage.Document.self),
      Entry("invoice-cancel", "`baton invoice --cancel`", InvoiceVerb.Cancelled.self),
      Entry("judge", "`baton judge`", VerdictDocument.self),
      Entry("kill", "`baton kill`", SignalVerbs.Document.self),
      Entry("freeze", "`baton freeze`", SignalVerbs.Document.self),
      Entry("thaw", "`baton thaw`", SignalVerbs.Document.self),
      Entry("lsp-fail", "`baton lsp fail`", LSPVerb.Document.self),
      Entry("lsp-order", "`baton lsp order`, `close`", LSPVerb.ChannelDocument.self),
      Entry("lsp-notify", "`baton lsp notify`", LSPVerb.NotifyDocument.self),
      Entry("lsp-webhooks", "`baton lsp webhooks`", WebhookList.self),
      Entry("sim-merge", "`baton sim --merge`", MergeReport.Document.self),
      Entry("museum", "`baton museum`", [MuseumReport.Listed].self),
      Entry("museum-incident", "`baton museum NAME`, a line for each incident", MuseumReport.Document.self),
      Entry("list-notifications", "`baton list notifications`", [NotificationRow].self),
      Entry("list-categories", "`baton list categories`", [NotificationCategory].self),
      Entry(
        "pay", "`baton pay`, `baton send`, `baton lsp open-by-payment`; with `--retry` the last line",
        PaymentDocument.self),
      Entry(
        "pay-retry-event", "`baton pay --retry hint` or `interim`, a line for each event",
        RetriedPayment.Progress.self),
      Entry("pay-count", "`baton pay --count`", PaymentLoad.Document.self),
      Entry("list-payments", "`baton list payments`", [PaymentEntry].self),
      Entry("list-processes", "`baton list processes`", ProcessList.self),
      Entry("push", "`baton push`", PushVerb.Document.self),
      Entry("list-pushes", "`baton list pushes`", PushFigures.self),
      Entry("replay", "`baton replay FILE`, a line for each", ReplayVerb.JournalDocument.self),
      Entry("replay-seed", "`baton replay --seed`", ReplayVerb.SeedDocument.self),
      Entry("restore", "`baton restore`", RestoreVerb.Document.self),
      Entry(
        "run", "`baton run`, a line for each story; `baton demo`, the last line",
        ScenarioOutcome.self),
      Entry(
        "demo-event", "`baton demo`, `baton run --events`, a line for each event", StoryNarrator.Line.self),
      Entry("run-commands", "`baton run --commands`", [ScenarioCommands.Document].self),
      Entry("sim", "`baton sim`", SimFigures.Document.self),
      Entry("sim-result", "`baton sim --results`, a line for each seed", SeedResult.self),
      Entry("soak", "`baton soak`", SoakReport.self),
      Entry("serve", "`baton serve`", ServeAddress.self),
      Entry("serve-act", "`POST /act` of `baton serve --control`", ServeDone.self),
      Entry("status", "`baton status`", RunView.self),
      Entry("list-tasks", "`baton list tasks`", [TaskRow].self),
      Entry("timeline", "`baton timeline`", TimelineVerb.Document.self),
      Entry("up", "`baton up`", UpVerb.Document.self),
      Entry("version", "`baton --version`", Versions.self),
      Entry(
        "watch",
        "`baton watch --once`; each line of `baton watch`, each event and `/status.json` of `baton serve`",
        LiveView.self),
      Entry("webhook", "`baton webhook set`, `remove`", WebhookVerb.Document.self),
      Entry("webhook-list", "`baton webhook list`", WebhookVerb.ListDocument.self),
      Entry("withdraw", "`baton withdraw`", Withdrawal.self),
    ]
  }

  /// Verbs that print journal records, or that refuse or ignore `--json`.
  private static let others: Set = ["logs", "scratch"]

  @Test func `The JSON schema in docs describes every member of every --json document`() throws {
    let definitions = try Self.entries.map { entry in
      guard case .object(let members) = try Shape(of: entry.type).schema else {
        throw CommandFailure(.bugOfOurs, "\(entry.name) has no schema")
      }
      let description = JSONMember(key: "description", value: .string(entry.commands))
      return JSONMember(key: entry.name, value: .object([description] + members))
    }
    let schema = JSONValue.object([
      JSONMember(key: "$schema", value: .string("https://json-schema.org/draft/2020-12/schema")),
      JSONMember(key: "title", value: .string("baton --json, version \(Versions.jsonVersion)")),
      JSONMember(key: "$defs", value: .object(definitions)),
    ])
    try GeneratedPage("docs/json/v\(Versions.jsonVersion).schema.json").expect(laidOut(schema) + "\n")
  }

  @Test func `Each verb except logs and scratch has a --json document in the JSON schema`() {
    let known = Set(Self.entries.compactMap { $0.name.split(separator: "-").first.map(String.init) })
    let verbs = Set(Program.verbs.map { $0.declaration.name })
    // Of verbs with a document of one name, the others are in its description.
    let described = Self.entries.flatMap { entry in
      entry.commands.matches(of: #/`baton (?<verb>[a-z]+)/#).map { String($0.verb) }
    }
    expect(verbs.subtracting(known.union(described)), is: Self.others)
    expect(known.subtracting(verbs), is: ["error", "version"])
    expect(Set(Self.entries.map(\.name)).count, is: Self.entries.count)
  }

  @Test func `An optional property becomes an optional member, and joined types share one object`() throws {
    struct Inner: Report { var wallNs: Int64? }
    enum Word: String, Codable, CaseIterable { case one, two }
    struct Sample: Report {
      var endCode: Word?
      var list: [Inner]
      var said: SaidFields
      var isSo: Bool
    }
    let shape = try Shape(of: Joined<Sample, Inner>.self)
    func member(_ name: String, _ shape: Shape, isOptional: Bool = false) -> Shape.Member {
      Shape.Member(name: name, shape: shape, isOptional: isOptional)
    }
    let inner = member("wall_ns", .integer, isOptional: true)
    expect(
      shape,
      is: .object([
        member("end_code", .choice(["one", "two"]), isOptional: true),
        member("list", .list(.object([inner]))), member("said", .texts), member("so", .boolean), inner,
      ]))
  }

  /// Laid out on several lines; a short value stays on one.
  private func laidOut(_ value: JSONValue, indent: String = "") -> String {
    let short = value.json
    if short.utf8.count + indent.utf8.count <= 100 { return short }
    let inner = indent + "  "
    switch value {
    case .array(let elements):
      return "[\n\(elements.map { inner + laidOut($0, indent: inner) }.joined(separator: ",\n"))\n\(indent)]"
    case .object(let members):
      let lines = members.map { "\(inner)\(JSONText.quoted($0.key)): \(laidOut($0.value, indent: inner))" }
      return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
    default: return short
    }
  }
}
