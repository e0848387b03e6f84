import Ground

// The same in another hour.
extension BeatMonitor: Shiftable {
  package mutating func shift(by span: TimeSpan) {
    watch?.silentSince.shift(by: span)
    watch?.lastLook.shift(by: span)
  }

  package mutating func renumber(ofEpoch epoch: UInt64, _ number: (UInt64) -> UInt64) {
    guard let watch else { return }
    // Of another epoch it is forgotten at the next look.
    self.watch = watch.epoch == epoch ? watch : nil
    self.watch?.counter = watch.counter.map(number)
  }
}

extension BeatSchedule: Shiftable {
  package mutating func shift(by span: TimeSpan) { nextBeat.shift(by: span) }

  /// The monitor asks only whether a number is another one than before.
  package mutating func renumber(_ number: (UInt64) -> UInt64) { counter = number(counter) }
}
