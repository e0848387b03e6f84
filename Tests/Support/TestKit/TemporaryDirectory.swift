import Foundation

/// A test's own directory, removed with it.
public final class TemporaryDirectory: Sendable {
  public let path: String

  public init() {
    var template = Array("/tmp/baton-test-XXXXXX".utf8CString)
    path = String(cString: mkdtemp(&template)!)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  public func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

  public var entries: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path))?.sorted() ?? []
  }
}
