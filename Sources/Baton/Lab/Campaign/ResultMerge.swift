import DaemonRuntime

/// Merges the parts of a campaign, seed by seed. Repeated parts and their order change nothing; a lost part is missing
/// and can be run again.
struct ResultMerge {
  private struct Entry {
    var result: SeedResult
    var place: String
  }

  private var entries: [UInt64: Entry] = [:]
  private var options: (words: String, place: String)?
  /// Lines of seeds that were already merged.
  private(set) var repeated = 0
  /// Files whose last line is truncated, as the writing process ended.
  private(set) var torn: [String] = []

  init() {}

  /// Without files --missing prints the whole range: a campaign begins with it.
  init(files: [String], mayBeNone: Bool = false) throws(CommandFailure) {
    guard !files.isEmpty || mayBeNone else {
      throw CommandFailure(
        .wrongUsage,
        "FILE is missing: name files that `baton sim --results` wrote; a pattern may have matched none")
    }
    for path in files {
      guard let bytes = FilePath.contents(of: path) else {
        throw CommandFailure(.inputOutputError, "\(path.onOneLine) cannot be read; name files of results")
      }
      try add(bytes, named: path)
    }
  }

  var isEmpty: Bool { entries.isEmpty }

  /// Adds one file of results.
  mutating func add(_ bytes: [UInt8], named name: String) throws(CommandFailure) {
    let newline = UInt8(ascii: "\n")
    let lines = bytes.split(separator: newline, omittingEmptySubsequences: false)
    // After the last newline: nothing, or a truncated line.
    for (number, line) in lines.enumerated() {
      let isLast = number == lines.count - 1
      if isLast, line.isEmpty { break }
      let place = "\(name) line \(number + 1)"
      if let result = SeedResult(line: Array(line)) {
        try add(result, at: place)
      } else if isLast {
        torn.append(name)
      } else {
        throw CommandFailure(
          .inputOutputError,
          "\(place.onOneLine) is not a result of `baton sim --results`; omit that file, or run its seeds again"
        )
      }
    }
  }

  private mutating func add(_ result: SeedResult, at place: String) throws(CommandFailure) {
    if let known = options, known.words != result.options {
      throw CommandFailure(
        .wrongUsage,
        "\(known.place.onOneLine) was run with \(Self.words(known.words)), \(place.onOneLine) with \(Self.words(result.options)); merge each campaign separately"
      )
    }
    if options == nil { options = (result.options, place) }
    guard let known = entries[result.seed] else {
      entries[result.seed] = Entry(result: result, place: place)
      return
    }
    guard known.result == result else {
      throw CommandFailure(
        .bugOfOurs,
        "seed \(result.seed) has different results in \(known.place.onOneLine) and \(place.onOneLine): two versions of baton ran it, or a run is not deterministic"
      )
    }
    repeated += 1
  }

  private static func words(_ options: String) -> String {
    options.isEmpty ? "no options" : options.onOneLine
  }

  // MARK: Results

  /// In the order of seeds; only those of `range`, if it is given.
  func results(of range: SeedRange?) -> [SeedResult] {
    entries.values.map(\.result).filter { range?.contains($0.seed) ?? true }
      .sorted { $0.seed < $1.seed }
  }

  /// The missing seeds, in order, in ranges of at most `size`.
  func missing(of range: SeedRange, atMost size: UInt64 = .max) -> [SeedRange] {
    var gaps: [SeedRange] = []
    var next = range.first
    func add(upTo last: UInt64) {
      while next <= last {
        // Compare distances: `next + size` may overflow.
        let end = last - next < size ? last : next + size - 1
        gaps.append(SeedRange(next, end))
        next = end + 1
      }
    }
    for seed in entries.keys.filter(range.contains).sorted() {
      if seed > next { add(upTo: seed - 1) }
      next = seed + 1
    }
    add(upTo: range.last)
    return gaps
  }
}
