@testable import PhonePolicy

@Suite("The device's state") struct DeviceTests {
  private static func changed(_ change: (inout DeviceState) -> Void) -> DeviceState {
    var state = DeviceState()
    change(&state)
    return state
  }

  static let rows: [(change: DeviceChange, then: DeviceState)] = [
    (.locked, changed { $0.isLocked = true }),
    (.lowPowerMode(true), changed { $0.isInLowPowerMode = true }),
    (.backgroundRefresh(false), changed { $0.allowsBackgroundRefresh = false }),
    (.notifications(false), changed { $0.allowsNotifications = false }),
    (.lockScreen(false), changed { $0.showsOnLockScreen = false }),
    (.centre(false), changed { $0.showsInCentre = false }),
    (.banners(false), changed { $0.showsBanners = false }),
    (.focus(true), changed { $0.hasFocus = true }),
    (.battery(percent: 20), changed { $0.batteryPercent = 20 }),
    (.charger(true), changed { $0.isCharging = true }),
    (.network(false), changed { $0.hasNetwork = false }),
    (.storage(isFull: true), changed { $0.isStorageFull = true }),
    (.otherAudio(true), changed { $0.playsOtherAudio = true }),
  ]

  @Test(arguments: rows)
  func `Each change of a device switch sets only that switch, is saved, and does nothing the second time`(
    _ row: (change: DeviceChange, then: DeviceState)
  ) {
    var phone = TestPhone()
    expect(phone(.deviceChanged(row.change)), is: [.saveDevice(row.then)])
    expect(phone.phone.device, is: row.then)
    expect(phone(.deviceChanged(row.change)), is: [])
  }

  @Test
  func `A running extension gets the network's loss and return as messages; the loss ends its connections`() {
    var phone = TestPhone()
    phone.serve(1)
    let gone = phone(.deviceChanged(.network(false)))
    expect(
      gone.dropFirst(), is: [.endConnections(.extension), .tell(.extension, .network(isThere: false))])
    let back = phone(.deviceChanged(.network(true)))
    expect(back.dropFirst(), is: [.tell(.extension, .network(isThere: true))])
  }

  @Test
  func `Unlocking brings the app back if it was in front at the last lock, not if only at an earlier lock`() {
    var phone = TestPhone()
    phone.openApp()
    _ = phone(.deviceChanged(.locked))
    #expect(phone(.deviceChanged(.unlocked)).contains(.tell(.app, .enterForeground)))
    _ = phone(.userWentHome)
    _ = phone(.deviceChanged(.locked))
    #expect(!phone(.deviceChanged(.unlocked)).contains(.tell(.app, .enterForeground)))
    #expect(phone.phone.app != .foreground)
  }

  @Test
  func
    `After a boot the device's switches are kept, and a locked phone counts as never unlocked until its first unlock`()
  {
    var state = DeviceState()
    state.isLocked = true
    state.hasFocus = true
    var configuration = PhoneConfiguration()
    configuration.device = state.afterBoot
    var phone = TestPhone(configuration)
    #expect(!phone.phone.device.hasBeenUnlocked)
    #expect(phone.phone.device.hasFocus)
    state.isLocked = false
    expect(phone(.deviceChanged(.unlocked)), is: [.saveDevice(state)])
    #expect(phone.phone.device.hasBeenUnlocked)
    expect(state.afterBoot, is: state)
  }

  @Test
  func
    `Unlocking does not bring back an app that ended behind the lock screen and was launched for a silent push`()
  {
    var phone = TestPhone()
    phone.openApp()
    _ = phone(.deviceChanged(.locked))
    _ = phone(.processEnded(.app, .signalled(11)))
    _ = phone(.pushArrived(TestPhone.silent(1)))
    _ = phone(.processStarted(.app, pid: 9))
    #expect(!phone(.deviceChanged(.unlocked)).contains(.tell(.app, .enterForeground)))
  }

  @Test func `Locking sends the app in front to the background, unlocking brings it back`() {
    var phone = TestPhone()
    phone.openApp()
    expect(phone(.deviceChanged(.locked)).last, is: .tell(.app, .enterBackground))
    expect(phone.phone.app, is: .background(BackgroundStay(since: phone.now)))
    expect(phone(.deviceChanged(.unlocked)).last, is: .tell(.app, .enterForeground))
    expect(phone.phone.app, is: .foreground)
  }

  @Test func `Unlocking does not bring back an app that was in the background or has ended`() {
    var phone = TestPhone()
    phone.openApp()
    _ = phone(.userWentHome)
    _ = phone(.deviceChanged(.locked))
    expect(phone(.deviceChanged(.unlocked)), is: [.saveDevice(DeviceState())])
    _ = phone(.userOpened)
    _ = phone(.deviceChanged(.locked))
    _ = phone(.processEnded(.app, .signalled(11)))
    expect(phone(.deviceChanged(.unlocked)), is: [.saveDevice(DeviceState())])
    expect(phone.phone.app, is: .notRunning)
  }

  @Test func `Unlocking does not bring back an app that the user quits behind the lock screen`() {
    var phone = TestPhone()
    phone.openApp()
    _ = phone(.deviceChanged(.locked))
    _ = phone(.userQuit)
    expect(phone(.deviceChanged(.unlocked)), is: [.saveDevice(DeviceState())])
    #expect(!phone(.processEnded(.app, .signalled(9))).contains(.launch(.app, .user)))
  }

  @Test func `Opening the app unlocks the phone`() {
    var phone = TestPhone()
    _ = phone(.deviceChanged(.locked))
    expect(phone(.userOpened), is: [.saveDevice(DeviceState()), .launch(.app, .user)])
  }
}
