import Foundation

extension Process {
  private static let starts = NSLock()

  /// `run` closes in the child the descriptors that it has counted before. One that another thread opens in between, such
  /// as the socket by which its own `run` notices the end of a child, would be inherited; and if the child lives on, as a
  /// daemon does, that thread would wait for ever.
  public func start() throws { try Self.starts.withLock { try run() } }
}
