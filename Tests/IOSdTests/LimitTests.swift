import Foundation
import Testing

@testable import IOSd

/// The real extension, told to misbehave, on a real phone.
@Suite(.disabled(if: PhoneProcess.isSanitized, "its memory is the sanitizer's")) struct LimitTests {
  private static let notifyextd = "\(PhoneProcess.products)/notifyextd"
  /// With what the program itself has, on either side of 24 MB.
  private static let justBelow = "\(20 << 20)"
  private static let above = "\(30 << 20)"

  private func phone(_ mechanism: String, _ options: String...) throws -> PhoneProcess {
    try PhoneProcess(ext: Self.notifyextd, ["--memory-mechanism", mechanism] + options)
  }

  private func limits(_ phone: PhoneProcess) throws -> [String: Any] {
    try #require(try phone.status()["limits"] as? [String: Any])
  }

  private func expectKilledForMemory(_ phone: PhoneProcess) throws {
    try phone.push("the original")
    #expect(try phone.notifications(1) == ["the original"])
    let row = try phone.ended("extension")
    let reason = try #require(row["reason"] as? String)
    #expect(reason.hasPrefix("killed: exceeded mem limit: ActiveHard 24 MB (fatal), with 2"), "\(reason)")
    #expect(row["crashed"] as? Bool == false)
    // The phone goes on: the next push starts the next one, which gets its text out or dies as this one did.
    try phone.push("once more")
    #expect(try phone.notifications(2) == ["the original", "once more"])
  }

  private func expectAlive(_ phone: PhoneProcess) throws {
    try phone.push("the original")
    #expect(try phone.notifications(1) != ["the original"])
    try phone.wait("the extension is idle") { try phone.state("extension") == "idle" }
    let row = try #require(try phone.rows("ps").last)
    #expect(row["reason"] == nil)
  }

  @Test func underPolling30MegabytesOfBallastAreKilledForMemory() throws {
    let phone = try phone("polling", "--fault-ballast", Self.above)
    #expect(try limits(phone)["memory_mechanism"] as? String == "polling")
    try expectKilledForMemory(phone)
  }

  @Test func underPollingBallastBelowTheLimitLivesAndDelivers() throws {
    try expectAlive(try phone("polling", "--fault-ballast", Self.justBelow))
  }

  @Test(.enabled(if: MemoryGroupTests.canBeMade, "a memory cgroup (v1) that this user can write"))
  func underACgroup30MegabytesOfBallastAreKilledForMemory() throws {
    let phone = try phone("cgroup", "--fault-ballast", Self.above)
    #expect(try limits(phone)["memory_mechanism"] as? String == "memory cgroup")
    try expectKilledForMemory(phone)
    // Exact: it never had a byte more.
    let row = try phone.ended("extension")
    #expect(try #require(row["peak_footprint_bytes"] as? Int) <= 25_165_824)
    let group = try #require(try limits(phone)["memory_group"] as? String)
    #expect(access(group, F_OK) == 0)
    try phone.ask("down")
    phone.process.waitUntilExit()
    #expect(access(group, F_OK) != 0)
  }

  @Test(.enabled(if: MemoryGroupTests.canBeMade, "a memory cgroup (v1) that this user can write"))
  func underACgroupBallastBelowTheLimitLivesAndDelivers() throws {
    try expectAlive(try phone("cgroup", "--fault-ballast", Self.justBelow))
  }

  @Test func aRealExtensionThatHangsIsKilledForTime() throws {
    let phone = try phone("auto", "--fault-hang", "--extension-time", "400ms", "--expiry-notice", "50ms")
    #expect(try limits(phone)["time_ms"] as? Int == 400)
    try phone.push("the original")
    #expect(try phone.notifications(1) == ["the original"])
    #expect(try phone.ended("extension")["reason"] as? String == "killed: used up its 0.400 s for one push")
  }

  @Test func aDebugBuildSaysThatItHasNoLimits() throws {
    let phone = try PhoneProcess(["--build", "debug"])
    #expect(try limits(phone)["memory_mechanism"] as? String == "none")
    #expect(try limits(phone)["memory_group"] == nil)
  }

  @Test func evenAShortLifeHasItsFigures() throws {
    let phone = try PhoneProcess(ext: "ext-words-then-exit")
    try phone.push()
    let row = try phone.ended("extension")
    #expect(try #require(row["peak_footprint_bytes"] as? Int) > 0)
    #expect(try #require(row["peak_resident_bytes"] as? Int) > 0)
  }
}
