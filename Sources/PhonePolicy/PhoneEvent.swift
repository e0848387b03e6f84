import Ground

/// What can happen to a phone. An irrelevant event is a no-op.
public enum PhoneEvent: Hashable, Codable, Sendable {
  case deadlineReached

  // User input.
  case userOpened
  case userWentHome
  /// Swiped away.
  case userQuit

  /// Also reported when the value stays the same.
  case deviceChanged(DeviceChange)
  /// The user taps, acts on or dismisses a notification in the list.
  case notificationTouched(id: UInt64, category: String?, NotificationTouch, userInfo: String? = nil)

  /// The user follows a link, whose text the phone does not read.
  case linkOpened(String, scheme: String)

  case pushArrived(PhonePush)

  // The processes. The messages of a process are reported before its end.
  case processStarted(Role, pid: Int32)
  /// The process has said `hello`: it can be reached.
  case helloSaid(Role)
  case launchFailed(Role, sentence: String)
  case processEnded(Role, ProcessEnd)
  /// The process has announced that it exits, and why.
  case endAnnounced(Role)
  /// The process is exiting in the kernel: no message reaches it any more. Its end is reported later.
  case foundEnding(Role)
  case memorySampled(Role, footprintBytes: UInt64, residentBytes: UInt64)
  /// The process was suspended while it held a lock in the container.
  case foundHoldingLock(Role, file: String)
  /// The kernel killed the process at its cgroup's memory limit. Reported before its end.
  case memoryLimitEnforced(Role, usedBytes: UInt64)

  // Messages of the processes.
  case contentDelivered(push: UInt64, NotificationText, key: String? = nil)
  /// With a key of the process's own, by which it can withdraw or replace the notification, and the key of another one
  /// that goes in the same moment.
  case notificationPosted(NotificationText, key: String?, withdraws: String? = nil)
  case notificationWithdrawn(key: String)
  case serviceFinished(push: UInt64, reason: String)
  /// All categories of the app; they replace the earlier ones.
  case categoriesRegistered([NotificationCategory])
  /// The app has handled the user's response to a notification.
  case responseDone(id: UInt64)
  /// The process puts a text on the pasteboard.
  case textCopied(Role)
  /// The app has handled a silent push.
  case silentPushDone(push: UInt64, SilentPushOutcome)
  /// The app confirms the `enter-background` of this number; without a number, the last one.
  case backgroundDone(time: UInt64? = nil)
  /// `beginBackgroundTask`, with an id that the app uses once.
  case taskBegan(id: UInt64, name: String)
  case taskEnded(id: UInt64)
  /// `performExpiringActivity`, with an id that the process uses once.
  case activityBegan(Role, id: UInt64)
  case activityEnded(Role, id: UInt64)
  /// The app's answer to a request.
  case appAnswered(request: UInt64)

  /// A caller sends the app a request and waits for the answer; `inFront`: only allowed in the foreground.
  case appAsked(request: UInt64, inFront: Bool)
  case downRequested
  /// A power loss may also lose data that was never synced. `unlocking`: the user unlocks the phone right after the
  /// boot.
  case rebooted(losingBeats: Bool, unlocking: Bool? = nil)

  case task(TaskEvent)
  case audio(AudioEvent)
}
