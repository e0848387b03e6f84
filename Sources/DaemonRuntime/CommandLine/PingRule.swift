import Ground

/// Whether `--ping-after` and `--chatter` are consistent: both ends ping, and pings and pongs count as ignorable
/// messages.
public enum PingRule {
  /// The error sentence; nil if the options are consistent.
  public static func problem(chatter: Int64, pingAfter: TimeSpan?) -> String? {
    guard let span = pingAfter, span > .zero else { return nil }
    let needed = 2 * window.nanoseconds / span.nanoseconds
    guard needed > chatter else { return nil }
    return
      "--ping-after \(SpanText.write(span)) causes up to \(needed) pings and pongs in 10 s, and --chatter allows "
      + "\(chatter): give --chatter \(needed), or a longer --ping-after"
  }

  public static func problem(_ parsed: ParsedCommandLine) -> String? {
    problem(chatter: parsed.integer("--chatter") ?? standardChatter, pingAfter: parsed.span("--ping-after"))
  }

  public static let standardChatter: Int64 = 20
  private static let window = TimeSpan.seconds(10)
}
