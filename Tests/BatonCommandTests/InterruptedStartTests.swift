@testable import Baton

@Suite("A start of a phone that is interrupted", .waits) struct InterruptedStartTests {
  private let scratch = TemporaryDirectory()

  /// As by a manager that signals every process of its unit: lspd listens, and ends before it answers.
  @Test func `A daemon that the interruption has ended, too, is not what is told`() throws {
    let lspd = scratch.write("lspd", "#!/bin/sh\necho $$ >'\(scratch("pid"))'\nkill -STOP $$\n")
    chmod(lspd, 0o700)
    let phone = Phone(home: scratch("phone"))
    let starter = PhoneStarter(phone: phone, options: PhoneStarter.Options(lspd: lspd))
    let loop = try EventLoop()
    var listener: UnixListener?
    starter.isInterrupted = {
      guard listener != nil else {
        scratch.write("phone/lsp/address", "\(Self.node)@127.0.0.1:9735\n")
        // Who connects waits for ever: the loop does not run.
        listener = try? UnixListener(path: phone.lspdSocket, loop: loop) { _ in }
        return false
      }
      // The start asks for the status now.
      guard let pid = try? pid() else { return false }
      kill(pid, SIGKILL)
      var end = siginfo_t()
      return waitid(P_PID, UInt32(pid), &end, WEXITED | WNOWAIT) == 0
    }
    let failure = #expect(throws: CommandFailure.self) { try starter.start() }
    expect(failure?.code, is: .interrupted, "\(failure?.description ?? "")")
    expect(failure?.sentence, is: "interrupted before lspd answered")
  }

  private static let node = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"

  private func pid() throws -> Int32 {
    try Wait.until("lspd to be started") { scratch.text("pid").hasSuffix("\n") }
    return try #require(Int32(scratch.text("pid").dropLast()))
  }
}
