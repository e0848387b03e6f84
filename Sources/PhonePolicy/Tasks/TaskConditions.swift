/// What of the device decides whether a task may run.
struct TaskConditions: Hashable, Sendable {
  /// Nobody uses the phone.
  var isIdle: Bool
  var isCharging: Bool
  var batteryPercent: Int
  var hasNetwork: Bool
  var isLowPower: Bool
  var isRefreshAllowed: Bool
}
