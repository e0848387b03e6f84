/// A change of the device's state.
public enum DeviceChange: Hashable, Codable, Sendable {
  case locked
  case unlocked
  case lowPowerMode(Bool)
  case backgroundRefresh(Bool)
  case notifications(Bool)
  case lockScreen(Bool)
  case centre(Bool)
  case banners(Bool)
  case focus(Bool)
  case battery(percent: Int)
  case charger(Bool)
  case network(Bool)
  case storage(isFull: Bool)
  case otherAudio(Bool)
}
