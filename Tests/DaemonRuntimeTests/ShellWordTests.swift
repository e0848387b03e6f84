import TestKit

@testable import DaemonRuntime

@Suite("Quoting for a shell") struct ShellWordTests {
  @Test(
    arguments: [
      "/srv/my phone/AppGroup", "it's", "$(id)", "`id`", "a;b", "", "ä b", "*", "~/x", "\"", "a\\b", "#a",
      "'", "@/a'",
    ])
  func `A quoted word is one word to the shell`(_ word: String) throws {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "printf '%s|' \(ShellWord.quoted(word))"]
    process.standardOutput = pipe
    try process.start()
    let said = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    expect(String(decoding: said, as: UTF8.self), is: "\(word)|")
  }

  @Test func `A word without special characters is not quoted`() {
    for word in ["/tmp/phone/AppGroup", "a-b_c.d", "x=1,y:2@3%4+5"] {
      expect(ShellWord.quoted(word), is: word)
    }
  }
}
