/// The demo's story: each trap of a payment in the background, once.
enum DemoStory {
  /// With `isQuick` the user opens the app, so that the extension need not wait 5 s for more payments.
  static func text(isQuick: Bool) -> String {
    """
    # The app is closed, the user opens it, the extension is killed

    # Payment 1 of 3: the app is closed
    payment 1 of 5000 sat arrives
    wait until payment 1 has settled
    \(isQuick ? "the app opens\n" : "")\
    wait until the user sees payment 1
    \(isQuick ? "wait until the app is connected\nthe app is swiped away" : "wait until nobody holds the node")

    # Payment 2 of 3: the user opens the app while the extension receives
    payment 2 of 21000 sat arrives
    wait until the extension is connected
    the app opens
    wait until the app is connected
    wait until all is settled

    # The user goes home, then swipes the app away
    the app goes home
    wait until nobody holds the node
    the app is swiped away

    # Payment 3 of 3, in two parts: kill -9 for the extension with part 1; then the user opens the app
    payment 3 of 100000 sat begins to arrive in 2 parts
    wait until the wallet keeps a part of payment 3
    the extension is killed
    the app opens
    wait until the app is connected
    the next part of payment 3 arrives
    wait until all is settled
    who holds the node?
      > the app holds the node
    what became of the payments?
      > payment 1 of 5,000 sat: settled, and the wallet has it once
      > payment 2 of 21,000 sat: settled, and the wallet has it once
      > payment 3 of 100,000 sat: settled, and the wallet has it once

    # The user swipes the app away
    the app is swiped away
    the verdict
      > sound: 3 of 3 payments settled, once each, equal on both sides
    """
  }
}
