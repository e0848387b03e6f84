/// The overview that `baton` prints without arguments.
enum Welcome {
  static let text = """
    Baton: one Lightning node, two processes, one holder at a time.
    On iOS a wallet is an app and a notification extension that share one node; if both run it at once, money is lost.
    Baton runs both as real processes on an emulated phone, kills them, and checks that no payment is lost.

    See it work
      demo                 pay a phone with its app closed; open the app, kill the extension; print the story
    One phone
      up, down             start and stop the phone (iosd) and its Lightning peer (lspd)
      app open|home|quit   open the app, go home, swipe the app away
      kill, freeze, thaw   a signal to app, extension, lspd or iosd
      invoice, pay         make an invoice on the wallet; pay it as a sender
      send INVOICE         pay another node's invoice from the wallet
      withdraw AMOUNT ADDR send money from the wallet's channel to a bitcoin address
      restore              move the wallet back to this phone, if another device has it
      lsp fail CODE        the peer fails the next payments with a code of BOLT 4
      webhook              where the peer calls for the wallet: set, list, remove
      push FILE|--silent   deliver a push, as `xcrun simctl push` does, or a silent one
      device               the phone's settings: lock, low power, network and the like; its clock; reboot
      notifications        the phone's list of notifications; tap, answer or dismiss one
      tasks                the app's background tasks: which wait and why, which ran
      pushes               every push and its outcome, with figures
      scratch -- COMMAND   a new phone for one command, removed if the command succeeds
      pair DIR             the two wallet processes and their peer by hand, without iosd
    Look at it
      status               who holds the node, why, since when
      watch, serve         the phone live, on this terminal or in a browser, with keys or buttons
      payments             payments received, sent, and held by the peer
      ps, logs -f          the processes; their journals merged into one log
      inspect DIR          any shared container, in use or copied; --check, --diff OTHER
      doctor [DIR]         what is wrong, what it means, and what to do
      timeline [RUN]       a run as one HTML page: processes, epochs, messages, kills, payments
    Judge it
      judge DIR            the verdict on a run, from raw evidence
      replay JOURNAL…      compute every decision again and compare byte for byte
      run FILE             a story with expected answers, on real processes or --simulated
      ci --app A --ext B   every story that applies on your own two programs, with one directory of evidence
      sim                  app and extension in virtual time, with every fault, checked at every step
      explore              every interleaving of a few events, checked at every step
      ablation             remove each rule, and find the shortest story of what breaks
      museum [NAME]        published incidents of other products, and the same worlds with Baton
      chaos kill|freeze|crash  one process at a random moment of each payment, then the judge's verdict
      soak                 thousands of pushes through one phone: do its processes leak?
    And
      completion SHELL     completion for bash, zsh or fish
      help VERB, version   how a verb is used; help exit-codes lists the exit codes

    Every verb takes -h, --json and --home DIR (default: BATON_HOME, else ./.baton).

      baton demo
      baton up && baton app open && baton pay $(baton invoice 5000 --text Coffee)
      baton logs -f

    More: help VERB, docs/commands/ (guides), ARCHITECTURE.md (the code), docs/guardrails.md (the rules).

    """
}
