import DaemonRuntime

/// How a command is watched over that would leave processes or directories behind if it were cut short.
struct Supervision {
  /// Its directory is called `baton-NAME-…`.
  var name: String
  /// Where the phone is that stays; nil when it has one in the directory that does not.
  var kept: String?
  /// It only looks at what is there, and has nothing but copies of it.
  var isLooking = false
  /// What it has asked the wallet for goes on without it: said when it is interrupted.
  var goesOn: String?
  /// It cannot do without the directory.
  var needsPlace = true
  /// A program of somebody else is told first, and given a moment to end in its own way.
  var isForeign = false
  /// What it has started is to stay once its work is done, and has no directory of ours in its environment.
  var leavesProcesses = false
}
