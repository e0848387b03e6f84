import Foundation
import TestKit

/// A file that a test makes from the programs: the test compares it, or writes it with BATON_WRITE_PAGES=1.
public struct GeneratedPage: Sendable {
  private let path: String
  private let file: URL

  /// `path` begins at the project's root.
  public init(_ path: String) {
    self.path = path
    // Tests/Support/GeneratedPages/GeneratedPage.swift
    let root = (1...4).reduce(URL(filePath: #filePath).resolvingSymlinksInPath()) { file, _ in
      file.deletingLastPathComponent()
    }
    file = root.appending(path: path)
  }

  public func read() throws -> String { try String(contentsOf: file, encoding: .utf8) }

  public func expect(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    if ProcessInfo.processInfo.environment["BATON_WRITE_PAGES"] != nil {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      return try text.write(to: file, atomically: true, encoding: .utf8)
    }
    let old = (try? read()) ?? ""
    guard old != text else { return }
    let missing = Set(text.split(separator: "\n")).subtracting(old.split(separator: "\n")).sorted()
    Issue.record(
      "\(path) is outdated; run its test with BATON_WRITE_PAGES=1. It lacks \(missing.prefix(20))",
      sourceLocation: sourceLocation)
  }
}
