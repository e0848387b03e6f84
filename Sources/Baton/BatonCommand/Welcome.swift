/// What a user reads who types `baton` for the first time.
enum Welcome {
  static let text = """
    Baton: one Lightning node, two processes, one baton.
    On iOS a wallet is an app and a notification extension that share one node; if both drive it, money is lost.
    This runs the pair as real processes on an emulated phone, kills them at will, and judges what became of the money.

    See it work
      demo                 pay a phone with its app closed, cut in, kill, and tell the story with times
    One phone
      up, down             start and stop the phone (iosd) and its Lightning peer (lspd)
      app open|home|quit   the user's thumb
      invoice, pay         ask for money on the wallet; pay it as a sender
      send INVOICE         pay somebody else from the wallet, also with the app on its way home
      withdraw AMOUNT ADDR send money from the wallet's channel to a bitcoin address
      restore              bring the wallet into this phone's container, when the peer knows another
      push FILE|--silent   deliver a push, as `xcrun simctl push` does, or one that nobody sees
      device               how the phone is switched: lock, low power, network and the like; its clock; a reboot
      notifications        the phone's list of notifications; tap, answer or wipe one away
      tasks                the app's background tasks: what waits and why, what ran
      pushes               every push and what became of it, with figures
      scratch -- COMMAND   a new phone for one command, of which nothing stays
      pair DIR             the two wallet processes and their peer by hand, without a phone
    Look at it
      status               who holds the node, why, since when
      payments             what was received and sent, and what waits at the peer
      ps, logs -f          the processes; their journals merged into one story
      inspect DIR          any shared container, in use or copied
    Judge it
      judge DIR            the verdict on a run, from raw evidence
      replay JOURNAL…      run every decision again and compare byte for byte
      run FILE             a story in plain words on real processes, or --simulated, with what must come of it
      sim                  days of the pair in virtual time, with every fault, checked at every step
      merge FILE…          results of sim from many machines, each seed once
      explore              every interleaving of a small world, checked at every step
      ablation             each rule taken away, and the shortest story of what breaks
      soak                 thousands of pushes through one phone, and what its processes keep of them
    And
      completion SHELL     completion for bash, zsh or fish
      help VERB, version   how a verb is used; help exit-codes says what they mean

    Every verb knows -h, --json and --home DIR (or BATON_HOME; ./.baton when neither is given).

      baton demo
      baton up && baton app open && baton pay $(baton invoice 5000 --text Coffee)
      baton logs -f

    More: docs/commands/ has a page per verb, ARCHITECTURE.md the map, docs/guardrails.md the rules.

    """
}
