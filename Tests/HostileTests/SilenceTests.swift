import Crypto
import Platform

@Suite("Hostile input: silent connections, on real processes", .serialized, .waits)
struct SilenceTests {
  @Test
  func `With --ping-after of baton up an idle connection carries pings, which the judge accepts`() throws {
    let real = try RealPhone(["--ping-after", "200ms", "--chatter", "100"])
    expect(try real.baton(["app", "open"]).code, is: 0)
    let ledger = try Connection(
      path: "\(real.home)/lsp/ledger.sqlite", access: .readOnly, busyTimeoutMs: 2000)
    func pings(_ direction: String) throws -> Int64 {
      try ledger.firstRow(
        "SELECT count(*) FROM frames WHERE direction = ? AND hex(substr(bytes, 1, 2)) = '0012'",
        [.text(direction)])?.integer(0) ?? 0
    }
    let loop = try EventLoop()
    func lookAgain() { loop.after(.milliseconds(50)) { lookAgain() } }
    lookAgain()
    var counted: (fromPeer: Int64, fromWallet: Int64) = (0, 0)
    #expect(
      try loop.run(for: .seconds(60)) {
        counted = ((try? pings("out")) ?? 0, (try? pings("in")) ?? 0)
        return counted.fromPeer + counted.fromWallet >= 5
      })
    expect(try ledger.firstRow("SELECT count(*) FROM connections")?.integer(0), is: 1)
    expect(try real.baton(["down"]).code, is: 0)
    let verdict = try real.baton(["judge"])
    expect(verdict.code, is: 0, "\(verdict.output)")
  }
}
