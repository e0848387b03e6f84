import PhonePolicy

/// Sentences for changes of the device's state.
enum DeviceSentences {
  static func of(_ change: DeviceChange) -> String {
    switch change {
    case .locked: "the user locks the phone"
    case .unlocked: "the user unlocks the phone"
    case .lowPowerMode(let isOn): "Low Power Mode is switched \(word(isOn))"
    case .backgroundRefresh(let isOn): "Background App Refresh is switched \(word(isOn))"
    case .notifications(let areAllowed): "the wallet may show \(areAllowed ? "" : "no ")notifications"
    case .lockScreen(let isOn): "alerts of the wallet on the lock screen are switched \(word(isOn))"
    case .centre(let isOn): "alerts of the wallet in the Notification Centre are switched \(word(isOn))"
    case .banners(let isOn): "banners of the wallet are switched \(word(isOn))"
    case .focus(let isOn): "a Focus is switched \(word(isOn))"
    case .battery(let percent): "the battery is at \(percent) %"
    case .charger(let isPlugged): "the charger is \(isPlugged ? "plugged in" : "unplugged")"
    case .network(let isThere): "the phone \(isThere ? "has a network" : "loses its network")"
    case .storage(let isFull): isFull ? "the storage is full" : "the storage has free space"
    case .otherAudio(let plays): "\(plays ? "another" : "no other") app plays audio"
    }
  }

  private static func word(_ isOn: Bool) -> String { isOn ? "on" : "off" }
}
