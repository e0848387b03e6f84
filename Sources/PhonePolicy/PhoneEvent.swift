import Ground

/// What can happen to a phone. One that does not matter now is a no-op.
public enum PhoneEvent: Hashable, Codable, Sendable {
  case deadlineReached

  // The user's thumb.
  case userOpened
  case userWentHome
  /// Swiped away.
  case userQuit

  /// Also when it is no change.
  case deviceChanged(DeviceChange)
  /// A finger on a notification that is there.
  case notificationTouched(id: UInt64, category: String?, NotificationTouch)

  case pushArrived(PhonePush)

  // The processes. What a process said before it ended is reported before its end.
  case processStarted(Role, pid: Int32)
  case launchFailed(Role, sentence: String)
  case processEnded(Role, ProcessEnd)
  /// It has said that it ends by itself, and why.
  case endAnnounced(Role)
  /// The kernel is taking it apart, or is about to: nothing that is told to it arrives any more. Its end comes later.
  case foundEnding(Role)
  case memorySampled(Role, footprintBytes: UInt64, residentBytes: UInt64)
  /// It was suspended while it held a lock in the container.
  case foundHoldingLock(Role, file: String)
  /// The kernel itself killed the process, as it could not grow within its limit. Reported before its end.
  case memoryLimitEnforced(Role, usedBytes: UInt64)

  // What the processes say.
  case contentDelivered(push: UInt64, NotificationText, key: String? = nil)
  /// Under a key of the process's own, if it may want to take it back.
  case notificationPosted(NotificationText, key: String?)
  case notificationWithdrawn(key: String)
  case serviceFinished(push: UInt64, reason: String)
  /// All that the app knows; those of before are gone.
  case categoriesRegistered([NotificationCategory])
  /// The app is done with what the user did with a notification.
  case responseDone(id: UInt64)
  /// The app is done with a silent push.
  case silentPushDone(push: UInt64, SilentPushResult)
  /// The app has heard that it is in the background, of so many times; without a number it is the last one.
  case backgroundDone(time: UInt64? = nil)
  /// It asks for time in the background, under a number of its own that it uses once.
  case taskBegan(id: UInt64, name: String)
  case taskEnded(id: UInt64)
  /// To what it was asked for.
  case appAnswered(request: UInt64)

  /// Somebody asks the app for something that it may only do on the screen, or anywhere, and waits for the answer.
  case appAsked(request: UInt64, inFront: Bool)
  case downRequested
  /// With the power gone, what was never synced may be gone too. Whoever has it in the hand unlocks it as soon as it is on,
  /// or nobody does.
  case rebooted(losingBeats: Bool, unlocking: Bool? = nil)

  case task(TaskEvent)
  case audio(AudioEvent)
}

/// How a process ended, as the kernel has it.
public enum ProcessEnd: Hashable, Codable, Sendable {
  case exited(code: Int32)
  case signalled(Int32)
}
