import Ground
import DaemonRuntime
import Lightning

/// Options of both ends for their limits on a connection.
public enum ConnectionOptions {
  public static let declarations: [OptionDeclaration] = [
    OptionDeclaration(
      "--chatter", value: .integer(1...1_000_000),
      help:
        "at most this many ignorable messages (ping, pong, warning, tx_abort, surplus backups, unknown odd types) of the other end in 10 s, then disconnect (default \(ConnectionRules.standard.chatter))"
    ),
    OptionDeclaration(
      "--ping-after", value: .span,
      help:
        "ping the other end after this long without a message, and disconnect after as long again (default 30s; 0: never)"
    ),
  ]

  /// The given options, for a program that passes them on.
  public static func arguments(_ parsed: ParsedCommandLine) -> [String] {
    declarations.flatMap { option in parsed.text(option.names[0]).map { [option.names[0], $0] } ?? [] }
  }
}

extension ConnectionRules {
  /// Exits for options that would end each connection.
  public init(_ parsed: ParsedCommandLine) {
    self = .standard
    if let error = PingRule.problem(parsed) { exitWithSentence(.wrongUsage, error) }
    if let count = parsed.integer("--chatter") { chatter = Int(count) }
    if let span = parsed.span("--ping-after") { silence = span == .zero ? nil : span }
  }
}
