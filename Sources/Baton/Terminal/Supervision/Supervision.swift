import DaemonRuntime

/// How a command is supervised that could leave processes or directories behind when interrupted.
package struct Supervision {
  /// The scratch directory is called `baton-NAME-…`.
  package var name: String
  /// The home of a phone that is kept; nil if its phone is in the scratch directory.
  package var kept: String?
  /// What is in `kept`.
  package var keeps = "the phone"
  /// It only reads, and its scratch directory has only copies.
  package var isLooking = false
  /// Printed when interrupted: the wallet continues the request without the command.
  package var goesOn: String?
  /// It cannot run without the scratch directory.
  package var needsPlace = true
  /// A foreign program gets the signal first, and a moment to end by itself.
  package var isForeign = false
  /// The processes that it starts stay after success, so it has no scratch directory.
  package var leavesProcesses = false
}
