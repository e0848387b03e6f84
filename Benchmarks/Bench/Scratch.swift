import Foundation

/// Directories that last as long as the bench.
enum Scratch {
  static func directory() throws -> String {
    let url = FileManager.default.temporaryDirectory.appending(
      path: "baton-bench-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url.path
  }

  static func remove(_ directory: String) { try? FileManager.default.removeItem(atPath: directory) }
}
