// mainappd: the wallet's app. A shell: it passes on the events of the phone and the user, and the guard decides.

import DaemonRuntime
import Glibc
import Guardrails
import Wallet
import WalletProcess

let declaration = CommandLineDeclaration(
  name: "mainappd",
  summary:
    "The wallet's app: uses the Lightning node in the foreground, and in the background until its work is done.",
  options: SettingsTable.options(of: .app) + [
    OptionDeclaration("--background", help: "started by hand: stay in the background until SIGUSR2")
  ],
  examples: [
    (
      "mainappd --container AppGroup --peer \"$(cat lsp/address)\"",
      "the app started by hand; SIGUSR1 is the home button, SIGUSR2 brings the app to the front"
    )
  ])
let parsed = declaration.parseOrExit()
let options = WalletOptions(parsed)
let process = WalletProcess<AppMachine>(
  options,
  background: BackgroundWork.Habits(
    cleansUp: parsed.isGiven("--clean-journals"), keepsAwakeByAudio: parsed.isGiven("--keep-alive-audio"),
    pollsPaykit: options.wallet.pollTask != nil),
  completion: options.wallet.extension.hasNode ? nil : Completion(container: options.container))

if !process.isOnEmulatedPhone {
  do throws(SystemError) {
    try process.onSignal(SIGUSR1, .enteredBackground)
    try process.onSignal(SIGUSR2, .enteredForeground)
  } catch { exitWithSentence(.inputOutputError, error.description) }
}
process.run {
  if !process.isOnEmulatedPhone && !parsed.isGiven("--background") { process.handle(.enteredForeground) }
}
