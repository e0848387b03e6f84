import DaemonRuntime
import LightningWire
import PhoneClient
import Reports
import Terminal

/// Orders to the Lightning peer.
enum LSPVerb: Verb {
  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "lsp", summary: "have the Lightning peer fail the next payments",
      subcommands: [
        CommandLineDeclaration(
          name: "fail", summary: "the peer fails the next N payments with this code, and then none",
          options: [
            OptionDeclaration(
              "--times", value: .integer(0...1_000_000), default: "1",
              help: "how many payments fail; 0 cancels an earlier order")
          ],
          positionals: [
            PositionalDeclaration(
              "CODE", value: .choice(FailureCode.all.compactMap(\.name)), help: "a failure code of BOLT 4")
          ])
      ],
      examples: [
        ("baton lsp fail fee_insufficient --times 2", "two payments fail, the third is carried as ever")
      ])
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let name = invocation.word()
    let times = invocation.line.integer("--times") ?? 1
    let answer = try invocation.phone.ask(
      .lspd, ControlMessage("fail-next", ["code": name, "times": "\(times)"]))
    let code = answer["code"] ?? "?"
    invocation.output.say(
      sentence(name, code, times), json: Document(codeName: name, code: code, times: UInt64(clamping: times)))
    return .done
  }

  private static func sentence(_ name: String, _ code: String, _ times: Int64) -> String {
    switch times {
    case 0: "the peer fails no payment on order any more"
    case 1: "the peer fails the next payment with \(name) (\(code))"
    default: "the peer fails the next \(times) payments with \(name) (\(code))"
    }
  }

  struct Document: Report {
    /// BOLT 4's name of `code`.
    var codeName: String
    var code: String
    var times: UInt64
  }
}
