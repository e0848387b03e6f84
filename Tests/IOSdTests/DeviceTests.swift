@testable import IOSd

@Suite("The device's switches over iosd", .waits) struct DeviceTests {
  private func device(_ phone: PhoneProcess, _ fields: KeyValuePairs<String, String> = [:]) throws -> String {
    try phone.ask("device", fields).bodyText
  }

  private let whenNew =
    #"{"locked":false,"unlocked_before":true,"low_power":false,"background_refresh":true,"notifications":true,"#
    + #""lock_screen":true,"centre":true,"banners":true,"focus":false,"battery":100,"charger":false,"network":true,"storage_full":false,"audio":false}"#
  private let allOther =
    #"{"locked":true,"unlocked_before":true,"low_power":true,"background_refresh":false,"notifications":false,"#
    + #""lock_screen":false,"centre":true,"banners":false,"focus":true,"battery":7,"charger":true,"network":false,"storage_full":true,"audio":true}"#

  @Test
  func
    `The device's switches outlive a restart of iosd, and a locked phone then counts as not unlocked since boot`()
    throws
  {
    let phone = try PhoneProcess()
    expect(try device(phone), is: whenNew)
    let request: KeyValuePairs = [
      "locked": "yes", "low-power": "yes", "background-refresh": "no", "notifications": "no",
      "lock-screen": "no", "centre": "yes", "banners": "no", "focus": "yes", "battery": "7", "charger": "yes",
      "network": "no", "storage-full": "yes", "audio": "yes",
    ]
    expect(try device(phone, request), is: allOther)
    expect(access("\(phone.home)/os/full-disk", F_OK), is: 0)
    phone.process.kill()
    try phone.restart()
    let afterBoot = allOther.replacingOccurrences(
      of: #""unlocked_before":true"#, with: #""unlocked_before":false"#)
    expect(try device(phone), is: afterBoot)
    expect(access("\(phone.home)/os/full-disk", F_OK), is: 0)
    try phone.ask("device", ["storage-full": "no"])
    #expect(access("\(phone.home)/os/full-disk", F_OK) != 0)
    #expect(try device(phone, ["locked": "no"]).hasPrefix(#"{"locked":false,"unlocked_before":true"#))
  }

  @Test
  func
    `A device request with an invalid value is refused in one sentence, and none of its fields is applied`()
    throws
  {
    let phone = try PhoneProcess()
    let sentence = try phone.refusal("device", ["focus": "yes", "battery": "101"])
    expect(sentence, is: "the field `battery` must be a whole number from 0 to 100; correct it")
    expect(
      try phone.refusal("device", ["charger": "maybe"]),
      is: "the field `charger` must be yes or no; correct it"
    )
    expect(try device(phone), is: whenNew)
  }

  @Test(
    arguments: [
      "", "garbage", "[]", "{}", #"{"locked":1}"#, String(repeating: "{", count: 9000),
      #"{"locked":false,"unlocked_before":true,"low_power":true,"background_refresh":true,"notifications":true,"#
        + #""focus":false,"battery":101,"charger":false,"network":true,"storage_full":false,"audio":false}"#,
    ])
  func `With a damaged device file the phone starts with the default switches`(_ text: String) throws {
    let phone = try PhoneProcess()
    try phone.ask("device", ["focus": "yes"])
    phone.process.kill()
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(phone.home)/os/device.json"))
    try phone.restart()
    expect(try device(phone), is: whenNew)
  }
}
