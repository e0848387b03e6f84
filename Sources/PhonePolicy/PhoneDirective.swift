import Ground

/// An action for the shell; a list is carried out in its order.
public enum PhoneDirective: Hashable, Codable, Sendable {
  case launch(Role, LaunchReason)
  case tell(Role, PhoneMessage)
  case kill(Role, EndReason)
  /// Stop the process (SIGSTOP), and end its network connections.
  case suspend(Role)
  case resume(Role)
  case endConnections(Role)
  case show(PhoneNotification)
  /// Sets the icon's badge, for a push without an alert.
  case setBadge(Int)
  /// Removes the notification shown under this key, if there is one.
  case withdraw(key: String)
  /// The user has tapped or dismissed the notification: it leaves the list.
  case closeNotification(id: UInt64, NotificationTouch)
  /// The content is refused; for a push the original alert is shown.
  case refuseNotification(push: UInt64?, Refusal)
  /// The process called its content handler twice, or for a push that it does not serve: nothing is shown.
  case refuseContent(push: UInt64)
  case recordFate(push: UInt64, PushFate)
  /// The app completed a silent push twice, or one that it does not have: ignored.
  case refuseCompletion(push: UInt64)
  /// Store the device's switches for the next start.
  case saveDevice(DeviceState)
  case saveCategories([NotificationCategory])
  /// Store the text that the app has just copied.
  case setPasteboard
  case refusePasteboard(Role, Refusal)
  case recordEnd(Role, EndReason)
  /// Forward the app's answer to the caller.
  case passOnAnswer(request: UInt64)
  case refuseAsk(request: UInt64, Refusal)
  /// A background task's request has a new state.
  case recordTask(TaskRecord)
  /// The app has completed a run that is over or never existed.
  case refuseTaskCompletion(identifier: String, run: UInt64)
  /// Both processes are gone: a new boot begins, with its own id and clock.
  case boot(losingBeats: Bool)
  /// Both processes are gone: iosd can exit.
  case powerOff
}

/// A message from the phone to a process.
public enum PhoneMessage: Hashable, Codable, Sendable {
  case network(isThere: Bool)
  case enterForeground
  case enterBackground
  case push(id: UInt64, deadlineMilliseconds: Int64, isSilent: Bool = false, payload: String? = nil)
  case timeWillExpire(push: UInt64)
  case terminate
  /// The expiration handler of a `beginBackgroundTask` task: the app must end it now.
  case taskExpiring(id: UInt64)
  /// The activity's block is called again: the process is about to be suspended.
  case activityExpired(id: UInt64)
  case notificationResponse(id: UInt64, action: String, userInfo: String? = nil)
  /// The link that has opened the app.
  case link(String)
  case memoryWarning(footprintBytes: UInt64)
  /// A request whose answer a caller waits for.
  case ask(request: UInt64)
  case task(TaskMessage)
  case audio(AudioMessage)
}

/// Why a process was started.
public enum LaunchReason: Hashable, Codable, Sendable, CustomStringConvertible {
  case user
  case push(UInt64)
  /// The app, in the background.
  case silentPush(UInt64)
  /// The user touched a notification, or one of its actions.
  case notification(UInt64, action: String?)
  /// The user followed a link.
  case link(scheme: String)
  /// The app, in the background, for a task that it had scheduled.
  case scheduledTask(String)

  public var description: String {
    switch self {
    case .user: "opened by the user"
    case .push(let id): "launched for push \(id)"
    case .silentPush(let id): "launched in the background for silent push \(id)"
    case .notification(let id, nil): "opened by a tap on notification \(id)"
    case .notification(let id, let action?): "launched for \(action) of notification \(id)"
    case .link(let scheme): "opened by a link (\(scheme):)"
    case .scheduledTask(let identifier): "launched in the background for its task \(identifier)"
    }
  }
}
