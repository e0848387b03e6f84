import Testing
import WaitingTests

@Suite("baton device reboot", .waits) struct RebootVerbTests {
  private let phone = CommandPhone()

  @Test(arguments: [[], ["--lose-beats"]])
  func `After a reboot of a connected wallet the next process claims in the new boot and is paid`(
    _ options: [String]
  ) throws {
    _ = try phone.run("up")
    try phone.openAndConnect()
    let invoice = try phone.invoice()
    #expect(
      try phone.run(["device", "reboot"] + options)
        == "the phone has rebooted; it is locked, not yet unlocked since boot\n")
    #expect(try phone.run("device").contains("locked, not yet unlocked since boot"))
    #expect(try phone.run("ps", "--all").contains("killed: reboot"))
    let atRest = try phone.run("inspect")
    let known =
      options.isEmpty
      ? "is gone without a release" : "no beat of it is left that shows whether it released the node"
    #expect(atRest.contains(known))
    #expect(atRest.contains("app        no beat") == !options.isEmpty)
    _ = try phone.run("device", "unlock")
    #expect(try phone.run("pay", invoice).contains("settled: 5,000 sat"))
    #expect(
      try phone.run("inspect").contains("claimed because  the phone was started again since the last claim"))
    _ = try phone.run("down")
    let judgement = try phone.run("judge")
    #expect(judgement.contains("1 push, 1 notification"))
    #expect(!judgement.contains("no wallet seed"))
    #expect(judgement.contains("Verdict: sound."))
  }
}
