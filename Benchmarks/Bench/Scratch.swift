import Foundation

/// Directories that last as long as the bench, the user's alone: the daemons refuse others.
enum Scratch {
  static func directory() throws -> String {
    let url = FileManager.default.temporaryDirectory.appending(
      path: "baton-bench-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return url.path
  }

  static func remove(_ directory: String) { try? FileManager.default.removeItem(atPath: directory) }
}
