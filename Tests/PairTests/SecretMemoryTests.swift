import DaemonRuntime
import Foundation
import Glibc
import PairSupport
import Testing
import WaitingTests

/// Where some bytes are in the memory of a running process, with the kernel's flags of those pages.
private struct MemoryImage {
  struct Place: CustomStringConvertible {
    let mapping: String
    let flags: [Substring]
    /// Neither swapped nor in a core dump.
    var isLocked: Bool { flags.contains("lo") && flags.contains("dd") }
    var description: String { "\(mapping) \(flags.joined(separator: " "))" }
  }

  private struct Mapping {
    let line: String
    let range: Range<UInt64>
    var residentKiB = 0
    var flags: [Substring] = []
  }

  /// Larger mappings are a sanitizer's shadow memory.
  private static let largest: UInt64 = 1 << 28

  static func places(of needle: [UInt8], in pid: Int32) throws -> [Place] {
    let memory = open("/proc/\(pid)/mem", O_RDONLY | O_CLOEXEC)
    guard memory >= 0 else { throw SystemError("read the memory of \(pid)") }
    defer { close(memory) }
    return try mappings(of: pid).filter { $0.residentKiB > 0 && UInt64($0.range.count) <= largest }.flatMap {
      mapping in
      var bytes = [UInt8](repeating: 0, count: mapping.range.count)
      let count = pread(memory, &bytes, bytes.count, off_t(bitPattern: UInt(mapping.range.lowerBound)))
      // The kernel's own pages cannot be read.
      guard count > 0 else { return [Place]() }
      return bytes[..<count].ranges(of: needle).map { _ in Place(mapping: mapping.line, flags: mapping.flags)
      }
    }
  }

  private static func mappings(of pid: Int32) throws -> [Mapping] {
    var all: [Mapping] = []
    // Foundation reads only the first chunk of such a file.
    let list = try #require(SmallFile.read("/proc/\(pid)/smaps", limit: 1 << 24))
    for line in String(decoding: list, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      if words[0] == "VmFlags:" {
        all[all.count - 1].flags = Array(words.dropFirst())
      } else if words[0] == "Rss:" {
        all[all.count - 1].residentKiB = Int(words[1]) ?? 0
      } else if !words[0].hasSuffix(":") {
        let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
        all.append(Mapping(line: String(line), range: ends[0]..<ends[1]))
      }
    }
    return all
  }
}

@Suite("Secrets in memory", .serialized, .waits) struct SecretMemoryTests {
  private func secret(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  @Test(.disabled(if: getenv("BATON_SANITIZED") != nil, "a sanitizer lets no program lock memory"))
  func `The wallet's seed and the LSP's key are only in pages that are neither swapped nor dumped`() throws {
    let phone = try TestPhone()
    defer { phone.end() }
    let app = try phone.launchApp()
    let invoice = try phone.invoices(1, app)[0]
    let notifier = try phone.launchExtension()
    _ = phone.push(notifier)
    try phone.pay(invoice)
    try phone.waitUntilSettled(invoice)
    let provider = try #require(phone.peer)
    let (seed, key) = ("Keychain/wallet-seed", "lsp/node-key")
    for (process, file) in [(app, seed), (notifier, seed), (provider, key)] {
      let places = try MemoryImage.places(of: secret("\(phone.home)/\(file)"), in: process.pid)
      #expect(places.count == 1, "\(file) in \(process.child.identity): \(places)")
      #expect(!places.contains { !$0.isLocked }, "\(file) in \(process.child.identity): \(places)")
    }
  }

  @Test
  func `The app starts and connects although its user may not lock memory`() throws {
    var before = rlimit()
    getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &before)
    var none = rlimit(rlim_cur: 0, rlim_max: before.rlim_max)
    setrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &none)
    defer { setrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &before) }
    let phone = try TestPhone()
    defer { phone.end() }
    let app = try phone.launchApp()
    phone.open(app)
    try phone.wait("the app to be connected") { app.status.hasPrefix("connected") }
  }
}
