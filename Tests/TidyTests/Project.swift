import Foundation

/// The project's files, read from where this test was compiled.
enum Project {
  struct File {
    let path: String
    let text: String
    /// The lines of code, without comments and strings.
    let code: [String]

    init(path: String, text: String) {
      self.path = path
      self.text = text
      code = path.hasSuffix(".swift") ? Project.code(of: text) : []
    }

    /// The target of the file's folder, or the path if no target has it.
    var module: String { Manifest.targets.first { path.hasPrefix($0.folder) }?.name ?? path }
  }

  static let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Every file that git tracks or would add.
  static let paths: [String] = {
    let git = Process()
    let output = Pipe()
    git.executableURL = URL(filePath: "/usr/bin/env")
    git.arguments = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    git.currentDirectoryURL = root
    git.standardOutput = output
    git.standardError = FileHandle.nullDevice
    guard (try? git.run()) != nil else { return walked }
    let names = output.fileHandleForReading.readDataToEndOfFile()
    git.waitUntilExit()
    guard git.terminationStatus == 0 else { return walked }
    let listed = names.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    return listed.filter { FileManager.default.fileExists(atPath: root.appending(path: $0).path) }
  }()

  /// The files of an unpacked archive without git.
  private static var walked: [String] {
    let all = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
    return all.filter { path in
      var isFolder: ObjCBool = false
      let full = root.appending(path: path).path
      guard ![".git", ".build", ".baton"].contains(path.split(separator: "/").first) else { return false }
      return FileManager.default.fileExists(atPath: full, isDirectory: &isFolder) && !isFolder.boolValue
    }
  }

  static func file(_ path: String) -> File? {
    guard let data = FileManager.default.contents(atPath: root.appending(path: path).path) else { return nil }
    return String(data: data, encoding: .utf8).map { File(path: path, text: $0) }
  }

  /// Read once for all tests.
  static let files = paths.compactMap(file)

  private static func files(under folder: String) -> [File] {
    files.filter { $0.path.hasPrefix(folder) && $0.path.hasSuffix(".swift") }
  }

  private static func code(of text: String) -> [String] {
    text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
      var kept: [UInt8] = []
      var isQuoted = false
      var isEscaped = false
      for byte in line {
        if isQuoted {
          isQuoted = isEscaped || byte != UInt8(ascii: "\"")
          isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
          if !isQuoted { kept.append(byte) }
          continue
        }
        isQuoted = byte == UInt8(ascii: "\"")
        if byte == UInt8(ascii: "/"), kept.last == byte {
          kept.removeLast()
          break
        }
        kept.append(byte)
      }
      return String(decoding: kept, as: UTF8.self)
    }
  }

  static let sources = files(under: "Sources/")
  static let tests = files(under: "Tests/")
  static let fuzzers = files(under: "Fuzz/")
  static let benchmarks = files(under: "Benchmarks/")
}

extension Project.File {
  var imports: [String] {
    code.filter { $0.contains("import ") }.compactMap { line in
      let declaration = #/^\s*(@\w+(\(\w+\))?\s+)*(public |internal |private |package )?import\s+(?<rest>.+)/#
      guard let match = line.firstMatch(of: declaration) else { return nil }
      let kinds = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
      let words = match.rest.split(separator: " ").filter { !kinds.contains(String($0)) }
      return words.first?.split(separator: ".").first.map(String.init)
    }
  }

  /// The matching lines of code, each with its place.
  func places(matching pattern: String) -> [String] {
    code.enumerated().compactMap { index, line in
      line.range(of: pattern, options: .regularExpression) == nil ? nil : "\(path):\(index + 1): \(line)"
    }
  }
}
