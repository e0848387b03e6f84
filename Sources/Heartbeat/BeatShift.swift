import Ground

// Shifts the instants, and renumbers the beats.
extension BeatMonitor: Shiftable {
  package mutating func shift(by span: TimeSpan) {
    watch?.silentSince.shift(by: span)
    watch?.lastLook.shift(by: span)
  }

  package mutating func renumber(ofEpoch epoch: UInt64, _ number: (UInt64) -> UInt64) {
    guard let watch else { return }
    // A watch of another epoch is forgotten at the next look anyway.
    self.watch = watch.epoch == epoch ? watch : nil
    self.watch?.counter = watch.counter.map(number)
  }
}

extension BeatSchedule: Shiftable {
  package mutating func shift(by span: TimeSpan) { nextBeat.shift(by: span) }

  /// The monitor only compares numbers for equality.
  package mutating func renumber(_ number: (UInt64) -> UInt64) { counter = number(counter) }
}
