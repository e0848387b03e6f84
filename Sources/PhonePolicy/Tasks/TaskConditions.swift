/// What of the phone decides whether a task may run.
struct TaskConditions {
  var app: AppState
  /// Nobody uses the phone.
  var isIdle: Bool
  var isCharging: Bool
  var batteryPercent: Int
  var hasNetwork: Bool
  var isLowPower: Bool
  var isRefreshAllowed: Bool
  var rules: TaskConfiguration
  var enforcesLimits: Bool
}
