/// Places where a phone cannot live, and limits under which its programs cannot start.
@Suite("An unusable phone directory", .waits) struct HomeTests {
  private let scratch = TemporaryDirectory()

  static let canMount: Bool = {
    let scratch = TemporaryDirectory()
    guard mount("tmpfs", scratch.path, "tmpfs", 0, "size=1m") == 0 else { return false }
    umount2(scratch.path, Int32(MNT_DETACH))
    return true
  }()

  @Test(arguments: 5...8)
  func `With too few file descriptors each daemon and wallet process ends with an error that names the limit`(
    limit: Int
  ) throws {
    let home = ["--home", scratch("phone")]
    let container = [
      "--container", scratch("AppGroup"), "--keychain", scratch("Keychain"), "--journal", scratch("journal"),
    ]
    for (program, arguments) in [
      ("iosd", home), ("lspd", home), ("mainappd", container),
      ("notifyextd", container + ["--push", scratch.write("push", "{}")]),
    ] {
      let child = try scratch.start(
        "/bin/sh",
        ["-c", #"ulimit -n \#(limit) && exec "$0" "$@""#, "\(Started.directory)/\(program)"]
          + arguments)
      guard case .exited(let code)? = child.end() else {
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
