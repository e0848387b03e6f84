import DaemonRuntime
import Foundation
import Glibc
import Testing
import WaitingTests

/// `scripts/install` of a release archive, as root and as a user.
@Suite("scripts/install", .waits) struct InstallScriptTests {
  private let scratch = Scratch()

  private static let script = URL(filePath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "scripts/install").path

  /// What another user has prepared in the prefix.
  enum Trap: String, CaseIterable {
    case linkedPrograms = "ln -s $victim bin"
    case linkedUnit = "mkdir lib; ln -s $victim lib/systemd"
    case linkedShare = "mkdir share; ln -s $victim share/baton"
    case linkedList = "mkdir -p share/baton; ln -s $victim/file share/baton/installed"
    case emptyLinkedList = "mkdir -p share/baton; ln -s $victim/empty share/baton/installed"
    case listThroughLink = "mkdir -p share/baton; ln -s $victim d; echo d/file >share/baton/installed"
    case openPrefix = "chmod 777 ."
    case openDirectory = "mkdir bin; chmod 772 bin"
    case openList =
      "mkdir -p share/baton; echo bin/baton >share/baton/installed; chmod 666 share/baton/installed"
    case foreignDirectory = "mkdir -p share/baton; chown 12345 share"
    case foreignGroup = "mkdir bin; chown 12345 . bin; chmod 775 bin"
  }

  private func run(_ script: String) throws -> ChildEnd.How? {
    let words = ["-c", "umask 022; place=\(scratch("prefix")); victim=\(scratch("victim")); \(script)"]
    return scratch.end(try scratch.start("/bin/bash", words))
  }

  private func prepare() throws {
    for file in ["bin/baton", "lib/systemd/user/baton.service", "share/baton/packages"] {
      scratch.write("tree/\(file)", "new\n")
    }
    scratch.write("victim/file", "old\n")
    scratch.write("victim/empty", "")
    mkdir(scratch("prefix"), 0o755)
    try #require(
      try run("cp \(Self.script) \(scratch("tree"))/install; chmod +x \(scratch("tree"))/bin/baton")
        == .exited(code: 0))
  }

  @Test(arguments: Trap.allCases)
  func `Nothing is written or removed through a link or in a directory that others may change`(_ trap: Trap)
    throws
  {
    try prepare()
    // Only root can give a file away.
    if trap.rawValue.contains("chown") && geteuid() != 0 { return }
    #expect(try run("cd $place && \(trap.rawValue)") == .exited(code: 0))
    let state = "cd \(scratch.path) && find prefix victim -printf '%p %m %U %l\\n' | sort; cat victim/*"
    _ = try run(state)
    let before = scratch.text("said")
    for option in ["", " --uninstall"] where option.isEmpty || trap.rawValue.contains("share/baton") {
      #expect(try run("\(scratch("tree"))/install --prefix $place\(option)") == .exited(code: 73))
      let said = scratch.text("said")
      #expect(said.hasPrefix("install: ") && said.split(separator: "\n").count == 1, "\(said)")
      _ = try run(state)
      #expect(scratch.text("said") == before)
    }
  }

  @Test func `A directory of root's that a group may write is a prefix`() throws {
    try prepare()
    guard geteuid() == 0 else { return }
    #expect(
      try run("mkdir $place/bin; chown 0:50 $place $place/bin; chmod 2775 $place $place/bin")
        == .exited(code: 0))
    for option in ["", "", "--uninstall"] {
      #expect(
        try run("\(scratch("tree"))/install --prefix $place \(option)") == .exited(code: 0),
        "\(scratch.text("said"))")
    }
    #expect(DirectoryListing.names(of: scratch("prefix")) == ["bin"])
  }
}
