import Ground
import DaemonRuntime
import LightningWire

/// What both ends can be told about how much they bear of each other.
public enum ConnectionOptions {
  public static let declarations: [OptionDeclaration] = [
    OptionDeclaration(
      "--chatter", value: .integer(1...1_000_000),
      help:
        "how many pings, pongs, warnings and unknown messages the other end may send in 10 s before it is hung up on (default \(ConnectionRules.standard.chatter))"
    ),
    OptionDeclaration(
      "--ping-after", value: .span,
      help:
        "ping the other end after so much silence, and hang up after as much again (default 30s; 0: never)"
    ),
  ]

  /// As they were given, for a program that passes them on.
  public static func arguments(_ parsed: ParsedCommandLine) -> [String] {
    declarations.flatMap { option in parsed.text(option.names[0]).map { [option.names[0], $0] } ?? [] }
  }
}

extension ConnectionRules {
  /// Does not come back from a pair of options that would end each connection.
  public init(_ parsed: ParsedCommandLine) {
    self = .standard
    if let complaint = PingRule.problem(parsed) { exitWithSentence(.wrongUsage, complaint) }
    if let count = parsed.integer("--chatter") { chatter = Int(count) }
    if let span = parsed.span("--ping-after") { silence = span == .zero ? nil : span }
  }
}
