import DaemonRuntime

/// How a command is watched over that would leave processes or directories behind if it were cut short.
package struct Supervision {
  /// Its directory is called `baton-NAME-…`.
  package var name: String
  /// Where the phone is that stays; nil when it has one in the directory that does not.
  package var kept: String?
  /// It only looks at what is there, and has nothing but copies of it.
  package var isLooking = false
  /// What it has asked the wallet for goes on without it: said when it is interrupted.
  package var goesOn: String?
  /// It cannot do without the directory.
  package var needsPlace = true
  /// A program of somebody else is told first, and given a moment to end in its own way.
  package var isForeign = false
  /// What it has started is to stay once its work is done, and has no directory of ours in its environment.
  package var leavesProcesses = false

  package init(
    name: String, kept: String? = nil, isLooking: Bool = false, goesOn: String? = nil,
    needsPlace: Bool = true, isForeign: Bool = false, leavesProcesses: Bool = false
  ) {
    self.name = name
    self.kept = kept
    self.isLooking = isLooking
    self.goesOn = goesOn
    self.needsPlace = needsPlace
    self.isForeign = isForeign
    self.leavesProcesses = leavesProcesses
  }
}
