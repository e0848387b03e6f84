import Ground
import DaemonRuntime
import Lightning

extension ConnectionRules {
  /// Exits for options that would end each connection.
  public init(_ parsed: ParsedCommandLine) {
    self = .standard
    if let error = PingRule.problem(parsed) { exitWithSentence(.wrongUsage, error) }
    if let count = parsed.integer("--chatter") { chatter = Int(count) }
    if let span = parsed.span("--ping-after") { silence = span == .zero ? nil : span }
  }
}
