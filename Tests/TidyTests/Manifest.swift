import Foundation

/// The targets of Package.swift.
enum Manifest {
  struct Target {
    var name: String
    var dependencies: [String]
    /// With a trailing slash.
    var folder: String
  }

  static let targets: [Target] = {
    guard let text = Project.file("Package.swift")?.text else { return [] }
    let starts = text.matches(
      of: /\.(?<kind>target|executableTarget|systemLibrary|testTarget)\(\s*name: "(?<name>\w+)"/)
    return starts.enumerated().map { index, start in
      let end = index + 1 < starts.count ? starts[index + 1].range.lowerBound : text.endIndex
      let body = text[start.range.upperBound..<end]
      let list = body.firstMatch(of: /dependencies: \[(?<names>[^\]]*)\]/)?.names ?? ""
      let names = list.matches(of: /"(?<name>\w+)"/).map { String($0.name) }
      let path =
        body.firstMatch(of: /path: "(?<path>[^"]*)"/).map { String($0.path) }
        ?? (start.kind == "testTarget" ? "Tests/" : "Sources/") + start.name
      return Target(name: String(start.name), dependencies: names, folder: path + "/")
    }
  }()

  /// All targets linked into a program, itself included.
  static func linked(into name: String) -> [String] {
    var found: [String] = []
    var open = [name]
    while let next = open.popLast() {
      if found.contains(next) { continue }
      found.append(next)
      open += targets.first { $0.name == next }?.dependencies ?? []
    }
    return found
  }
}
