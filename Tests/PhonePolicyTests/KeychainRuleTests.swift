@testable import PhonePolicy

@Suite struct KeychainRuleTests {
  private let group = Entitlements.accessGroup

  @Test(.shows("L-1.4b", "L-2.4", "L-I.1"))
  func `Only an entitled process gets a keychain item; a refusal names the access group`() {
    var configuration = PhoneConfiguration()
    configuration.extensionEntitlements = Entitlements(accessGroups: ["ZZZZZZZZZZ.other"])
    let phone = Phone(configuration: configuration)
    #expect(phone.refusal(to: .wallet(.app), group: group, protection: .whenUnlocked) == nil)
    let refusal = phone.refusal(to: .wallet(.extension), group: group, protection: .afterFirstUnlock)
    expect(refusal, is: .notEntitled(.extension, group: group))
    expect(refusal?.description.contains(group), is: true)
    let unknown = phone.refusal(to: .unknownProcess(pid: 7), group: group, protection: .afterFirstUnlock)
    expect(unknown, is: .unknownProcess(pid: 7, group: group))
    expect(unknown?.description.contains(group), is: true)
  }

  @Test(.shows("L-I.2", "L-1.4a"))
  func `The container of another app group is refused, and the refusal names the group's id`() {
    let phone = Phone(configuration: PhoneConfiguration())
    #expect(phone.refusal(to: .wallet(.extension), container: Entitlements.appGroup) == nil)
    let refusal = phone.refusal(to: .wallet(.app), container: "group.other")
    expect(refusal, is: .noContainer(.app, id: "group.other"))
    expect(refusal?.description.contains("group.other"), is: true)
    #expect(phone.refusal(to: .unknownProcess(pid: 7), container: Entitlements.appGroup) != nil)
  }

  @Test(.shows("K-42"))
  func
    `Before the first unlock no keychain item is readable, afterwards those that their protection class allows`()
  {
    var configuration = PhoneConfiguration()
    configuration.device.isLocked = true
    configuration.device.hasBeenUnlocked = false
    var phone = TestPhone(configuration)
    let refusals = { (phone: TestPhone) in
      KeychainProtection.allCases.map {
        phone.phone.refusal(to: .wallet(.extension), group: Entitlements.accessGroup, protection: $0)
      }
    }
    expect(refusals(phone), is: [.notUnlockedSinceBoot, .notUnlockedSinceBoot])
    _ = phone.set(.unlocked)
    expect(refusals(phone), is: [nil, nil])
    _ = phone.set(.locked)
    expect(refusals(phone), is: [.locked, nil])
  }

  @Test(.shows("L-2.1b"))
  func `A keychain group without a team id, or an invalid app group, is a configuration error`() {
    #expect(Entitlements().problem == nil)
    for group in ["", "com.example.lightning", "A1B2C3D4E.x", "a1b2c3d4e5.x", "A1B2C3D4E5", "A1B2C3D4E5."] {
      expect(Entitlements(accessGroups: [group]).problem, is: .noTeam(group))
    }
    for group in ["", "com.example", "group.", "groupx.y"] {
      expect(Entitlements(appGroups: [group]).problem, is: .noAppGroup(group))
    }
  }
}
