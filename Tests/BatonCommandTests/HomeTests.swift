import DaemonRuntime
import Foundation
import Glibc
import PairSupport
import Testing
import WaitingTests

/// Places where a phone cannot live, and limits under which its programs cannot start.
@Suite("An unusable phone directory", .waits) struct HomeTests {
  private let scratch = Scratch()

  static let canMount: Bool = {
    let scratch = Scratch()
    guard mount("tmpfs", scratch.path, "tmpfs", 0, "size=1m") == 0 else { return false }
    umount2(scratch.path, Int32(MNT_DETACH))
    return true
  }()

  @Test(.enabled(if: canMount, "mounting a disk that is read-only needs root"))
  func
    `A phone's directory on a read-only disk is refused by baton, iosd, lspd and mainappd in one sentence`()
    throws
  {
    mkdir(scratch("disk"), 0o700)
    try #require(mount("tmpfs", scratch("disk"), "tmpfs", 0, "size=1m") == 0)
    defer { umount2(scratch("disk"), Int32(MNT_DETACH)) }
    mkdir(scratch("disk/phone"), 0o700)
    mkdir(scratch("disk/phone/AppGroup"), 0o700)
    try #require(
      mount(nil, scratch("disk"), nil, UInt(MS_REMOUNT | MS_RDONLY), nil) == 0)
    let home = ["--home", scratch("disk/phone")]
    for (program, arguments) in [
      ("baton", home + ["up"]), ("iosd", home), ("lspd", home),
      (
        "mainappd",
        [
          "--container", scratch("disk/phone/AppGroup"), "--keychain", scratch("disk/phone/Keychain"),
          "--journal",
          scratch("disk/phone/journal"),
        ]
      ),
    ] {
      #expect(scratch.end(try scratch.start(program, arguments)) == .exited(code: 73), "\(program)")
      let words = scratch.text("said")
      #expect(words.contains("read-only") && isOneSentence(words, of: program), "\(words)")
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a directory away"))
  func `baton up refuses another user's phone directory`() throws {
    chmod(scratch.path, 0o755)
    try FileManager.default.copyItem(atPath: "\(Scratch.programs)/baton", toPath: scratch("baton"))
    mkdir(scratch("phone"), 0o700)
    let child = try scratch.start(
      "/usr/bin/setpriv",
      [
        "--reuid=65534", "--regid=65534", "--clear-groups", scratch("baton"), "--home", scratch("phone"),
        "up",
      ])
    #expect(scratch.end(child) == .exited(code: 73))
    let words = scratch.text("said")
    #expect(words.contains("it belongs to the user 0, and this is the user 65534; "), "\(words)")
    #expect(isOneSentence(words, of: "baton"), "\(words)")
  }

  @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
  func `baton status refuses another user's phone directory and suggests a copy`() throws {
    chmod(scratch.path, 0o755)
    try FileManager.default.copyItem(atPath: "\(Scratch.programs)/baton", toPath: scratch("baton"))
    mkdir(scratch("phone"), 0o755)
    mkdir(scratch("phone/os"), 0o700)
    for mode in [0o755, 0o700] as [mode_t] {
      chmod(scratch("phone"), mode)
      let child = try scratch.start(
        "/usr/bin/setpriv",
        [
          "--reuid=65534", "--regid=65534", "--clear-groups", scratch("baton"), "--home", scratch("phone"),
          "status",
        ])
      #expect(scratch.end(child) == .exited(code: 73))
      #expect(
        scratch.text("said")
          == "baton: cannot use \(scratch("phone")): it belongs to the user 0, and this is the user 65534; use a path of your own, or run as its owner; to read it, make your own copy with `cp -r`\n"
      )
    }
  }

  @Test(arguments: 5...8)
  func `With too few file descriptors each daemon and wallet process ends with an error that names the limit`(
    limit: Int
  ) throws {
    let home = ["--home", scratch("phone")]
    let container = [
      "--container", scratch("AppGroup"), "--keychain", scratch("Keychain"), "--journal", scratch("journal"),
    ]
    for (program, arguments) in [
      ("iosd", home), ("lspd", home), ("mainappd", container), ("notifyextd", container),
    ] {
      let child = try scratch.start(
        "/bin/sh",
        ["-c", #"ulimit -n \#(limit) && exec "$0" "$@""#, "\(Scratch.programs)/\(program)"] + arguments)
      guard case .exited(let code)? = scratch.end(child) else {
        Issue.record("\(program) with \(limit) descriptors did not end by itself: \(scratch.text("said"))")
        continue
      }
      let words = scratch.text("said")
      #expect([73, 74].contains(code), "\(program): \(words)")
      #expect(words.contains("too many files are open") || words.contains("Too many open files"), "\(words)")
      #expect(words.contains("; raise the limit with `ulimit -n`"), "\(words)")
      #expect(isOneSentence(words, of: program), "\(words)")
    }
  }

  private func isOneSentence(_ words: String, of program: String) -> Bool {
    words.hasPrefix("\(program): ") && words.hasSuffix("\n") && words.filter { $0 == "\n" }.count == 1
  }
}

@Suite("The wallet of a home", .waits) struct HomeWalletTests {
  private let scratch = Scratch()

  private func run(_ verb: String...) throws -> Int32? { try runAll(verb) }

  private func runAll(_ verb: [String]) throws -> Int32? {
    let end = scratch.end(try scratch.start("baton", ["--home", scratch("phone")] + verb))
    guard case .exited(let code) = end else { return nil }
    return code
  }

  /// The `--wallet` and `--push-form` in the command lines of the daemons that were started since the last call.
  private func wallets(_ seen: inout Set<String>) throws -> [String] {
    let journals = try FileManager.default.contentsOfDirectory(atPath: scratch("phone/journal"))
    defer { seen.formUnion(journals) }
    return try ["iosd", "lspd"].map { program in
      let name = try #require(journals.first { $0.contains("-\(program)-") && !seen.contains($0) })
      let line = try #require(scratch.text("phone/journal/\(name)").split(separator: "\n").first)
      return line.contains("\"bitkit\"") ? "bitkit" : "phoenix"
    }
  }

  @Test func `Up without --wallet keeps the home's wallet, and only a named one replaces it`() throws {
    defer { _ = try? run("down") }
    var seen: Set<String> = []
    for (options, wallet) in [
      ([], "phoenix"), (["--wallet", "bitkit"], "bitkit"), ([], "bitkit"),
      (["--wallet", "phoenix"], "phoenix"),
      ([], "phoenix"),
    ] as [([String], String)] {
      #expect(try runAll(["up"] + options) == 0)
      #expect(try wallets(&seen) == [wallet, wallet], "\(options)")
      #expect(scratch.text("phone/os/wallet") == "\(wallet)\n")
      #expect(try run("up") == 0)
      #expect(scratch.text("said").hasPrefix("the phone \(scratch("phone")) (\(wallet)) is already up: "))
      for verb in ["status", "ps", "up"] {
        #expect(try run(verb, "--json") == 0)
        #expect(scratch.text("said").contains(#""wallet":"\#(wallet)""#), "\(verb)")
      }
      #expect(try run("status") == 0)
      #expect(scratch.text("said").contains(try Regex("\nwallet +\(wallet)\n")))
      #expect(try run("ps") == 0)
      #expect(scratch.text("said").contains("\nthe wallet is \(wallet)\n"))
      #expect(try run("watch", "--once") == 0)
      #expect(scratch.text("said").contains(try Regex("\nwallet +\(wallet), ")))
      #expect(try run("down") == 0)
    }
    scratch.write("phone/os/wallet", "another\n")
    #expect(try run("up") == 78)
    #expect(scratch.text("said").contains("--wallet"))
    #expect(try run("up", "--wallet", "bitkit") == 0)
    #expect(try wallets(&seen) == ["bitkit", "bitkit"])
  }
}
