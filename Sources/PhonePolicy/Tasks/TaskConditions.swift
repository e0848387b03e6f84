/// The phone's state that decides whether a task may run.
struct TaskConditions {
  var app: AppState
  /// The phone is not in use.
  var isIdle: Bool
  var isCharging: Bool
  var batteryPercent: Int
  var hasNetwork: Bool
  var isLowPower: Bool
  var isRefreshAllowed: Bool
  var rules: TaskConfiguration
  var enforcesLimits: Bool
}
