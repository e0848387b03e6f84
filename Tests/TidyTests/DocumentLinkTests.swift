import Foundation
import TestKit

/// A document's link leads to an existing file and heading.
@Suite struct DocumentLinkTests {
  private struct Link {
    var from: String
    var path: String
    var heading: String?
  }

  private static let documents = Project.files.filter { $0.path.hasSuffix(".md") }

  private static let links: [Link] = documents.flatMap { document in
    withoutCode(document.text).matches(of: #/\]\((?<target>[^)\s]+)\)/#).compactMap { match -> Link? in
      let target = String(match.target)
      guard !target.contains("://"), !target.hasPrefix("mailto:") else { return nil }
      let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      let folder = document.path.split(separator: "/").dropLast().joined(separator: "/")
      let path = parts[0].isEmpty ? document.path : resolved(String(parts[0]), in: folder)
      return Link(from: document.path, path: path, heading: parts.count > 1 ? String(parts[1]) : nil)
    }
  }

  private static func resolved(_ path: String, in folder: String) -> String {
    var parts = folder.split(separator: "/")
    for part in path.split(separator: "/") {
      switch part {
      case ".": break
      case "..": if !parts.isEmpty { parts.removeLast() }
      default: parts.append(part)
      }
    }
    return parts.joined(separator: "/")
  }

  /// Code blocks and inline code may have brackets of their own.
  private static func withoutCode(_ text: String) -> String {
    var isCode = false
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
      let isFence = line.drop { $0 == " " }.hasPrefix("```")
      if isFence { isCode.toggle() }
      return !isCode && !isFence
    }
    return lines.joined(separator: "\n").replacing(#/`[^`]*`(?!\])/#, with: "")
  }

  /// The heading as a fragment: lower case letters, digits and hyphens.
  private static func anchor(_ heading: Substring) -> String {
    heading.lowercased().filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
      .replacing(" ", with: "-")
  }

  private static func headings(_ text: String) -> Set<String> {
    Set(
      text.split(separator: "\n").filter { $0.hasPrefix("#") }.map {
        anchor($0.drop { $0 == "#" }.dropFirst())
      })
  }

  @Test func `Each link leads to an existing file and heading`() {
    #expect(Self.links.count > 100)
    let headings = Dictionary(uniqueKeysWithValues: Self.documents.map { ($0.path, Self.headings($0.text)) })
    for link in Self.links {
      let place = Project.root.appending(path: link.path).path
      guard FileManager.default.fileExists(atPath: place) else {
        Issue.record("\(link.from) leads to \(link.path), which is not there")
        continue
      }
      guard let heading = link.heading, let known = headings[link.path] else { continue }
      #expect(
        known.contains(heading), "\(link.from) leads to \(link.path)#\(heading), and it has no such heading")
    }
  }
}
