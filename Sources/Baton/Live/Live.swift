// Live: a running phone as it is now, written once for `baton watch`, which draws it, and for `baton serve`, which
// streams it. It only reads, except for `LiveHand`, which does what the user of a screen asks for. It decides nothing
// about ownership, and links no HTTP.

import DaemonRuntime
import Ground

/// Looks at a phone whenever something in its directory has changed, and at least once a second, on a thread of its own:
/// a stopped daemon may take seconds to be found silent, and no screen may wait for that.
package final class LiveFeed {
  /// Memory and ages change without a file's change.
  private static let lookAtLeast = TimeSpan.seconds(1)
  /// A payment changes files a hundred times.
  private static let pause = TimeSpan.milliseconds(150)

  private let phone: Phone
  private let loop: EventLoop
  private let side: SideThread
  private let look: LiveLook
  private let watch: DirectoryWatch
  private var timer: LoopTimer?
  private var isLooking = false
  private var hasChanged = true
  private var pausesUntil = Instant(nanoseconds: .min)
  private let onView: (LiveView) -> Void
  private let onFailure: (SystemError) -> Void

  package init(
    _ phone: Phone, loop: EventLoop, onView: @escaping (LiveView) -> Void,
    onFailure: @escaping (SystemError) -> Void
  ) throws(SystemError) {
    self.phone = phone
    self.loop = loop
    self.onView = onView
    self.onFailure = onFailure
    side = SideThread(loop: loop)
    look = LiveLook(phone)
    watch = try DirectoryWatch(Self.directories(of: phone), seesCloses: false)
    try loop.watch(watch.descriptor, .readable) { [unowned self] _ in changed() }
    next()
  }

  private static func directories(of phone: Phone) -> [String] {
    [phone.home, phone.container, phone.journal, phone.os, phone.lsp]
  }

  /// Stops looking; a look that is under way ends first, as it may have made a scratch copy.
  package func stop() {
    timer?.cancel()
    loop.unwatch(watch.descriptor)
    side.finish(within: .seconds(1))
  }

  /// After an action: the answer is on the screen before the next second.
  package func lookSoon() {
    hasChanged = true
    schedule()
  }

  private func changed() {
    do throws(SystemError) { try watch.wait(until: loop.now) } catch { return onFailure(error) }
    // Directories that were missing at the start.
    for directory in Self.directories(of: phone) where !watch.isWatching(directory) { watch.add(directory) }
    guard !hasChanged else { return }
    lookSoon()
  }

  private func schedule() {
    guard !isLooking else { return }
    timer?.cancel()
    let earliest = max(loop.now, pausesUntil)
    timer = loop.at(hasChanged ? earliest : earliest + Self.lookAtLeast) { [unowned self] in next() }
  }

  private func next() {
    guard !isLooking else { return }
    isLooking = true
    let look = look
    let hadChanged = hasChanged
    hasChanged = false
    do throws(SystemError) {
      try side.perform({ look.take(changed: hadChanged) }) { [unowned self] view in
        isLooking = false
        pausesUntil = loop.now + Self.pause
        onView(view)
        schedule()
      }
    } catch { onFailure(error) }
  }
}
