import Ground

/// Whether two options of a connection go together: both ends ping, and a ping and its answer count as messages that
/// need nothing.
public enum PingRule {
  /// One sentence for a user; nil when they do.
  public static func complaint(chatter: Int64, pingAfter: TimeSpan?) -> String? {
    guard let span = pingAfter, span > .zero else { return nil }
    let needed = 2 * window.nanoseconds / span.nanoseconds
    guard needed > chatter else { return nil }
    return
      "--ping-after \(SpanText.write(span)) makes up to \(needed) pings and answers in 10 s, and --chatter allows "
      + "\(chatter): give --chatter \(needed), or a longer --ping-after"
  }

  public static func complaint(_ parsed: ParsedCommandLine) -> String? {
    complaint(chatter: parsed.integer("--chatter") ?? standardChatter, pingAfter: parsed.span("--ping-after"))
  }

  public static let standardChatter: Int64 = 20
  private static let window = TimeSpan.seconds(10)
}
