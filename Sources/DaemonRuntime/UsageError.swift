/// A command line that cannot be followed, in one sentence.
public struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String
}
