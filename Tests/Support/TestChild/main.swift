// TestChild: plays the app or the extension for the tests of iosd.

import DaemonRuntime

do {
  let child = try TestChild(behaviour: programName)
  try child.run()
} catch { exitWithSentence(.bugOfOurs, "\(error)") }
