import Foundation
import PairSupport
import Testing
import WaitingTests

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
