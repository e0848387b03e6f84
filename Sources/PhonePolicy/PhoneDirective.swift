import Ground

/// What is to be done for a phone, in the order of the list.
public enum PhoneDirective: Hashable, Codable, Sendable {
  case launch(Role, LaunchReason)
  case tell(Role, PhoneMessage)
  case kill(Role, KillReason)
  /// Stop it where it stands, and end its network connections.
  case suspend(Role)
  case resume(Role)
  case endConnections(Role)
  case show(PhoneNotification)
  /// The number on the wallet's icon, by a push without an alert.
  case setBadge(Int)
  /// Takes back what was shown under this key; nothing, if there is none.
  case withdraw(key: String)
  /// The user has done with it what there is to do: it is gone from the list.
  case closeNotification(id: UInt64, NotificationTouch)
  /// It is not shown as its process wants it; that of a push is shown as it was sent.
  case refuseNotification(push: UInt64?, NotificationRefusal)
  /// The process called its content handler again, or for a push it does not serve: nothing is shown.
  case refuseContent(push: UInt64)
  /// Nobody will ask for this push again.
  case drop(push: UInt64)
  case recordFate(push: UInt64, PushFate)
  /// The app completed a silent push again, or one that it does not have: nothing comes of it.
  case refuseCompletion(push: UInt64)
  /// So that it is the same after the next start.
  case saveDevice(DeviceState)
  case saveCategories([NotificationCategory])
  case recordEnd(Role, EndReason)
  /// Give the app's answer to whoever asked.
  case passOnAnswer(request: UInt64)
  case refuseAsk(request: UInt64, AskRefusal)
  /// What has become of a background task.
  case recordTask(TaskRecord)
  /// The app has completed a run that is over, or that never was.
  case refuseTaskCompletion(identifier: String, run: UInt64)
  /// Both processes are gone: another boot begins, with an id and a clock of its own.
  case boot(losingBeats: Bool)
  /// Both processes are gone: the phone can end.
  case powerOff
}

/// What a process is told.
public enum PhoneMessage: Hashable, Codable, Sendable {
  case network(isThere: Bool)
  case enterForeground
  case enterBackground
  case push(id: UInt64, deadlineMilliseconds: Int64)
  case timeWillExpire(push: UInt64)
  case terminate
  /// The time for this task of its own is over: it has to end it now.
  case taskExpiring(id: UInt64)
  case notificationResponse(id: UInt64, action: String)
  case memoryWarning(footprintBytes: UInt64)
  /// Somebody asks it for something, and waits for the answer.
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
  /// The app, in the background, for a task that it had scheduled.
  case scheduledTask(String)

  public var description: String {
    switch self {
    case .user: "opened by the user"
    case .push(let id): "launched for push \(id)"
    case .silentPush(let id): "launched in the background for silent push \(id)"
    case .notification(let id, nil): "opened by a tap on notification \(id)"
    case .notification(let id, let action?): "opened by \(action) of notification \(id)"
    case .scheduledTask(let identifier): "launched in the background for its task \(identifier)"
    }
  }
}
